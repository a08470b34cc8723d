/**
 * What binds a cursor to its list (D10): the same shop, resource and filters give the same text, on either surface. Absent and null
 * conditions are the same thing, and so is their order.
 */
export function toBinding(shopId: string, resource: string, filter: object): string {
  const conditions = Object.entries(filter)
    .filter(([, value]) => value !== null && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([shopId, resource, conditions]);
}
