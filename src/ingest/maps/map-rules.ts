import { importedColumnsOf, type ObjectTable, type VariantOption } from '../../catalog/model';
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
import { isZero, lessPercent } from '../values/numbers';
import { namesOf } from './map-node';
import type { MappedRow } from './mapped-row';
import type { ValueRule, ValueRules, VariantRules } from './read-map';

/** Whether a file has what a rule needs; a value that is the same in all rows is in every file. */
const isThere = (rule: ValueRule | undefined, file: Provider): boolean =>
  rule !== undefined && (rule.columns.length === 0 || rule.columns.some((column) => file.provides(column)));

/** What the rules of some columns are instead of what the map and the kind of the column say. */
type Own<Around> = Readonly<Record<string, Partial<Rule<MappedRow, unknown, Around>>>>;

function rulesOf<Values, Around>(table: ObjectTable, members: ValueRules, own: Own<Around>) {
  const rules = importedColumnsOf(table).map(({ name }) => {
    const rule = members.get(name);
    const ofMap: Rule<MappedRow, unknown, Around> = {
      names: [],
      read: (row, column) => row.read(rule, column),
      isProvided: (file) => isThere(rule, file),
    };
    return [name, { ...ofMap, ...own[name] }];
  });
  return new ObjectRules<MappedRow, Values, Around>(table, Object.fromEntries(rules) as Rules<MappedRow, Values, Around>); // prettier-ignore
}

const isAlways = { isProvided: () => true };

/** The title of an object, which is a problem where it is missing. */
const titleIn = (members: ValueRules, expected: string) => ({
  read(row: MappedRow): string {
    const title = row.text(members.get('title'));
    if (title === null) row.cells.report(row.at(members.get('title')).refuse('', expected));
    return title ?? '';
  },
});

/** How the products of a map are read. */
export function mapProducts(members: ValueRules) {
  const published = members.get('published_at');
  const rules = rulesOf<Omit<ProductValues, 'published'>, () => ReturnType<MappedRow['published']>>(
    'products',
    members,
    {
      title: titleIn(members, 'a title on the row of each product'),
      published_at: { read: (_row, _column, found) => found().published_at },
    },
  );
  return {
    rules,
    read(row: MappedRow): ProductValues {
      const found = once(() => row.published(published));
      return { ...rules.read(row, found), published: found().published };
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
export function mapVariants({ members, options: _ }: VariantRules) {
  const of = (name: string): ValueRule | undefined => members.get(name);
  const [price, compareAt, weight] = ['price', 'compare_at_price', 'weight'].map(of);
  const lacksSale = (file: Provider): boolean => price?.sale !== undefined && !file.provides(price.sale);
  const rules = rulesOf<Omit<VariantValues, 'external_id'> & Pick<UnpositionedVariant, 'external_id'>, AroundVariant>(
    'variants',
    members,
    {
      title: { ...isAlways, read: (row, _, around) => row.text(of('title')) ?? titleOf(around.options) },
      // A leading apostrophe keeps spreadsheets from turning the digits into a number.
      barcode: { read: (row) => row.value(of('barcode'))?.replace(/^'/, '') ?? null },
      price: { read: (_row, _, around) => around.price, isProvided: (file) => isThere(price, file) && !lacksSale(file) },
      compare_at_price: {
        read: (_row, _, around) => around.compareAt,
        isProvided: (file) =>
          !lacksSale(file) && (isThere(compareAt, file) || (isThere(price, file) && price?.sale !== undefined)),
      },
      cost_price: { read: (row) => taxed(row.parsed(of('cost_price'), 'decimal'), of('cost_price')) },
      weight: { read: (_row, _, around) => around.weight },
      weight_unit: {
        read: (row, _, around) => (around.weight === null ? null : row.value(of('weight_unit'))),
        isProvided: (file) => isThere(weight, file) && isThere(of('weight_unit'), file),
      },
      position: isAlways,
      options: { ...isAlways, read: (_row, _, around) => around.options },
    },
  ); // prettier-ignore
  return {
    /** The members that a file lacks. Prices that may be those of a sale are kept, with a warning. */
    absentFrom(file: Provider, warn: (text: string) => void): readonly (keyof VariantValues)[] {
      if (price?.sale !== undefined && isThere(price, file) && lacksSale(file))
        warn(`without a column ${JSON.stringify(namesOf(price.sale)[0])} the prices of variants that are stored were kept`); // prettier-ignore
      return rules.absentFrom([file]);
    },
    read(row: MappedRow, options: readonly VariantOption[]): UnpositionedVariant {
      const around = { options, ...toPrices(row, price, compareAt), weight: row.parsed(weight, 'decimal') };
      return {
        line: row.line,
        ...rules.read(row, around),
        ...(price?.add !== undefined && { addPrice: taxed(row.decimalOf(price.add, price), price) }),
        ...(weight?.add !== undefined && { addWeight: row.decimalOf(weight.add, weight) }),
      };
    },
  };
}

/** A sale price of zero is not a sale: exports write 0.00 where there is none. */
function toPrices(
  row: MappedRow,
  rule: ValueRule | undefined,
  compare: ValueRule | undefined,
): Pick<AroundVariant, 'price' | 'compareAt'> {
  const [regular, other] = [rule, compare].map((one) => taxed(row.parsed(one, 'decimal'), one));
  const found = row.decimalOf(rule?.sale, rule);
  const isNone = found === null || isZero(found) || (rule?.sale_when && !row.holds(rule.sale_when));
  const { sales, cells } = row;
  const { price, full } = sales.pricesOf(
    regular ?? null,
    isNone ? null : taxed(found, rule),
    rule?.sale_from === undefined ? null : cells.parsed(rule.sale_from, sales.hasBegun),
    rule?.sale_to === undefined ? null : cells.parsed(rule.sale_to, sales.hasEnded),
  );
  return { price, compareAt: full ?? other ?? null };
}

const taxed = (amount: string | null, rule: ValueRule | undefined): string | null =>
  amount === null || rule?.tax_percent === undefined ? amount : lessPercent(amount, `-${rule.tax_percent}`);

/** The tables of objects without inner ones, with the member that is counted: items, or products. */
export const countOf = { order: 'items_count', collection: 'products_count' } as const;

/** The rules of the orders, or collections, of a map; what is counted in several rows is not known yet. */
export function mapObjects(kind: keyof typeof countOf, members: ValueRules, isCounted: boolean) {
  const counted = countOf[kind];
  const indexed = (name: string) => (row: MappedRow) => row.parsed(members.get(name), 'indexed');
  const upperCase = (name: string) => ({ read: (row: MappedRow) => indexed(name)(row)?.toUpperCase() ?? null });
  return rulesOf<OrderValues & CollectionValues, string>(`${kind}s`, members, {
    external_id: { read: (_row, _, id) => id },
    [counted]: {
      read: () => '0',
      ...(!members.has(counted) && { isProvided: () => isCounted }),
    },
    ...(kind === 'order'
      ? {
          order_number: { ...isAlways, read: (row, _, id) => row.text(members.get('order_number')) ?? id },
          financial_status: upperCase('financial_status'),
          fulfillment_status: upperCase('fulfillment_status'),
        }
      : {
          title: titleIn(members, 'a title of each collection'),
          published: { read: (row) => row.parsed(members.get('published'), 'flag') ?? true },
          collection_type: { read: (row) => indexed('collection_type')(row) ?? 'manual' },
        }),
  });
}
