import { columnsOf, importedColumnsOf, productStatuses, type Column, type ObjectTable } from '../../catalog/model';
import { checkCurrency } from '../values/text';
import type { DroppedCounter } from './dropped';
import type { JsonMembers } from './json-members';
import type {
  CollectionValues,
  OrderValues,
  ProductRecord,
  ProductValues,
  ShopRecord,
  ShopValues,
  VariantValues,
} from './record';
import { readers } from './rules';

/** Members of an order that are read only to count them (D25). */
const emailMembers = ['email', 'customer_email'];

interface LineMembers {
  readonly read: readonly string[];
  /** Other known members: ids, derived values and the description of an export are not imported. */
  readonly others: readonly string[];
}

function membersOf(table: ObjectTable, read: readonly string[], others: readonly string[] = []): LineMembers {
  const imported = importedColumnsOf(table).map(({ name }) => name);
  return { read: [...imported, ...read], others: [...columnsOf(table).map(({ name }) => name), ...others] };
}

const lines = {
  shop: {
    read: ['type', 'name', 'platform', 'currency', 'plan_status', 'created_at', 'last_sync_at'],
    others: ['id', 'domain', 'product_count', 'granted_scopes', 'export', 'types', 'version', 'changes_cursor'],
  },
  product: membersOf('products', ['type', 'variants'], ['deleted']),
  variant: membersOf('variants', []),
  collection: membersOf('collections', ['type']),
  order: membersOf('orders', ['type'], emailMembers),
} satisfies Record<string, LineMembers>;

type LineType = keyof typeof lines;

const known = Object.fromEntries(
  Object.entries(lines).map(([type, { read, others }]) => [type, new Set([...read, ...others])]),
) as unknown as Readonly<Record<LineType, ReadonlySet<string>>>;

/** Counts the members of a line that have no meaning here. */
export function reportUnknown(members: JsonMembers, type: LineType, dropped: DroppedCounter, prefix = ''): void {
  for (const name of members.memberNames) if (!known[type].has(name)) dropped.member(prefix + name);
}

const explained = (type: LineType, prefix: string, path = ''): [string, string][] =>
  lines[type].read.map((name) => [prefix + path + name, name === 'type' ? 'type of the line' : path + name]);

/** The fields that the members of lines become, by the type of the line. */
export const explainedMembers: Readonly<Record<string, string>> = Object.fromEntries([
  ...explained('shop', 'shop.'),
  ...explained('product', 'product.'),
  ...explained('variant', 'product.', 'variants.'),
  ...explained('collection', 'collection.'),
  ...explained('order', 'order.'),
]);

/** Plan and limit change only through `shop set`: they are not members here, so they are reported as ignored. */
export function toShop(members: JsonMembers): Pick<ShopRecord, 'values' | 'lastSyncAt'> {
  const values: ShopValues = {
    ...(members.provides('name') && { name: members.text('name') }),
    ...(members.provides('platform') && { platform: members.text('platform')?.toLowerCase() ?? null }),
    ...(members.provides('currency') && { currency: members.parsed('currency', checkCurrency) }),
    ...(members.has('plan_status') && { plan_status: members.requiredText('plan_status') }),
    ...(members.has('created_at') && { created_at: members.timestamp('created_at', true) ?? '' }),
  };
  return { values, lastSyncAt: members.timestamp('last_sync_at') };
}

/** How the members of a line are read, by the kind of their column. */
const readersOfLines = {
  ...readers,
  status: (members: JsonMembers, name: string) => members.oneOf(name, productStatuses) ?? 'ACTIVE',
  options: (members: JsonMembers, name: string) => members.list(name, { name: 'text', value: 'text' }),
  flag: (members: JsonMembers, name: string) => members.requiredBoolean(name),
  list: (members: JsonMembers, name: string, { of = {} }: Pick<Column, 'of'>) => members.list(name, of),
};

/**
 * Reads a line's values of all columns that a file provides. Without `--keep-ids` the ids of a file are ignored.
 * Derived members (variant_count, min_price, max_price, total_stock) are always computed; those in the line are
 * ignored.
 */
function createReader<Values>(table: ObjectTable): (members: JsonMembers, keepsIds: boolean) => Values {
  const columns = importedColumnsOf(table).map((column) => ({
    column,
    read: readersOfLines[column.kind as keyof typeof readersOfLines],
  }));
  return (members, keepsIds) => {
    const values: Record<string, unknown> = keepsIds ? { id: members.uuid('id') } : {};
    for (const { column, read } of columns) values[column.name] = read(members, column.name, column);
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
    variants: variants.map((variant) => toVariant(variant, keepsIds)),
  };
}

/** An order's e-mail members are read only to count them (D25). */
export function toOrder(members: JsonMembers, dropped: DroppedCounter, keepsIds: boolean): OrderValues {
  for (const name of emailMembers) if (members.has(name)) dropped.emails += 1;
  return toOrderValues(members, keepsIds);
}
