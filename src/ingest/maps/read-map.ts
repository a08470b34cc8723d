import {
  importedColumnsOf,
  model,
  productStatuses,
  type Column as ModelColumn,
  type ColumnKind,
  type ObjectTable,
} from '../../catalog/model';
import { delimiterNamed } from '../source/delimiters';
import { dateFormatWanted, parseDateFormat, parseLocalDate } from '../values/local-date';
import type { Parse } from '../formats/rules';
import {
  countBounds,
  parseDecimal,
  parseWholeNumber,
  positionBounds,
  safeBounds,
  type Bounds,
} from '../values/numbers';
import { checkCurrency, checkIndexedText } from '../values/text';
import { parseTimestamp } from '../values/timestamp';
import { MapNode, namesOf, type Column, type NamedColumn, type TableOf } from './map-node';

const toKey = (word: string): string => word.trim().toLowerCase();

const text = (expected: string) => (node: MapNode) => node.text(expected);
const column = (node: MapNode) => node.column();
const flag = (node: MapNode) => node.oneOf(['true', 'false']) === 'true';

/** Text that may be a space. */
const sign = (expected: string) => (node: MapNode) => {
  const found = node.anyText(expected);
  if (found === '') throw node.refuse(expected);
  return found;
};

const columns = (node: MapNode) => node.items('a list of columns').map(column);
const otherColumns = (node: MapNode) => node.items('a list of columns').map((one) => one.names());

/** A condition on a cell: it is one of these words (in lower case), or is filled or blank. */
export type Condition = ReturnType<typeof readCondition>;

function readCondition(node: MapNode) {
  const condition = node.table(
    { column, is: (words) => new Set(words.oneOrMore('words').map((word) => toKey(word.anyText('a word')))), filled: flag },
    'a condition such as { column: Type, is: [Product] }',
    { column: 'the column to test' },
  ); // prettier-ignore
  if ((condition.is === undefined) === (condition.filled === undefined))
    throw node.fault('expected either "is" or "filled"');
  return condition;
}

const readConditions = (node: MapNode) => node.oneOrMore('conditions').map(readCondition);

/** What each word in a cell means, by the word in lower case. */
export type Words = ReadonlyMap<string, string>;

/** How the cells of a row become one field. */
export type ValueRule = Omit<ReturnType<typeof readRule>, 'column' | 'join'> & {
  /** Joined with `between`, or spaces; each is an image for `images`. Empty if the value has no column of its own. */
  readonly columns: readonly Column[];
  /** For line_items: the rules for the fields of a line item. */
  readonly items?: ValueRules;
};

/** The rules by the names of their columns (src/catalog/model.ts). */
export type ValueRules = ReadonlyMap<string, ValueRule>;

const pictures = ['image_url', 'images'];
const prices = ['price', 'compare_at_price', 'cost_price'];

/** A key that only the rules of some fields accept. */
const onlyFor =
  <Value>(members: readonly string[], { name }: ModelColumn, read: (node: MapNode) => Value) =>
  (node: MapNode): Value => {
    if (members.includes(name)) return read(node);
    throw node.fault(`is not a key of ${name}, only of ${members.join(', ')}`);
  };

function readRule(node: MapNode, of: ModelColumn) {
  const value = (given: MapNode) => checkedValue(given, of);
  return node.table(
    {
      column,
      join: columns,
      value,
      words: (words) => readWords(words, value),
      separator: sign('the text between the parts of a list, or the word whitespace'),
      until: sign('the text at which the value ends'),
      behind_last: sign('the text after which the value starts'),
      prefix: sign('the text to prepend'),
      html: flag,
      when: readConditions,
      sale: onlyFor(['price'], of, column),
      sale_when: onlyFor(['price'], of, readCondition),
      sale_from: onlyFor(['price'], of, column),
      sale_to: onlyFor(['price'], of, column),
      tax_percent: onlyFor(prices, of, readPercent),
      add: onlyFor(['price', 'weight'], of, column),
      discount: onlyFor(['price'], of, readDiscount),
      between: sign('the text between the columns'),
      alt: onlyFor(pictures, of, column),
      position: onlyFor([...pictures, 'collections'], of, column),
      create: onlyFor(['collections'], of, flag),
    },
    'a column name, a list of column names (tried in order), or a mapping such as { column: Name }',
  );
}

function toRule(node: MapNode, of: ModelColumn): ValueRule {
  if (node.isText || node.isList) return { columns: [node.column()] };
  const { column: one, join, ...rule } = readRule(node, of);
  const { length } = [one, join, rule.value].filter((part) => part !== undefined);
  // In a second file, an amount may be added to that of the product.
  const isAdded = rule.add !== undefined && node.location.field?.startsWith('variants_file') === true;
  if (length > 1 || (length === 0 && !isAdded))
    throw node.fault('expected exactly one of the keys "column", "join" and "value"');
  for (const name of ['sale_when', 'sale_from', 'sale_to'] as const)
    if (rule[name] !== undefined && rule.sale === undefined)
      throw node.fault(`expected "sale" together with "${name}"`);
  return { ...rule, columns: join ?? (one === undefined ? [] : [one]) };
}

const readDiscount = (node: MapNode) =>
  node.table({ column, unit: column }, 'a discount such as { column: Discount, unit: Mode }', {
    column: 'the column of the discount',
    unit: 'the column that contains PERCENT or AMOUNT',
  });

function readPercent(node: MapNode): string {
  const expected = 'a percentage below 1000 with at most 4 decimals, such as 20';
  const percent = node.text(expected);
  if (!/^\d{1,3}(?:\.\d{1,4})?$/.test(percent)) throw node.refuse(expected);
  return percent;
}

function readWords(node: MapNode, value: (given: MapNode) => string): Words {
  const words = new Map<string, string>();
  for (const [word, meaning] of node.entries('a mapping from cell to value, such as { Yes: ACTIVE }')) {
    if (words.has(toKey(word))) throw meaning.fault(`${JSON.stringify(word)} appears twice: case is ignored`);
    words.set(toKey(word), meaning.anyText('text') === '' ? '' : value(meaning));
  }
  return words;
}

const whole =
  (bounds: Bounds): Parse<string> =>
  (word, location) =>
    parseWholeNumber(word, bounds, location);

/** Constants in a map are checked when the map is read. */
const checks: Partial<Readonly<Record<ColumnKind, Parse<string>>>> = {
  externalId: checkIndexedText,
  indexed: checkIndexedText,
  currency: checkCurrency,
  decimal: parseDecimal,
  count: whole(countBounds),
  quantity: whole(safeBounds),
  position: whole(positionBounds),
  // Local dates depend on the format that is set for the import.
  timestamp: (word, location) => parseLocalDate(word)?.text ?? parseTimestamp(word, location),
};

function checkedValue(node: MapNode, { kind, name }: ModelColumn): string {
  if (kind === 'status') return node.oneOf(productStatuses);
  if (kind === 'flag' || name === 'published_at') return node.oneOf(['true', 'false']);
  const given = node.text('text');
  checks[kind]?.(given, node.location);
  return given;
}

const membersExpected = 'fields with their columns, such as { title: Name }';

const readersOf = (table: ObjectTable) =>
  Object.fromEntries(
    importedColumnsOf(table)
      // Mapping files use the familiar name.
      .map((of) => (of.name === 'memberships' ? { ...of, name: 'collections' } : of))
      .map((of) => [
        of.name,
        of.kind === 'options' ? readOptions : of.name === 'line_items' ? toLines : (rule: MapNode) => toRule(rule, of),
      ]),
  );

const kindsInLists: Readonly<Record<string, ColumnKind>> = { 'decimal?': 'decimal', integer: 'position' };

/** The rules for the fields of a line item. */
function toLines(node: MapNode): ValueRule {
  const readers = Object.entries(model.orders.lineItems.of).map(([name, type]) => {
    const of = { name, kind: kindsInLists[type] ?? 'text' } as ModelColumn;
    return [name, (rule: MapNode) => toRule(rule, of)] as const;
  });
  const items = node.table(
    Object.fromEntries(readers),
    'the columns of a line item, such as { sku: Article, quantity: Pieces }',
  );
  return { columns: [], items: new Map(Object.entries(items)) as ValueRules };
}

const members =
  <Needed extends string>(table: ObjectTable, needed: Readonly<Record<Needed, string>>) =>
  (node: MapNode) =>
    new Map(Object.entries(node.table(readersOf(table), membersExpected, needed))) as ValueRules;

const optionsExpected = 'a list such as [{ name: Size, column: Size }], or a mapping with "values" or "column"';

/** Where a variant's options are: one column for each, or columns of names and values. */
export type OptionRule = ReturnType<typeof readOptions>;

function readOptions(node: MapNode) {
  if (node.isList) {
    return node.items(optionsExpected).map((item) =>
      item.table({ name: text('a name'), column }, 'an option such as { name: Size, column: Size }', {
        name: 'the name of the option',
        column: 'the column of its value',
      }),
    );
  }
  const mark = sign('text');
  const options = node.table(
    { names: column, values: column, column, separator: mark, between: mark, start: mark, name: mark, value: mark, until: mark, listed: mark },
    optionsExpected,
  ); // prettier-ignore
  if (options.values === undefined) {
    if (options.column === undefined) throw node.fault('expected a key "values" or "column"');
  } else if (!options.values.includes('{n}')) {
    if (options.separator === undefined) {
      throw node.fault('expected "{n}" in the column names (for numbered columns) or a "separator" (for lists)');
    }
    if (options.names === undefined) throw node.fault('expected a key "names": the column with the names');
  }
  return options;
}

export interface VariantRules {
  readonly members: ValueRules;
  readonly options: OptionRule | undefined;
}

function readVariant(node: MapNode): VariantRules {
  const { options, ...rules } = node.table(readersOf('variants'), membersExpected);
  return { members: new Map(Object.entries(rules)) as ValueRules, options };
}

/** A second file: the variants of the products, each with the id of its product. */
const readVariantsFile = (node: MapNode) =>
  node.table(
    {
      title: text('the name of the file'),
      recognized_by: otherColumns,
      product: column,
      variant: readVariant,
    },
    'a mapping such as { product: Product ID, variant: { sku: SKU } }',
    {
      product: 'the column with the external_id of the product',
      variant: 'it maps the columns of variants',
    },
  );

const inheritable = ['price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight', 'weight_unit', 'image_url', 'barcode', 'sku'] as const; // prettier-ignore

/** How rows become objects. By default, each row is one. */
export type RowRules = ReturnType<typeof readRows>;

const groupings = ['product_when', 'same', 'parent', 'children'] as const;

function readRows(node: MapNode) {
  const rows = node.table(
    {
      skip_when: readConditions,
      inherit: (list) =>
        list.items('a list of fields of variants, such as [price]').map((member) => member.oneOf(inheritable)),
      // Rows below a product row are its variants or images, or are skipped.
      product_when: readCondition,
      variant_when: readCondition,
      image_when: readCondition,
      // Whether the row of a product with other variants is also a variant.
      first_is_variant: flag,
      // Consecutive rows with the same cell belong to one object.
      same: column,
      // Rows of variants reference their product's row, which may be anywhere.
      parent: (parent) =>
        parent.table({ column, names: column }, 'a mapping such as { column: Parent, names: SKU }', {
          column: 'the column in variant rows that contains the product',
          names: 'the product column that it refers to',
        }),
      // Rows of products list those of their variants, which may be anywhere.
      children: (children) =>
        children.table(
          { column, names: column, labels: column },
          'a mapping such as { column: configurable_variations, names: sku }',
          {
            column: 'the column in product rows that lists the variants',
            names: 'the variant column that it refers to',
          },
        ),
    },
    'keys that group rows, such as { same: Handle }',
  );
  const forms = groupings.filter((name) => rows[name] !== undefined);
  if (forms.length > 1 && forms.join() !== 'product_when,same')
    throw node.fault(`expected only one of ${forms.join(' and ')}: each is a different way to group rows`);
  for (const name of ['variant_when', 'image_when', 'first_is_variant'] as const) {
    if (rows[name] !== undefined && forms[0] !== 'product_when')
      throw node.fault(`expected "product_when" together with "${name}"`);
  }
  return rows;
}

function readDelimiter(node: MapNode): string {
  const expected = 'comma, semicolon, tab, pipe or one ASCII symbol such as ~, but not ", . or _';
  const delimiter = delimiterNamed(node.text(expected));
  if (delimiter === undefined) throw node.refuse(expected);
  return delimiter;
}

function readDateFormat(node: MapNode) {
  const given = node.text(dateFormatWanted);
  try {
    return parseDateFormat(given);
  } catch {
    throw node.refuse(dateFormatWanted);
  }
}

const topMembers = {
  name: text('a name'),
  delimiter: readDelimiter,
  decimal: (node: MapNode) => node.oneOf(['point', 'comma']),
  date_format: readDateFormat,
  recognized_by: otherColumns,
  optional: (node: MapNode) =>
    node.isText ? node.oneOf(['true'], 'true or a list of columns, such as [Weight]') && 'all' : new Set(otherColumns(node).flatMap((one) => namesOf(one).map(toKey))),
  product: members('products', { external_id: 'every product has one', title: 'every product has one' }),
  variant: readVariant,
  variants_file: readVariantsFile,
  order: members('orders', { external_id: 'every order has one' }),
  collection: members('collections', { external_id: 'every collection has one', title: 'every collection has one' }),
  // Last, so that its columns are reported last.
  rows: readRows,
}; // prettier-ignore

/** How the columns of a table become objects. Has exactly one of `product`, `order` and `collection`. */
export type ImportMap = TableOf<typeof topMembers, 'name' | 'recognized_by'> & {
  /** The user's name for it: a name or a path. */
  readonly source: string;
  readonly columns: readonly NamedColumn[];
};

/** The columns by which files are recognized unless `recognized_by` lists others. */
const isOwn =
  /^(?:product\.(?:external_id|title)|(?:order|collection)\.external_id|rows\.(?!variant_when|image_when|children\.labels))/;

/**
 * Reads a map file.
 * @param source the user's name for it
 * @throws ImportError that reports the line and what was expected there
 */
export function readMap(yaml: string, source: string): ImportMap {
  const node = MapNode.parse(yaml, source);
  const top = node.table(topMembers, 'a mapping file');
  const objects = top.order ? 'order' : top.collection ? 'collection' : undefined;
  if (objects) {
    for (const other of ['product', 'variant', 'variants_file', 'collection'] as const) {
      if (other !== objects && top[other] !== undefined) {
        throw node
          .at(objects)
          .fault(`remove the key "${other}": a mapping file describes products, orders or collections`);
      }
    }
    const { same: _, skip_when: __, ...others } = top.rows ?? {};
    if (Object.keys(others).length > 0)
      throw node.at('rows').fault(`expected only "same" and "skip_when" in a mapping file for ${objects}s`);
  } else if (top.product === undefined) {
    throw node.fault('expected a key "product" with the columns of products (or "order", or "collection")');
  }
  if (top.variants_file && groupings.some((name) => top.rows?.[name] !== undefined)) {
    throw node
      .at('variants_file')
      .fault('remove the keys of "rows" that group variants: variants are in the second file');
  }
  const own = node.columns.filter(({ path }) => isOwn.test(path)).map(({ column: one }) => one);
  return {
    ...top,
    name: top.name ?? (source.split(/[/\\]/).at(-1) ?? source).replace(/\.ya?ml$/i, ''),
    source,
    recognized_by: top.recognized_by ?? own,
    columns: node.columns,
  };
}
