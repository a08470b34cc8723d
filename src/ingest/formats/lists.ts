import type { StoredImage, StoredLineItem, StoredMembership } from '../../catalog/model';
import { multiplyDecimal, subtractDecimals, type Bounds } from '../values/numbers';

/** The quantity of a line, which is stored in 32 bits. */
export const quantityBounds: Bounds = { min: 0, max: 2_147_483_646 };

/** An image, unless it has no URL. */
export const toImage = (
  url: string | null,
  alt_text: string | null = null,
  position: string | null = null,
): readonly StoredImage[] =>
  url === null ? [] : [{ url, alt_text, position: position === null ? null : Number(position) }];

/** Images by position, then those without one in order of appearance; each URL once. */
export function inOrder(images: readonly StoredImage[]): readonly StoredImage[] {
  const place = ({ position }: StoredImage): number => position ?? Number.MAX_VALUE;
  const seen = new Set<string>();
  return images.toSorted((a, b) => place(a) - place(b)).filter(({ url }) => !seen.has(url) && seen.add(url));
}

/** The memberships of a product. @param place Its position in each, if the platform has one for all */
export function toMemberships(ids: readonly string[], place: string | null = null): readonly StoredMembership[] {
  const position = place === null ? null : Number(place);
  // An empty id is the substitute for one that has already been reported.
  return [...new Set(ids)].flatMap((id) => (id === '' ? [] : [{ collection_external_id: id, position }]));
}

/** The total of a line, from the unit price and the line's discount if the platform has no total. */
export function lineTotal(price: string | null, quantity: number, discount: string | null): string | null {
  if (price === null) return null;
  const full = multiplyDecimal(price, quantity);
  return discount === null ? full : subtractDecimals(full, discount);
}

/** A line whose product and variant the file does not name by their ids. */
export const lineWithoutIds = { product_external_id: null, variant_external_id: null } as const satisfies Partial<StoredLineItem>; // prettier-ignore
