import type { SourceLocation } from '../values/import-error';
import type { ProductStatus } from '../../catalog/model';
import type { JsonMembers } from './json-members';
import { positionBounds } from '../values/whole-number';
import { toStatus } from './shopify-product';

/** The number in an id, which is either the number itself or the end of `gid://shopify/Product/123`. */
export function toShopifyId(id: string, location: SourceLocation): string {
  const found = /^(?:gid:\/\/shopify\/\w+\/)?(\d{1,30})(?:\?.*)?$/.exec(id)?.[1];
  if (found === undefined) throw location.refuse(id, 'a number, or a text such as gid://shopify/Product/123');
  return found;
}

/** An amount as older and newer versions of the API write it: text, or an object that contains it. */
export function amountOf(members: JsonMembers, name: string): string | null {
  return members.hasObject(name)
    ? (members.object(name)?.filledDecimal('amount') ?? null)
    : members.filledDecimal(name);
}

const urlNames = ['url', 'originalSrc', 'src', 'transformedSrc'];

/** The URL of an image, by any name that the API has used for it, or of the image inside a medium. */
export function imageUrlOf(members: JsonMembers): string | null {
  for (const name of urlNames) {
    const url = members.filledText(name);
    if (url !== null) return url;
  }
  const inner = members.object('image') ?? members.object('preview')?.object('image');
  return inner ? imageUrlOf(inner) : null;
}

/** A new product without a status is active, unless its publication member says that it is not published. */
export const statusOf = (members: JsonMembers, publishedName: string): ProductStatus =>
  members.parsed('status', toStatus) ??
  (members.names(publishedName) && !members.has(publishedName) ? 'DRAFT' : 'ACTIVE');

/** Without a position, a variant has its place in the list. */
export const positionIn = (variant: JsonMembers, { index }: { readonly index: number }): string =>
  variant.wholeNumber('position', positionBounds) ?? String(index + 1);
