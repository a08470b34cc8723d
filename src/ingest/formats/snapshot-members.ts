import type { ObjectTable } from '../../catalog/model';
import { columnsOf } from '../../catalog/model';

/** Members of a shop's line that the service writes into exports, and does not import. */
const exported = ['id', 'domain', 'product_count', 'granted_scopes', 'export', 'types', 'version', 'changes_cursor'];
const importedOfShop = ['name', 'platform', 'currency', 'plan_status', 'created_at', 'last_sync_at'];

/** Members of an order that are read only to count them (D25). */
export const emailMembers = ['email', 'customer_email'];

const isComputed = (kind: string): boolean => kind === 'key' || kind === 'derived';
const namesOf = (table: ObjectTable, areComputed: boolean): string[] =>
  columnsOf(table)
    .filter(({ kind }) => isComputed(kind) === areComputed)
    .map(({ name }) => name);

interface LineMembers {
  readonly read: readonly string[];
  /** Members that the specification defines and the service generates: ids, derived values. */
  readonly generated: readonly string[];
}

const toMembers = (table: ObjectTable, ...others: readonly string[]): LineMembers => ({
  read: [...namesOf(table, false), ...others],
  generated: namesOf(table, true),
});

const lines = {
  shop: { read: ['type', ...importedOfShop], generated: exported },
  product: toMembers('products', 'type', 'variants', 'deleted'),
  variant: toMembers('variants'),
  collection: toMembers('collections', 'type'),
  order: toMembers('orders', 'type', ...emailMembers),
} satisfies Record<string, LineMembers>;

/** All members of a kind of line that have a meaning here. */
const toKnown = ({ read, generated }: LineMembers): ReadonlySet<string> => new Set([...read, ...generated]);

export const shopMembers = toKnown(lines.shop);
export const productMembers = toKnown(lines.product);
export const variantMembers = toKnown(lines.variant);
export const collectionMembers = toKnown(lines.collection);
export const orderMembers = toKnown(lines.order);

const explained = ({ read }: LineMembers, prefix: string, path = ''): (readonly [string, string])[] =>
  read.map((name) => [prefix + path + name, name === 'type' ? 'what the line is' : path + name] as const);

/** The fields that the members of lines become, by the type of the line. */
export const explainedMembers: Readonly<Record<string, string>> = Object.fromEntries([
  ...explained(lines.shop, 'shop.'),
  ...explained(lines.product, 'product.'),
  ...explained(lines.variant, 'product.', 'variants.'),
  ...explained(lines.collection, 'collection.'),
  ...explained(lines.order, 'order.'),
]);
