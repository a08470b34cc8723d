import type { CredentialFault } from '../errors/api-error';

/**
 * The address of a protected resource's metadata (RFC 9728 3.1: the well-known name goes before the resource's path).
 * @param resource Its URL, such as `https://api.example.com/v1`.
 */
function toResourceMetadataUrl(resource: string): string {
  const { origin, pathname } = new URL(resource);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
}

/**
 * The WWW-Authenticate header of a resource (D16). It contains an error only for a client whose credential was refused,
 * not for one that presented none or another scheme (RFC 6750 3.1). A description has only the characters that RFC 6750
 * (3) allows: no quotes, no backslash.
 */
export function bearerChallenge(resource: string, fault?: CredentialFault): string {
  const parameters = [
    'realm="Catalog API"',
    ...(fault === undefined ? [] : [`error="${fault.error}"`, toDetail(fault)]),
    `resource_metadata="${toResourceMetadataUrl(resource)}"`,
  ];
  return `Bearer ${parameters.join(', ')}`;
}

const toDetail = (fault: CredentialFault): string =>
  fault.error === 'insufficient_scope' ? `scope="${fault.scope}"` : `error_description="${fault.description}"`;
