/**
 * What binds a cursor to its list (D10): the same shop, resource, filters and order give the same text, on either surface.
 * A condition that does not restrict is no condition: absent, null, or an empty `query` (D5).
 */
export function toBinding(shopId: string, resource: string, filter: object, order: readonly unknown[]): string {
  const conditions = Object.entries(filter)
    .filter(([name, value]) => value !== null && value !== undefined && !(name === 'query' && value === ''))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([shopId, resource, conditions, ...order]);
}
