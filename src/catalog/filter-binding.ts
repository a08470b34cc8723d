/**
 * The text that binds a cursor to its list (D10): the same shop, resource, filters and order yield the same text, in both APIs. A condition
 * that does not restrict is ignored: absent, null, or an empty `query` (D5).
 */
export function toBinding(shopId: string, resource: string, filter: object, order: readonly unknown[]): string {
  const conditions = Object.entries(filter)
    .filter(([name, value]) => value !== null && value !== undefined && !(name === 'query' && value === ''))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([shopId, resource, conditions, ...order]);
}
