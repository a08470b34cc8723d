import type { Place } from '../import-error';
import { countBounds } from '../values/whole-number';
import type { JsonMembers } from './json-members';

/** The number of an id, be it alone or at the end of `gid://shopify/Product/123`. */
export function toShopifyId(id: string, place: Place): string {
  const found = /^(?:gid:\/\/shopify\/\w+\/)?(\d{1,30})(?:\?.*)?$/.exec(id)?.[1];
  if (found === undefined) throw place.refuse(id, 'a number, or a text such as gid://shopify/Product/123');
  return found;
}

/** What none of the objects says anything of: for each name, any of the members would do. */
export const lacks = <Name>(
  objects: readonly JsonMembers[],
  members: readonly (readonly [Name, readonly string[]])[],
): readonly Name[] =>
  members
    .filter(([, names]) => !objects.some((object) => names.some((name) => object.names(name))))
    .map(([member]) => member);

/** An amount as the API writes it now and did before: text, or an object that has it. */
export function amountOf(members: JsonMembers, name: string): string | null {
  return members.hasObject(name)
    ? (members.object(name)?.filledDecimal('amount') ?? null)
    : members.filledDecimal(name);
}

const urlNames = ['url', 'originalSrc', 'src', 'transformedSrc'];

/** The address of an image, by any of the names that the API has had for it, or of the image inside of a medium. */
export function imageUrlOf(members: JsonMembers): string | null {
  for (const name of urlNames) {
    const url = members.filledText(name);
    if (url !== null) return url;
  }
  const inner = members.object('image') ?? members.object('preview')?.object('image');
  return inner ? imageUrlOf(inner) : null;
}

/** As in the CSV: who pays, else who receives; an order without addresses has at most an account. */
export function customerOf(members: JsonMembers, people: readonly string[]): string | null {
  for (const name of people) {
    const person = members.object(name);
    if (person === null) continue;
    const parts = ['first_name', 'firstName', 'last_name', 'lastName'].map((part) => person.filledText(part)?.trim());
    const full = parts.filter((part) => part !== undefined).join(' ');
    const whole = person.filledText('name') ?? (full === '' ? person.filledText('displayName') : full);
    if (whole !== null) return whole.trim();
  }
  return null;
}

/** How many pieces an order has. */
export function sumQuantities(order: JsonMembers, items: readonly JsonMembers[]): string {
  const sum = items.reduce((total, item) => total + BigInt(item.count('quantity')), 0n);
  if (sum > BigInt(countBounds.max)) order.report('id', (at) => at.fault('the quantities sum up to too much'));
  return String(sum);
}
