import { pathOf, routes } from '../routes';

const absoluteForm = /^https?:\/\/[^/?#]*/i;
const wellKnown = routes.wellKnown.path.replace('{*name}', '');

/**
 * Converts a request target to a path of routes.ts with its query. A server must accept the absolute form too (RFC 9112
 * 3.2.2); Host and authority are ignored, because links are made from PUBLIC_URL (D17). This happens before Express,
 * which rejects authorities that it cannot parse.
 * @param prefix The path of PUBLIC_URL, removed where it is present: proxies forward it or do not, and health checks do
 *   not know it. A well-known name goes before it (RFC 8414 3, RFC 9728 3.1).
 */
export function toOriginForm(target: string, prefix: string): string {
  const path = withoutAuthority(target);
  return prefix === '' ? path : withoutPrefix(path, prefix);
}

function withoutAuthority(target: string): string {
  if (target.startsWith('/') || !absoluteForm.test(target)) return target;
  return withSlash(target.replace(absoluteForm, ''));
}

function withoutPrefix(target: string, prefix: string): string {
  const at = target.startsWith(wellKnown) ? Math.max(0, pathOf(target).indexOf('/', wellKnown.length)) : 0;
  if (!target.startsWith(prefix, at)) return target;
  const rest = target.slice(at + prefix.length);
  // `/catalogue` does not begin with the segment `/catalog`.
  return rest === '' || rest.startsWith('/') || rest.startsWith('?')
    ? withSlash(`${target.slice(0, at)}${rest}`)
    : target;
}

const withSlash = (target: string): string => (target.startsWith('/') ? target : `/${target}`);
