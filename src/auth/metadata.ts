import { scopes } from './principal';
import type { PublicJwk, SigningKeys } from '../config/signing-key-set';

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
 * `resource` with the address from which they derived the document's (3.3), so each document contains its own
 * resource.
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
