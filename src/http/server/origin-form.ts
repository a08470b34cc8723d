const absoluteForm = /^https?:\/\/[^/?#]*/i;

/**
 * Converts a request target to a path with its query. A server must accept the absolute form too (RFC 9112 3.2.2); Host
 * and authority are ignored, because links are made from PUBLIC_URL (D17). This happens before Express, which rejects
 * authorities that it cannot parse.
 */
export function toOriginForm(target: string): string {
  if (target.startsWith('/') || !absoluteForm.test(target)) return target;
  const rest = target.replace(absoluteForm, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
