import type { Place } from '../import-error';
import type { ProductStatus } from '../../catalog/model';
import type { JsonMembers } from './json-members';
import { toStatus } from './shopify-product';

/** The number in an id, which is either the number itself or the end of `gid://shopify/Product/123`. */
export function toShopifyId(id: string, place: Place): string {
  const found = /^(?:gid:\/\/shopify\/\w+\/)?(\d{1,30})(?:\?.*)?$/.exec(id)?.[1];
  if (found === undefined) throw place.refuse(id, 'a number, or a text such as gid://shopify/Product/123');
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
export const statusOf = (members: JsonMembers, publishedAt: string | null, publishedName: string): ProductStatus =>
  members.parsed('status', toStatus) ?? (publishedAt === null && members.names(publishedName) ? 'DRAFT' : 'ACTIVE');
