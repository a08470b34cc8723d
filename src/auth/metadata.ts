import { scopes } from './api-key';
import type { PublicJwk, SigningKeys } from '../config/signing-key-set';
import type { CredentialFault } from '../errors/api-error';

/** The content of `/.well-known/oauth-authorization-server` (RFC 8414). No empty arrays and no nulls (D17). */
export const authorizationServerMetadata = (publicUrl: string) => ({
  issuer: publicUrl,
  token_endpoint: `${publicUrl}/oauth/token`,
  jwks_uri: `${publicUrl}/.well-known/jwks.json`,
  scopes_supported: scopes,
  // This member is required, and there is no authorization endpoint for it to describe (RFC 7591 2 defines the word).
  response_types_supported: ['none'],
  grant_types_supported: ['client_credentials'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
});

/**
 * The content of `/.well-known/oauth-protected-resource` followed by `resourcePath` (RFC 9728). Clients compare
 * `resource` with the URL from which they derived the document's (3.3), so each document contains its own resource.
 */
export const protectedResourceMetadata = (publicUrl: string, resourcePath: string) => ({
  resource: `${publicUrl}${resourcePath}`,
  resource_name: 'Catalog API',
  authorization_servers: [publicUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ['header'],
});

/** RFC 7517: the public halves of all active keys, as `/.well-known/jwks.json` (D14). */
export const publicKeySet = ({ byKid }: SigningKeys): { readonly keys: readonly PublicJwk[] } => ({
  keys: [...byKid.values()].map(({ publicJwk }) => publicJwk),
});

/**
 * The URL of a protected resource's metadata (RFC 9728 3.1: the well-known name goes before the resource's path).
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
