import type { Sql } from '../../database/sql';
import { rawSql, sql } from '../../database/sql';
import type { KeysetList, KeysetRange, KeysetSection } from '../../relay/connection';
import type { ConditionsOf, NumberRange, ListPath, RangePath, SortKey } from '../rows/shop-list';
import {
  isGiven,
  toConditions,
  whereAnyOf,
  whereBetween,
  whereAmong,
  whereOverlaps,
  lastBigint,
  splitFilter,
  toEach,
  toEachCutText,
  toEachText,
  toListed,
  toRange,
  uuidsAmong,
} from '../rows/shop-list';
import type { RowList, ShopRows } from '../rows/shop-rows';
import type { RowOf } from '../rows/shop-tables';
import type { VariantFilter, VariantSortKey } from '../schema-inputs';

/** A variant as returned by ShopRows. */
export type VariantRow = RowOf<'variants'>;

/** The orders of a list of variants, by their names in the schema. Each has an index. */
export const sortKeys = {
  ID: { column: 'id', type: 'uuid', member: 'id' },
  UPDATED_AT: { column: 'updated_at', type: 'timestamptz', member: 'updatedAt' },
  PRICE: {
    column: "coalesce(item.price_value, 'Infinity'::numeric)",
    type: 'numeric',
    member: 'price',
    nullAs: 'infinity',
  },
  STOCK: {
    column: `coalesce(item.inventory_quantity, ${lastBigint})`,
    type: 'bigint',
    member: 'inventoryQuantity',
    nullAs: lastBigint,
  },
} as const satisfies Record<VariantSortKey, SortKey>;

/** The path to the variants that a filter selects, in the order of a key. */
function toVariantPath(filter: VariantFilter, sortKey: VariantSortKey): ListPath {
  const [{ updatedAt, price, inventoryQuantity }, others] = splitFilter(filter, indexedRange[sortKey]);
  return {
    indexConditions: [
      ...whereBetween('updated_at', updatedAt),
      ...costsBetween(price),
      ...hasStockBetween(inventoryQuantity),
    ],
    filters: toVariantConditions(others),
    terms: [],
    listedRanges: toListedRanges(filter),
    ranges: toRanges(filter),
    listed: filter.ids ? toListed({ ids: filter.ids }) : undefined,
  };
}

/** The ranges in the order of a sort key's index. */
const indexedRange = {
  ID: [],
  UPDATED_AT: ['updatedAt'],
  PRICE: ['price'],
  STOCK: ['inventoryQuantity'],
} as const satisfies Record<VariantSortKey, readonly (keyof VariantFilter)[]>;

const toListedRanges = ({ skuIn, barcodeIn, externalIds, productIds }: VariantFilter): readonly RangePath[] => [
  ...toEachCutText('sku', skuIn),
  ...toEachCutText('barcode', barcodeIn),
  ...toEachText('external_id', externalIds),
  ...(productIds ? [toEach(sql`${uuidsAmong(productIds)}::uuid[]`, 'product_id', ['position', 'id'])] : []),
];

const toRanges = ({ updatedAt, price, inventoryQuantity }: VariantFilter): readonly RangePath[] => [
  ...toRange(whereBetween('updated_at', updatedAt), ['updated_at', 'id']),
  ...toRange(costsBetween(price), [sortKeys.PRICE.column, 'id']),
  ...toRange(hasStockBetween(inventoryQuantity), [sortKeys.STOCK.column, 'id']),
];

/* The sort expressions have indexes, and a value greater than all others for null. */

const costsBetween = (range: NumberRange | null | undefined): Sql[] => {
  const { column } = sortKeys.PRICE;
  return [...whereOverlaps(column, column, range), ...unlessLast(range, sql`${rawSql(column)} < 'Infinity'`)];
};

const hasStockBetween = (range: NumberRange | null | undefined): Sql[] => {
  const { column, nullAs } = sortKeys.STOCK;
  const isKnown = sql`${rawSql(column)} < ${rawSql(nullAs)}`;
  return [...whereOverlaps(column, column, range, 'bigint'), ...unlessLast(range, isKnown)];
};

const unlessLast = (range: NumberRange | null | undefined, isKnown: Sql): Sql[] =>
  isGiven(range?.min) && !isGiven(range?.max) ? [isKnown] : [];

const conditions: ConditionsOf<VariantFilter> = {
  skuIn: (skus) => whereAnyOf('sku', skus),
  barcodeIn: (barcodes) => whereAnyOf('barcode', barcodes),
  externalIds: (ids) => whereAnyOf('external_id', ids),
  ids: whereAmong('id'),
  productIds: whereAmong('product_id'),
  updatedAt: (range) => whereBetween('updated_at', range),
  price: (range) => whereOverlaps('price_value', 'price_value', range),
  inventoryQuantity: (range) => whereOverlaps('inventory_quantity', 'inventory_quantity', range, 'bigint'),
};

/** The conditions that a variant must meet. */
const toVariantConditions = (filter: VariantFilter): readonly Sql[] => toConditions(conditions, filter);

/**
 * The visible variants of the shop that meet the filter, in the requested order. A variant is visible when its product
 * is (D8).
 */
export function listVariants(
  rows: ShopRows,
  filter: VariantFilter,
  { sortKey, reverse }: { sortKey: VariantSortKey; reverse: boolean },
): RowList<VariantRow> {
  return rows.list('variants', {
    where: toVariantConditions(filter),
    sort: sortKeys[sortKey],
    reverse,
    path: toVariantPath(filter, sortKey),
  });
}

/** Loads pages of the rows of owners, such as the variants of products. */
export interface Pages<Row> {
  load(address: { readonly ownerId: string; readonly range: KeysetRange }): Promise<KeysetSection<Row>>;
}

/** The variants of one product, in the same order. @param count The total number. */
export const listVariantsOfProduct = (
  rows: ShopRows,
  pages: Pages<VariantRow>,
  productId: string,
  count: number,
): KeysetList<VariantRow> => ({
  positionOf: ({ position, id }) => [position === null ? null : String(position), id],
  count: () => Promise.resolve(count),
  read: (range) => pages.load({ ownerId: productId, range }),
  hasAny: (range) => rows.hasVariants(productId, range),
});
