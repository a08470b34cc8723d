const entityTags = /(?:W\/)?("[^"]*")/g;

/**
 * Whether an If-None-Match header contains the entity tag (RFC 9110 13.1.2): any of a list, compared weakly, or `*`.
 * Anything that is not an entity tag matches nothing: the client then simply gets the representation.
 */
export function isHeld(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true;
  for (const [, opaque] of ifNoneMatch.matchAll(entityTags)) if (opaque === etag) return true;
  return false;
}
