import {
  importedColumnsOf,
  productStatuses,
  type ObjectTable,
  type ProductStatus,
  type StoredImage,
  type VariantOption,
} from '../../catalog/model';
import type {
  CollectionValues,
  OrderValues,
  ProductValues,
  UnpositionedVariant,
  VariantOfRow,
  VariantValues,
} from '../formats/record';
import {
  absent,
  from,
  ObjectRules,
  upperCase,
  type Parse,
  type Provider,
  type Rule,
  type Rules,
} from '../formats/rules';
import { toMemberships } from '../formats/lists';
import { parseBoolean, requireBoolean } from '../values/boolean';
import type { SourceLocation } from '../values/import-error';
import { checkIndexedText } from '../values/text';
import { addDecimals, isZero, lessPercent, positionBounds, subtractDecimals } from '../values/numbers';
import { listedPosition, toOptions } from './map-options';
import { numbered } from './map-node';
import type { MappedRow } from './mapped-row';
import type { ValueRule, ValueRules, VariantRules, Words } from './read-map';

/** Whether a file provides what a rule needs. A constant needs nothing. */
const isThere = (rule: ValueRule | undefined, file: Provider): boolean =>
  rule !== undefined && (rule.columns.length === 0 || rule.columns.some((column) => file.provides(column)));

const hasImages = (rule: ValueRule | undefined, file: Provider): boolean =>
  rule?.columns.flatMap(numbered).some((column) => file.provides(column)) === true;

/** Rules of some columns that override the map and the kind of the column. */
type Own<Around> = Readonly<Record<string, Partial<Rule<MappedRow, unknown, Around>>>>;

function rulesOf<Values, Around>(table: ObjectTable, members: ValueRules, own: Own<Around>) {
  const rules = importedColumnsOf(table).map(({ name, kind }) => {
    if (kind === 'list' && !own[name]) return [name, absent()];
    const ofMap = { ...from(name), isProvided: (file: Provider) => isThere(members.get(name), file) };
    return [name, { ...ofMap, ...own[name] }];
  });
  return new ObjectRules<MappedRow, Values, Around>(table, Object.fromEntries(rules) as Rules<MappedRow, Values, Around>); // prettier-ignore
}

const isAlways = { isProvided: () => true };

function parseStatus(word: string, location: SourceLocation, words: Words | undefined): ProductStatus {
  const isShown = parseBoolean(word);
  if (isShown !== undefined) return isShown ? 'ACTIVE' : 'DRAFT';
  const status = productStatuses.find((known) => known === word.toUpperCase());
  if (status !== undefined) return status;
  throw location.refuse(
    word,
    `one of ${[...(words?.keys() ?? productStatuses)].map((known) => JSON.stringify(known)).join(', ')}`,
  );
}

const parseFlag: Parse<boolean> = (word, location) =>
  requireBoolean(word, location, '"true", "false" or a key of "words"');

/** How the products of a map are read. */
export function mapProducts(members: ValueRules) {
  const pictures = members.has('images') ? 'images' : 'image_url';
  const rules = rulesOf<Omit<ProductValues, 'published'>, undefined>('products', members, {
    title: { read: (row) => row.requiredText('title', 'a title on the row of each product') },
    status: {
      read: (row) =>
        row.parsed('status', (word, at) => parseStatus(word, at, members.get('status')?.words)) ?? 'ACTIVE',
    },
    published_at: { read: (row) => row.published().published_at },
    // If only one of the two has a rule, `images` is the list of `image_url`, or `image_url` the first of `images`.
    image_url: { isProvided: (file) => hasImages(members.get('image_url') ?? members.get('images'), file) },
    images: { read: (row) => row.images(pictures), isProvided: (file) => hasImages(members.get(pictures), file) },
    memberships: {
      read: (row) =>
        toMemberships(
          row.collections().map(({ id }) => id),
          row.place(),
        ),
      isProvided: (file) => isThere(members.get('collections'), file),
    },
  });
  return {
    rules,
    images: (row: MappedRow): readonly StoredImage[] => row.by(members).images(pictures),
    read: (row: MappedRow): ProductValues => ({ ...rules.read(row, undefined), published: row.published().published }),
  };
}

interface AroundVariant {
  readonly options: readonly VariantOption[];
  readonly price: string | null;
  readonly compareAt: string | null;
  readonly weight: string | null;
  readonly position: string | null;
}

/** How the variants of a map are read. */
export function mapVariants({ members, options: optionRule }: VariantRules) {
  const [price, compareAt, weight, unit] = ['price', 'compare_at_price', 'weight', 'weight_unit'].map((name) => members.get(name)); // prettier-ignore
  const hasFull = (file: Provider): boolean => price?.sale !== undefined || (price?.discount !== undefined && file.provides(price.discount.column)); // prettier-ignore
  const lacksSale = (file: Provider): boolean => price?.sale !== undefined && !file.provides(price.sale);
  const taxed = (amount: string | null, name: string): string | null => {
    const percent = members.get(name)?.tax_percent;
    return amount === null || percent === undefined ? amount : lessPercent(amount, `-${percent}`);
  };
  /** A value plus the surcharge; a blank value defaults to that of the product's row. */
  const amountOf = (row: MappedRow, first: MappedRow, name: 'price' | 'weight'): string | null => {
    const { add, columns: { length } = [] } = members.get(name) ?? {};
    const own = row.decimal(name);
    if (add === undefined || length === 0) return own;
    const [base, more] = [own ?? first.decimal(name), row.decimalOf(add, name)];
    return base === null || more === null ? base : addDecimals(base, more);
  };
  /** The price after the product's discount; undefined without a discount. */
  const reduced = (amount: string, { cells, decimalOf }: MappedRow): string | undefined => {
    const { discount } = price ?? {};
    const value = discount && decimalOf(discount.column, 'price');
    if (!discount || value == null || isZero(value)) return undefined;
    const unit = cells.trimmed(discount.unit)?.toUpperCase() ?? '';
    if (unit === 'PERCENT') return lessPercent(amount, value);
    if (unit === 'AMOUNT') return subtractDecimals(amount, value);
    cells.report(cells.at(discount.unit).refuse(unit, 'PERCENT or AMOUNT'));
    return undefined;
  };
  /** A sale price of zero is not a sale: exports write 0.00 where there is none. */
  const toPrices = (row: MappedRow, first: MappedRow): Pick<AroundVariant, 'price' | 'compareAt'> => {
    const [regular, other] = [taxed(amountOf(row, first, 'price'), 'price'), taxed(row.decimal('compare_at_price'), 'compare_at_price')]; // prettier-ignore
    const less = regular === null ? undefined : reduced(regular, first);
    if (less !== undefined) return { price: less, compareAt: regular };
    const { sale, sale_when: when, sale_from: from, sale_to: to } = price ?? {};
    const found = sale === undefined ? null : row.decimalOf(sale, 'price');
    const isNone = found === null || isZero(found) || (when && !row.holds(when));
    const { sales, cells } = row;
    const prices = sales.pricesOf(
      regular,
      isNone ? null : taxed(found, 'price'),
      from === undefined ? null : cells.parsed(from, sales.hasBegun),
      to === undefined ? null : cells.parsed(to, sales.hasEnded),
    );
    return { price: prices.price, compareAt: prices.full ?? other };
  };
  const rules = rulesOf<VariantOfRow, AroundVariant>(
    'variants',
    members,
    {
      external_id: { read: (row) => row.parsed('external_id', checkIndexedText) },
      title: { ...isAlways, read: (row) => row.text('title') },
      price: { read: (_row, _, around) => around.price, isProvided: (file) => isThere(price, file) && !lacksSale(file) },
      compare_at_price: {
        read: (_row, _, around) => around.compareAt,
        isProvided: (file) =>
          !lacksSale(file) && (isThere(compareAt, file) || (isThere(price, file) && hasFull(file))),
      },
      cost_price: { read: (row) => taxed(row.decimal('cost_price'), 'cost_price') },
      weight: { read: (_row, _, around) => around.weight },
      weight_unit: {
        read: (row, _, around) => (around.weight === null ? null : row.value('weight_unit')),
        isProvided: (file) => isThere(weight, file) && isThere(unit, file),
      },
      position: { ...isAlways, read: (row, _, around) => row.wholeNumber('position', positionBounds) ?? around.position },
      options: { ...isAlways, read: (_row, _, around) => around.options },
    },
  ); // prettier-ignore
  return {
    /** The members that a file lacks. */
    absentFrom: (file: Provider): readonly (keyof VariantValues)[] => rules.absentFrom([file]),
    /**
     * @param of the first row of its product
     * @param isVariant whether the row has options
     */
    read(given: MappedRow, of = given, isVariant = true): UnpositionedVariant {
      const [row, first] = [given.by(members), of.by(members)];
      const around = {
        options: isVariant ? toOptions(row, optionRule, first) : [],
        position: isVariant ? listedPosition(row, optionRule, first) : null,
        ...toPrices(row, first),
        weight: amountOf(row, first, 'weight'),
      };
      const isAdded = (rule: ValueRule | undefined): boolean => rule?.add !== undefined && rule.columns.length === 0;
      return {
        line: row.line,
        ...rules.read(row, around),
        ...(isAdded(price) && { addPrice: taxed(row.decimalOf(price?.add, 'price'), 'price') }),
        ...(isAdded(weight) && { addWeight: row.decimalOf(weight?.add, 'weight') }),
      };
    },
  };
}

/** The kinds of objects without inner ones, and their count: of items, or products. */
export const countOf = { order: 'items_count', collection: 'products_count' } as const;

/** The rules for the orders or collections of a map; counts over several rows are filled in later. */
export function mapObjects(kind: keyof typeof countOf, members: ValueRules, isCounted: boolean) {
  const counted = countOf[kind];
  const items = [...(members.get('line_items')?.items?.values() ?? [])];
  return rulesOf<OrderValues & CollectionValues, string>(`${kind}s`, members, {
    external_id: { read: (_row, _, id) => id },
    [counted]: {
      read: () => '0',
      ...(!members.has(counted) && { isProvided: () => isCounted }),
    },
    ...(kind === 'order'
      ? {
          line_items: {
            read: () => [],
            isProvided: (file) => items.some((rule) => rule.columns.length > 0 && isThere(rule, file)),
          },
          order_number: { ...isAlways, read: (row, _, id) => row.text('order_number') ?? id },
          financial_status: { read: upperCase<MappedRow>('financial_status').read },
          fulfillment_status: { read: upperCase<MappedRow>('fulfillment_status').read },
        }
      : {
          title: { read: (row) => row.requiredText('title', 'a title for each collection') },
          published: { read: (row) => row.parsed('published', parseFlag) ?? true },
          collection_type: { read: (row) => row.parsed('collection_type', checkIndexedText) ?? 'manual' },
        }),
  });
}
