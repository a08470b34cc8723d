import type { SourceLocation } from '../values/import-error';
import type { ProductStatus } from '../../catalog/model';
import type { JsonMembers } from './json-members';
import { positionBounds } from '../values/numbers';
import { computed } from './rules';
import { toStatus } from './shopify-product';

/** The number in an id, which is either the number itself or the end of `gid://shopify/Product/123`. */
export function toShopifyId(id: string, location: SourceLocation): string {
  const found = /^(?:gid:\/\/shopify\/\w+\/)?(\d{1,30})(?:\?.*)?$/.exec(id)?.[1];
  if (found === undefined) throw location.refuse(id, 'a number, or an ID such as gid://shopify/Product/123');
  return found;
}

/** The id of each of its objects. */
export const shopifyId = computed(['id'], (members: JsonMembers) => members.id('id', toShopifyId));

/** The id of another object; null where there is none. */
export const idIn = (members: JsonMembers, path: string): string | null => members.idOrNull(path, toShopifyId);

const urlNames = ['url', 'originalSrc', 'src', 'transformedSrc'];

/** The URL of an image, by any name that the API has used for it, or of the image inside a medium. */
export function imageUrlOf(members: JsonMembers): string | null {
  const path = ['image', 'preview.image'].find((one) => members.has(one));
  const inner = path === undefined ? null : members.object(path);
  return inner ? imageUrlOf(inner) : members.text(urlNames.find((name) => members.has(name)) ?? 'url');
}

/** The URL of the image of an object. */
export const imageUrl = computed(['image'], (members: JsonMembers) => {
  const image = members.object('image');
  return image && imageUrlOf(image);
});

/** The alternative text of an image, which is next to its URL or next to the image inside a medium. */
export const altTextOf = (members: JsonMembers): string | null =>
  members.object('image')?.text('altText') ?? members.text('altText') ?? members.text('alt');

/** A new product without a status is active, unless its publication member says that it is not published. */
export const statusOf = (members: JsonMembers, publishedName: string): ProductStatus =>
  members.parsed('status', toStatus) ??
  (members.provides(publishedName) && !members.has(publishedName) ? 'DRAFT' : 'ACTIVE');

/** The position, by default its index in the list. */
export const positionIn = (variant: JsonMembers, { index }: { readonly index: number }): string =>
  variant.wholeNumber('position', positionBounds) ?? String(index + 1);
