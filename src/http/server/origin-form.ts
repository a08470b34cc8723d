const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * A request target as a path with its query. A server must accept the absolute form too (RFC 9112 3.2.2); Host and authority say
 * nothing here, links are made from PUBLIC_URL (D17). Done in front of Express, which gives up on authorities it cannot parse.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || !absoluteForm.test(target)) return target;
  const rest = target.replace(absoluteForm, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
