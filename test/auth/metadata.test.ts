import { authorizationServerMetadata, protectedResourceMetadata, publicKeySet } from '../../src/auth/metadata';
import { createSigningKeySet, parseSigningKeys } from '../../src/auth/signing-keys';

const origin = 'https://api.example';

describe('the metadata documents (D17)', () => {
  it('describes the authorization server as RFC 8414 says', () => {
    expect(authorizationServerMetadata(origin)).toEqual({
      issuer: 'https://api.example',
      token_endpoint: 'https://api.example/oauth/token',
      jwks_uri: 'https://api.example/.well-known/jwks.json',
      scopes_supported: ['catalog:read', 'orders:read', 'account:read'],
      response_types_supported: ['none'],
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    });
  });

  it.each([
    ['' as const, 'https://api.example'],
    ['/v1' as const, 'https://api.example/v1'],
  ])('describes the protected resource at path %j as RFC 9728 says', (path, resource) => {
    expect(protectedResourceMetadata(origin, path)).toEqual({
      resource,
      resource_name: 'Catalog API',
      authorization_servers: ['https://api.example'],
      scopes_supported: ['catalog:read', 'orders:read', 'account:read'],
      bearer_methods_supported: ['header'],
    });
  });

  it('publishes the public halves of all active keys and nothing private (D14)', () => {
    const [first, second] = [createSigningKeySet(), createSigningKeySet()].map(
      (text) => (JSON.parse(text) as { keys: Record<string, string>[] }).keys[0] ?? {},
    );
    const published = publicKeySet(parseSigningKeys(JSON.stringify({ keys: [first, second] }), 'test'));
    const withoutPrivate = [first, second].map((key) => ({ ...key, d: undefined }));
    expect(JSON.parse(JSON.stringify(published))).toEqual(JSON.parse(JSON.stringify({ keys: withoutPrivate })));
    expect(JSON.stringify(published)).not.toContain('"d"');
  });
});
