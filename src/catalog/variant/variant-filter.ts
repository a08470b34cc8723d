import type { Sql } from '../../database/sql';
import { sql, rawSql } from '../../database/sql';
import type { ConditionsOf, NumberRange } from '../rows/condition';
import {
  toConditions,
  whereIdAmong,
  whereAnyOf,
  whereBetween,
  isGiven,
  whereProductAmong,
  whereOverlaps,
} from '../rows/condition';
import type { ListPath, RangePath } from '../rows/shop-list';
import { splitFilter, toEach, toEachCutText, toEachText, toLookUp, toRange, uuidsAmong } from '../rows/shop-list';
import type { VariantFilter, VariantSortKey } from '../schema-inputs';
import { sortKeys } from './variant-sort-keys';

/** The path to the variants that a filter selects, in the order of a key. */
export function toVariantPath(filter: VariantFilter, sortKey: VariantSortKey): ListPath {
  const [{ updatedAt, price, inventoryQuantity }, rest] = splitFilter(filter, rangeAlong[sortKey]);
  return {
    along: [...whereBetween('updated_at', updatedAt), ...costsBetween(price), ...hasStockBetween(inventoryQuantity)],
    rest: toVariantConditions(rest),
    search: [],
    named: toNamed(filter),
    ranges: toRanges(filter),
    lookUp: filter.ids ? toLookUp({ ids: filter.ids }) : undefined,
  };
}

/** The ranges in the order of a sort key's index. */
const rangeAlong = {
  ID: [],
  UPDATED_AT: ['updatedAt'],
  PRICE: ['price'],
  STOCK: ['inventoryQuantity'],
} as const satisfies Record<VariantSortKey, readonly (keyof VariantFilter)[]>;

const toNamed = ({ skuIn, barcodeIn, externalIds, productIds }: VariantFilter): readonly RangePath[] => [
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

/* The sort expressions have indexes, and a value greater than all others where there is none. */

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
  ids: whereIdAmong,
  productIds: whereProductAmong,
  updatedAt: (range) => whereBetween('updated_at', range),
  price: (range) => whereOverlaps('price_value', 'price_value', range),
  inventoryQuantity: (range) => whereOverlaps('inventory_quantity', 'inventory_quantity', range, 'bigint'),
};

/** The conditions that a variant must meet. */
export const toVariantConditions = (filter: VariantFilter): readonly Sql[] => toConditions(conditions, filter);
