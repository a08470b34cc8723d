import { importedColumnsOf, productStatuses, type ObjectTable } from '../../catalog/model';
import { delimiterNamed } from '../source/delimiters';
import { parseDateFormat, type LocalDateFormat } from '../values/local-date';
import { parseDecimal } from '../values/decimal';
import { checkCurrency } from '../values/text';
import { SourceLocation } from '../values/import-error';
import {
  type ColumnReference,
  type Condition,
  type ImportMap,
  type ObjectsMap,
  type ObjectsTable,
  type OptionRule,
  type ProductMember,
  type RowRule,
  type TableMap,
  type ValueRule,
  type VariantMember,
  type VariantRules,
  type VariantsFile,
} from './import-map';
import { MapNode, type MapTable } from './map-node';

const columnExpected = 'the name of a column, or a list of names of which the first that the file has counts';

/**
 * Reads a map file.
 * @param source the user's name for it
 * @throws ImportError that reports the line and what was expected there
 */
export function readMap(text: string, source: string): ImportMap | ObjectsMap {
  const top = MapNode.parse(text, source).table(topMembers, 'a map');
  const [order, collection] = [top.get('order'), top.get('collection')];
  if (order) return readObjectsMap(top, order, 'orders', source);
  if (collection) return readObjectsMap(top, collection, 'collections', source);
  return toProductsMap(top, source);
}

const topMembers = ['name', 'delimiter', 'decimal', 'date_format', 'recognised_by', 'optional', 'rows', 'product', 'variant', 'variants_file', 'order', 'collection'] as const; // prettier-ignore
type TopTable = MapTable<(typeof topMembers)[number]>;

/** @param own columns without which the map makes no sense */
function readTable(
  top: TopTable,
  source: string,
  own: readonly (ColumnReference | undefined)[],
): Omit<TableMap, 'skipWhen'> {
  const recognisedBy = top.get('recognised_by');
  return {
    name: top.get('name')?.text('a name') ?? baseName(source),
    source,
    delimiter: readDelimiter(top.get('delimiter')),
    decimal: top.get('decimal')?.oneOf(['point', 'comma']),
    dateFormat: readDateFormat(top.get('date_format')),
    recognisedBy: recognisedBy ? readColumns(recognisedBy) : own.filter((column) => column !== undefined),
    optional: readOptional(top.get('optional')),
  };
}

const readOptional = (node: MapNode | undefined): TableMap['optional'] =>
  node?.isText ? node.oneOf(['true']) && 'all' : new Set(node && readColumns(node).flat().map(toKey));

function readObjectsMap(top: TopTable, node: MapNode, table: ObjectsTable, source: string): ObjectsMap {
  const noun = table === 'orders' ? 'order' : 'collection';
  for (const other of ['product', 'variant', 'variants_file', 'order', 'collection'] as const) {
    if (other !== noun && top.has(other)) {
      throw node.fault(`expected no member "${other}" beside it: a map describes products, orders or collections`);
    }
  }
  const members = membersOf<string>(table);
  const rules = readRules(node.table(members, membersExpected), members);
  for (const name of table === 'orders' ? ['external_id'] : ['external_id', 'title']) {
    if (!rules.has(name)) throw node.fault(`expected a member "${name}": every ${noun} has one`);
  }
  const { rows, skipWhen, inherit } = readRows(top.get('rows'));
  if ((rows.form !== 'single' && rows.form !== 'same') || inherit.size > 0) {
    throw (top.get('rows') ?? node).fault(`expected only "same" and "skip_when" in a map of ${table}`);
  }
  const same = rows.form === 'same' ? rows.column : undefined;
  return {
    ...readTable(top, source, [rules.get('external_id')?.column, ...skipWhen.map(({ column }) => column), same]),
    skipWhen,
    table,
    same,
    members: rules,
  };
}

function toProductsMap(top: TopTable, source: string): ImportMap {
  const productNode = top.required(
    'product',
    'it says which columns a product is made of (or "order", or "collection")',
  );
  const members = membersOf<ProductMember>('products');
  const product = readRules(productNode.table(members, membersExpected), members);
  for (const name of ['external_id', 'title'] as const) {
    if (!product.has(name)) throw productNode.fault(`expected a member "${name}": every product has one`);
  }
  const { rows, skipWhen, inherit } = readRows(top.get('rows'));
  const variant = top.get('variant');
  const variantsFile = top.get('variants_file');
  const needed = [
    product.get('external_id')?.column,
    product.get('title')?.column,
    ...skipWhen.map(({ column }) => column),
    ...columnsOf(rows),
  ];
  if (variantsFile && rows.form !== 'single') {
    throw variantsFile.fault('expected no "rows" that group variants beside it: they are in the second file');
  }
  return {
    ...readTable(top, source, needed),
    skipWhen,
    rows,
    inherit,
    product,
    variant: variant && readVariant(variant),
    variantsFile: variantsFile && readVariantsFile(variantsFile),
  };
}

const baseName = (path: string): string => (path.split(/[/\\]/).at(-1) ?? path).replace(/\.ya?ml$/i, '');

/** A list of columns, each of which may be a list of names. */
const readColumns = (node: MapNode): readonly ColumnReference[] => node.items('a list of columns').map(readColumn);

function readColumn(node: MapNode): ColumnReference {
  const names = node.isList ? node.items(columnExpected) : [node];
  return names.map((name) => {
    const text = name.text(columnExpected).trim();
    if (text.length > 200) throw name.refuse('the name of a column, of at most 200 characters');
    return text;
  });
}

function readDelimiter(node: MapNode | undefined): string | undefined {
  if (node === undefined) return undefined;
  const expected = 'comma, semicolon, tab, pipe or one character such as ~';
  const delimiter = delimiterNamed(node.text(expected));
  if (delimiter === undefined) throw node.refuse(expected);
  return delimiter;
}

function readDateFormat(node: MapNode | undefined): LocalDateFormat | undefined {
  if (node === undefined) return undefined;
  try {
    return parseDateFormat(node.text('a date format such as DD/MM/YYYY'));
  } catch {
    throw node.refuse(
      'a date format such as DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, with a time zone if it is not UTC: "DD/MM/YYYY +02:00"',
    );
  }
}

function readCondition(node: MapNode): Condition {
  const table = node.table(['column', 'is', 'filled'], 'a condition such as { column: Type, is: [Product] }');
  const column = readColumn(table.required('column', 'the column that decides'));
  const words = table.get('is');
  const filled = table.get('filled');
  if ((words === undefined) === (filled === undefined))
    throw node.fault('expected one of the members "is" and "filled"');
  return {
    column,
    words:
      words && new Set((words.isList ? words.items('words') : [words]).map((word) => toKey(word.anyText('a word')))),
    isFilled: filled === undefined || filled.oneOf(['true', 'false']) === 'true',
  };
}

const toKey = (word: string): string => word.trim().toLowerCase();

const readFlag = (node: MapNode | undefined): boolean => node?.oneOf(['true', 'false']) === 'true';

const rowMembers = ['skip_when', 'inherit', 'product_when', 'variant_when', 'image_when', 'first_is_variant', 'same', 'parent', 'children'] as const; // prettier-ignore

function readRows(node: MapNode | undefined): {
  rows: RowRule;
  skipWhen: readonly Condition[];
  inherit: ReadonlySet<VariantMember>;
} {
  if (node === undefined) return { rows: { form: 'single' }, skipWhen: [], inherit: new Set() };
  const table = node.table(rowMembers, 'what rows are, such as { same: Handle }');
  const forms = (['product_when', 'same', 'parent', 'children'] as const).filter((name) => table.has(name));
  if (forms.length > 1)
    throw node.fault(`expected one of the members ${forms.join(' and ')}: each is another way to group rows`);
  for (const name of ['variant_when', 'image_when', 'first_is_variant'] as const) {
    if (table.has(name) && forms[0] !== 'product_when') throw node.fault(`expected "product_when" beside "${name}"`);
  }
  const skip = table.get('skip_when');
  return {
    rows: toRowRule(table),
    skipWhen: skip === undefined ? [] : (skip.isList ? skip.items('conditions') : [skip]).map(readCondition),
    inherit: new Set(
      table
        .get('inherit')
        ?.items('members of variants')
        .map((member) => member.oneOf(inheritable)) ?? [],
    ),
  };
}

const inheritable = ['price', 'compare_at_price', 'cost_price', 'inventory_quantity', 'weight', 'weight_unit', 'image_url', 'barcode', 'sku'] as const; // prettier-ignore

function toRowRule(table: MapTable<(typeof rowMembers)[number]>): RowRule {
  const [productWhen, same, parent, children] = (['product_when', 'same', 'parent', 'children'] as const).map((name) =>
    table.get(name),
  );
  if (productWhen) {
    const [variantWhen, imageWhen] = (['variant_when', 'image_when'] as const).map((name) => table.get(name));
    return {
      form: 'below',
      productWhen: readCondition(productWhen),
      variantWhen: variantWhen && readCondition(variantWhen),
      imageWhen: imageWhen && readCondition(imageWhen),
      firstIsVariant: readFlag(table.get('first_is_variant')),
    };
  }
  if (same) return { form: 'same', column: readColumn(same) };
  if (parent) {
    const named = parent.table(['column', 'names'], 'such as { column: Parent, names: SKU }');
    return {
      form: 'parent',
      column: readColumn(named.required('column', 'it holds, in the row of a variant, the product')),
      names: readColumn(named.required('names', 'the column of the product that is named')),
    };
  }
  if (children) {
    const listed = children.table(
      ['column', 'names', 'labels'],
      'such as { column: configurable_variations, names: sku }',
    );
    const labels = listed.get('labels');
    return {
      form: 'children',
      column: readColumn(listed.required('column', 'it lists, in the row of a product, its variants')),
      names: readColumn(listed.required('names', 'the column of the variants that is listed')),
      labels: labels && readColumn(labels),
    };
  }
  return { form: 'single' };
}

const columnsOf = (rows: RowRule): readonly ColumnReference[] =>
  rows.form === 'below'
    ? [rows.productWhen.column]
    : rows.form === 'same'
      ? [rows.column]
      : rows.form === 'single'
        ? []
        : [rows.column, rows.names];

/** What rules can be for: all columns but the options, whose rule has forms of its own. */
const membersOf = <Member extends string>(table: ObjectTable): readonly Member[] =>
  importedColumnsOf(table).flatMap(({ name, kind }) => (kind === 'options' ? [] : [name as Member]));

const membersExpected = 'members with their columns, such as { title: Name }';

function readRules<Member extends string>(
  table: MapTable<NoInfer<Member>>,
  members: readonly Member[],
  isJoined = false,
): ReadonlyMap<Member, ValueRule> {
  return new Map(
    members.flatMap((member): [Member, ValueRule][] => {
      const rule = table.get(member);
      return rule === undefined ? [] : [[member, readRule(rule, member, isJoined)]];
    }),
  );
}

const ruleMembers = ['column', 'join', 'value', 'words', 'separator', 'until', 'behind_last', 'prefix', 'html', 'when', 'sale', 'sale_when', 'sale_from', 'sale_to', 'tax_percent', 'add'] as const; // prettier-ignore
type RuleTable = MapTable<(typeof ruleMembers)[number]>;

const plainRule = {
  joined: [], value: undefined, words: undefined, separator: undefined, until: undefined, behindLast: undefined, prefix: undefined, isHtml: false,
  when: undefined, sale: undefined, saleWhen: undefined, saleFrom: undefined, saleTo: undefined, taxPercent: undefined, add: undefined,
} as const; // prettier-ignore

function readRule(node: MapNode, member: string, isJoined: boolean): ValueRule {
  if (node.isText || node.isList) return { ...plainRule, column: readColumn(node) };
  const table = node.table(ruleMembers, `${columnExpected}; or a table such as { column: Name }`);
  const [column, join, value, add] = (['column', 'join', 'value', 'add'] as const).map((name) => table.get(name));
  if ([column, join, value].filter((one) => one !== undefined).length !== (add ? 0 : 1)) {
    throw node.fault(
      add
        ? 'expected "add" without "column", "join" and "value"'
        : 'expected one of the members "column", "join" and "value"',
    );
  }
  const [first, ...joined] = join ? readColumns(join) : [];
  const onlyOf = (name: keyof typeof onlyFor): MapNode | undefined => {
    const found = table.get(name);
    if (found && !onlyFor[name].includes(member))
      throw found.fault(`is not a member for ${member}, only for ${onlyFor[name].join(', ')}`);
    if (found && name.startsWith('sale_') && !table.has('sale')) throw node.fault(`expected "sale" beside "${name}"`);
    return found;
  };
  if (onlyOf('add') && !isJoined) throw node.fault('expected "add" only in the variants of a variants_file');
  const [sale, saleWhen, saleFrom, saleTo, taxPercent] = (
    ['sale', 'sale_when', 'sale_from', 'sale_to', 'tax_percent'] as const
  ).map(onlyOf);
  const when = table.get('when');
  return {
    column: column ? readColumn(column) : first,
    joined,
    value: value && checkedValue(value, member),
    words: readWords(table, member),
    separator: readText(table.get('separator'), 'the text between the parts of a list, or whitespace'),
    until: readText(table.get('until'), 'the text at which the value ends'),
    behindLast: readText(table.get('behind_last'), 'the text behind which the value begins'),
    prefix: readText(table.get('prefix'), 'the text to put in front'),
    isHtml: readFlag(table.get('html')),
    when: when && readCondition(when),
    sale: sale && readColumn(sale),
    saleWhen: saleWhen && readCondition(saleWhen),
    saleFrom: saleFrom && readColumn(saleFrom),
    saleTo: saleTo && readColumn(saleTo),
    taxPercent: taxPercent && readPercent(taxPercent),
    add: add && readColumn(add),
  };
}

const onlyFor = {
  sale: ['price'],
  sale_when: ['price'],
  sale_from: ['price'],
  sale_to: ['price'],
  tax_percent: ['price', 'compare_at_price', 'cost_price'],
  add: ['price', 'weight'],
} satisfies Readonly<Record<string, readonly string[]>>;

/** Text that may be a space. */
function readText(node: MapNode | undefined, expected: string): string | undefined {
  const text = node?.anyText(expected);
  if (node && text === '') throw node.refuse(expected);
  return text;
}

function readPercent(node: MapNode): string {
  const expected = 'a percentage from 0 to 1000, such as 20';
  const text = node.text(expected);
  if (!/^\d{1,3}(?:\.\d{1,4})?$/.test(text)) throw node.refuse(expected);
  return text;
}

function readWords(table: RuleTable, member: string): ReadonlyMap<string, string> | undefined {
  const words = table.get('words');
  if (words === undefined) return undefined;
  const found = new Map<string, string>();
  for (const [word, meaning] of words.entries('words of the cell and what they mean, such as { Yes: ACTIVE }')) {
    if (found.has(toKey(word))) throw meaning.fault(`${JSON.stringify(word)} appears twice: case is ignored`);
    const text = meaning.anyText('text');
    found.set(toKey(word), text === '' ? '' : checkedValue(meaning, member));
  }
  return found;
}

/** Values that a map itself gives are checked when the map is read. */
function checkedValue(node: MapNode, member: string): string {
  const text = node.text('text');
  switch (member) {
    case 'status':
      return node.oneOf(productStatuses);
    case 'published_at':
      return node.oneOf(['true', 'false']);
    case 'price':
    case 'compare_at_price':
    case 'cost_price':
    case 'weight':
      try {
        return parseDecimal(text, new SourceLocation('', 0));
      } catch {
        throw node.refuse('a decimal number such as 19.90');
      }
    case 'currency':
      try {
        return checkCurrency(text, new SourceLocation('', 0));
      } catch {
        throw node.refuse('a currency code of three capital letters such as EUR');
      }
    case 'published':
      return node.oneOf(['true', 'false']);
    case 'inventory_quantity':
    case 'position':
    case 'items_count':
    case 'products_count':
      if (!/^-?\d{1,9}$/.test(text)) throw node.refuse('a whole number');
      return text;
    default:
      return text;
  }
}

function readVariant(node: MapNode, isJoined = false): VariantRules {
  const members = membersOf<VariantMember>('variants');
  const table = node.table([...members, 'options'], membersExpected);
  const options = table.get('options');
  return { members: readRules(table, members, isJoined), options: options && readOptions(options) };
}

function readVariantsFile(node: MapNode): VariantsFile {
  const table = node.table(['title', 'recognised_by', 'product', 'variant'], 'a second file with variants');
  const product = readColumn(table.required('product', 'the column that names the product, by its external_id'));
  const recognisedBy = table.get('recognised_by');
  return {
    title: table.get('title')?.text('what the file is called') ?? 'the file of the variants',
    product,
    recognisedBy: recognisedBy ? readColumns(recognisedBy) : [product],
    ...readVariant(table.required('variant', 'it says which columns a variant is made of'), true),
  };
}

const optionsExpected =
  'options: a list such as [{ name: Size, column: Size }], or a table with "values", or with "column"';

function readOptions(node: MapNode): OptionRule {
  if (node.isList) {
    const options = node.items(optionsExpected).map((item) => {
      const table = item.table(['name', 'column'], 'such as { name: Size, column: Size }');
      return {
        name: table.required('name', 'what the option is called').text('a name'),
        column: readColumn(table.required('column', 'where its value is')),
      };
    });
    return { form: 'fixed', options };
  }
  const table = node.table(
    ['names', 'values', 'column', 'separator', 'between', 'start', 'name', 'value', 'until'],
    optionsExpected,
  );
  const text = (name: Parameters<typeof table.get>[0], fallback: string): string => {
    const found = table.get(name);
    const given = found?.anyText('text') ?? fallback;
    if (given === '') throw (found ?? node).refuse('text');
    return given;
  };
  const until = table.has('until') ? text('until', ',') : undefined;
  const values = table.get('values');
  if (values) {
    const [readValues, names] = [readColumn(values), table.get('names')];
    const isNumbered = readValues.some((name) => name.includes('{n}'));
    if (isNumbered) return { form: 'numbered', names: names && readColumn(names), values: readValues, until };
    if (!table.has('separator'))
      throw node.fault(
        'expected "{n}" in the names of the columns, for columns that are numbered, or a "separator", for lists',
      );
    const listed = readColumn(table.required('names', 'the column of the names'));
    return { form: 'lists', names: listed, values: readValues, separator: text('separator', ','), until };
  }
  const column = readColumn(table.required('column', optionsExpected));
  const separator = text('separator', ',');
  if (table.has('start')) {
    return {
      form: 'marked',
      column,
      start: text('start', ''),
      name: text('name', 'Name='),
      value: text('value', 'Value='),
      separator,
      until,
    };
  }
  return { form: 'pairs', column, separator, between: text('between', '='), until };
}
