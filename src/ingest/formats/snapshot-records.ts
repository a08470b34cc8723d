import type { Column, ColumnKind, ObjectTable } from '../../catalog/model';
import { importedColumnsOf, productStatuses } from '../../catalog/model';
import type { Dropped } from './dropped';
import type {
  CollectionValues,
  OrderValues,
  ProductRecord,
  ProductValues,
  ShopRecord,
  ShopValues,
  VariantValues,
} from './record';
import { positionBounds, safeBounds } from '../values/whole-number';
import { toDistinctVariants } from './json-file';
import type { JsonMembers } from './json-members';
import { emailMembers } from './snapshot-members';

/** Plan and limit change only through `shop set`: they are not members here, so they are reported as ignored. */
export function toShop(members: JsonMembers): Pick<ShopRecord, 'values' | 'lastSyncAt'> {
  const values: ShopValues = {
    ...(members.names('name') && { name: members.text('name') }),
    ...(members.names('platform') && { platform: members.text('platform')?.toLowerCase() ?? null }),
    ...(members.names('currency') && { currency: members.currency('currency') }),
    ...(members.has('plan_status') && { plan_status: members.requiredText('plan_status') }),
    ...(members.has('created_at') && { created_at: members.requiredTimestamp('created_at') }),
  };
  return { values, lastSyncAt: members.timestamp('last_sync_at') };
}

type Read = (members: JsonMembers, column: Column) => unknown;

/** How the members of a line are read, by the kind of their column. */
const readers: Readonly<Record<Exclude<ColumnKind, 'key' | 'derived'>, Read>> = {
  externalId: (members) => members.externalId(),
  text: (members, { name, isRequired }) => (isRequired ? members.requiredText(name) : members.text(name)),
  indexed: (members, { name }) => members.indexedText(name),
  currency: (members, { name }) => members.currency(name),
  status: (members, { name }) => members.oneOf(name, productStatuses) ?? 'ACTIVE',
  decimal: (members, { name }) => members.decimal(name),
  tags: (members, { name }) => members.tags(name),
  options: (members, { name }) => members.options(name),
  flag: (members, { name }) => members.requiredBoolean(name),
  count: (members, { name }) => members.count(name),
  quantity: (members, { name }) => members.wholeNumber(name, safeBounds),
  position: (members, { name }) => members.wholeNumber(name, positionBounds),
  timestamp: (members, { name, isRequired }) =>
    isRequired ? members.requiredTimestamp(name) : members.timestamp(name),
};

/**
 * Reads a line's values of all columns that a file provides. Without `--keep-ids` the ids of a file mean nothing here.
 * Derived members (variant_count, min_price, max_price, total_stock) are always computed; those in the line are
 * ignored.
 */
function createReader<Values>(table: ObjectTable): (members: JsonMembers, keepsIds: boolean) => Values {
  const columns = importedColumnsOf(table).map((column) => ({
    column,
    read: readers[column.kind as keyof typeof readers],
  }));
  return (members, keepsIds) => {
    const values: Record<string, unknown> = keepsIds ? { id: members.uuid('id') } : {};
    for (const { column, read } of columns) values[column.name] = read(members, column);
    return values as Values;
  };
}

const toProductValues = createReader<Omit<ProductValues, 'published'>>('products');
export const toVariant = createReader<VariantValues>('variants');
export const toCollection = createReader<CollectionValues>('collections');
const toOrderValues = createReader<OrderValues>('orders');

export function toProduct(
  members: JsonMembers,
  variants: readonly JsonMembers[],
  keepsIds: boolean,
): Pick<ProductRecord, 'values' | 'variants'> {
  return {
    values: { ...toProductValues(members, keepsIds), published: null },
    variants: toDistinctVariants(variants, (variant) => toVariant(variant, keepsIds), 'external_id'),
  };
}

/** An order's e-mail members are read only to count them (D25). */
export function toOrder(members: JsonMembers, dropped: Dropped, keepsIds: boolean): OrderValues {
  for (const name of emailMembers) if (members.has(name)) dropped.email();
  return toOrderValues(members, keepsIds);
}
