import {
  importedColumnsOf,
  type Column,
  type ColumnKind,
  type ObjectTable,
  type VariantOption,
} from '../../catalog/model';
import { once } from '../../common/once';
import type {
  CollectionValues,
  OrderValues,
  ProductValues,
  UnpositionedVariant,
  VariantValues,
} from '../formats/record';
import { ObjectRules, type Provider, type Rule, type Rules } from '../formats/rules';
import { titleOf } from '../formats/shopify-product';
import { isZero, lessPercent } from '../values/decimal-sum';
import { positionBounds, safeBounds } from '../values/whole-number';
import {
  countOf,
  type ColumnReference,
  type ImportMap,
  type ObjectsMap,
  type ValueRule,
  type VariantRules,
} from './import-map';
import { optionColumns } from './map-options';
import { keyOf, type MappedRow } from './mapped-row';

/** Texts that are read without the whitespace around them. */
const trimmed: ReadonlySet<string> = new Set(['image_url', 'weight_unit']);

type ReadCells = (row: MappedRow, rule: ValueRule | undefined, column: Column) => unknown;

/** How the cells of a map's rule are read, by the kind of our column. */
const readers: Readonly<Record<Exclude<ColumnKind, 'key' | 'derived' | 'options'>, ReadCells>> = {
  externalId: (row, rule) => row.indexed(rule),
  indexed: (row, rule) => row.indexed(rule),
  text: (row, rule, { name }) => (trimmed.has(name) ? row.value(rule) : row.text(rule)),
  status: (row, rule) => row.status(rule),
  currency: (row, rule) => row.currency(rule),
  decimal: (row, rule) => row.decimal(rule),
  tags: (row, rule) => row.list(rule),
  flag: (row, rule) => row.flag(rule),
  count: (row, rule) => row.count(rule),
  quantity: (row, rule) => row.wholeNumber(rule, safeBounds),
  position: (row, rule) => row.wholeNumber(rule, positionBounds),
  timestamp: (row, rule) => row.timestamp(rule),
};

export const columnsOfRule = ({
  column,
  joined,
  when,
  sale,
  saleWhen,
  saleFrom,
  saleTo,
  add,
}: ValueRule): readonly ColumnReference[] =>
  [column, ...joined, when?.column, sale, saleWhen?.column, saleFrom, saleTo, add].filter((one) => one !== undefined);

/** Whether a file has what a rule needs; a value that is the same in all rows is in every file. */
const hasRule = (rule: ValueRule | undefined, file: Provider): boolean =>
  rule !== undefined &&
  (rule.column === undefined || [rule.column, ...rule.joined].some((column) => file.provides(keyOf(column))));

/** What the rules of some columns are instead of what the map and the kind of the column say. */
type Own<Around> = Readonly<Record<string, Partial<Rule<MappedRow, unknown, Around>>>>;

function rulesOf<Values, Around>(
  table: ObjectTable,
  members: ReadonlyMap<string, ValueRule>,
  own: Own<Around>,
  prefix?: { readonly field: string },
): ObjectRules<MappedRow, Values, Around> {
  const rules = importedColumnsOf(table).map(({ name, kind }) => {
    const rule = members.get(name);
    const ofMap: Rule<MappedRow, unknown, Around> = {
      names: rule ? columnsOfRule(rule).map(keyOf) : [],
      read: (row, column) => readers[kind as keyof typeof readers](row, rule, column),
      isProvided: (file) => hasRule(rule, file),
    };
    return [name, { ...ofMap, ...own[name] }];
  });
  return new ObjectRules(table, Object.fromEntries(rules) as Rules<MappedRow, Values, Around>, prefix);
}

const isAlways = { isProvided: () => true };

/** The title of an object, which is a problem where it is missing. */
function titleIn(row: MappedRow, rule: ValueRule | undefined, expected: string): string {
  const title = row.text(rule);
  if (title === null) row.cells.report(row.at(rule?.column).refuse('', expected));
  return title ?? '';
}

type Published = Pick<ProductValues, 'published' | 'published_at'>;

/** How the products of a map are read. */
export function mapProducts(members: ImportMap['product']) {
  const rules = rulesOf<Omit<ProductValues, 'published'>, () => Published>('products', members, {
    title: { read: (row) => titleIn(row, members.get('title'), 'a title on the row of each product') },
    published_at: { read: (_row, _column, published) => published().published_at },
  });
  return {
    rules,
    read(row: MappedRow): ProductValues {
      const published = once(() => row.published(members.get('published_at')));
      return { ...rules.read(row, published), published: published().published };
    },
  };
}

interface AroundVariant {
  readonly options: readonly VariantOption[];
  readonly price: string | null;
  readonly compareAt: string | null;
  readonly weight: string | null;
}

/** How the variants of a map are read. */
export function mapVariants({ members, options }: VariantRules) {
  const [price, compareAt, weight] = (['price', 'compare_at_price', 'weight'] as const).map((name) =>
    members.get(name),
  );
  const lacksSale = (file: Provider): boolean => price?.sale !== undefined && !file.provides(keyOf(price.sale));
  const rules = rulesOf<Omit<VariantValues, 'external_id'> & Pick<UnpositionedVariant, 'external_id'>, AroundVariant>(
    'variants',
    members,
    {
      title: { ...isAlways, read: (row, _, around) => row.text(members.get('title')) ?? titleOf(around.options) },
      // A leading apostrophe keeps spreadsheets from turning the digits into a number.
      barcode: { read: (row) => row.value(members.get('barcode'))?.replace(/^'/, '') ?? null },
      price: {
        read: (_row, _, around) => around.price,
        isProvided: (file) => hasRule(price, file) && !lacksSale(file),
      },
      compare_at_price: {
        read: (_row, _, around) => around.compareAt,
        isProvided: (file) =>
          !lacksSale(file) && (hasRule(compareAt, file) || (hasRule(price, file) && price?.sale !== undefined)),
      },
      cost_price: { read: (row) => taxed(row.decimal(members.get('cost_price')), members.get('cost_price')) },
      weight: { read: (_row, _, around) => around.weight },
      weight_unit: {
        read: (row, _, around) => (around.weight === null ? null : row.value(members.get('weight_unit'))),
        isProvided: (file) => hasRule(weight, file) && hasRule(members.get('weight_unit'), file),
      },
      position: isAlways,
      options: {
        ...isAlways,
        names: options ? optionColumns(options, new Set()).map(keyOf) : [],
        read: (_row, _, around) => around.options,
      },
    },
    { field: 'variants.' },
  );
  return {
    rules,
    hasTitle: (file: Provider): boolean => hasRule(members.get('title'), file),
    /** The column without which no price of a stored variant is replaced, where the file lacks it. */
    missingSale: (file: Provider): ColumnReference | undefined =>
      hasRule(price, file) && lacksSale(file) ? price?.sale : undefined,
    read(row: MappedRow, found: readonly VariantOption[]): UnpositionedVariant {
      const around = { options: found, ...toPrices(row, price, compareAt), weight: row.decimal(weight) };
      return {
        line: row.line,
        ...rules.read(row, around),
        ...(price?.add && { addPrice: taxed(row.decimalOf(price.add, price), price) }),
        ...(weight?.add && { addWeight: row.decimalOf(weight.add, weight) }),
      };
    },
  };
}

export type MappedVariants = ReturnType<typeof mapVariants>;

/** A sale price of zero is not a sale: exports write 0.00 where there is none. */
function toPrices(
  row: MappedRow,
  rule: ValueRule | undefined,
  compare: ValueRule | undefined,
): Pick<AroundVariant, 'price' | 'compareAt'> {
  const regular = taxed(row.decimal(rule), rule);
  const other = taxed(row.decimal(compare), compare);
  const sale = row.decimalOf(rule?.sale, rule);
  const isNone = sale === null || isZero(sale) || (rule?.saleWhen && !row.holds(rule.saleWhen));
  const { sales, cells } = row;
  const { price, full } = sales.pricesOf(
    regular,
    isNone ? null : taxed(sale, rule),
    rule?.saleFrom ? cells.parsed(keyOf(rule.saleFrom), sales.hasBegun) : null,
    rule?.saleTo ? cells.parsed(keyOf(rule.saleTo), sales.hasEnded) : null,
  );
  return { price, compareAt: full ?? other };
}

const taxed = (amount: string | null, rule: ValueRule | undefined): string | null =>
  amount === null || rule?.taxPercent === undefined ? amount : lessPercent(amount, `-${rule.taxPercent}`);

interface AroundObject {
  readonly id: string;
  readonly count: bigint;
}

/** The rules of the orders, or collections, of a map. */
export function mapObjects({ table, members, same }: ObjectsMap) {
  const counted = countOf[table];
  const upperCase = (member: string) => ({
    read: (row: MappedRow) => row.indexed(members.get(member))?.toUpperCase() ?? null,
  });
  return rulesOf<OrderValues & CollectionValues, AroundObject>(table, members, {
    external_id: { read: (_row, _, { id }) => id },
    [counted]: {
      read: (_row, _, { count }) => String(count),
      ...(!members.has(counted) && { isProvided: () => same !== undefined }),
    },
    ...(table === 'orders'
      ? {
          order_number: { ...isAlways, read: (row, _, { id }) => row.text(members.get('order_number')) ?? id },
          financial_status: upperCase('financial_status'),
          fulfillment_status: upperCase('fulfillment_status'),
        }
      : {
          title: { read: (row) => titleIn(row, members.get('title'), 'a title of each collection') },
          published: { read: (row) => row.flag(members.get('published')) ?? true },
          collection_type: { read: (row) => row.indexed(members.get('collection_type')) ?? 'manual' },
        }),
  });
}
