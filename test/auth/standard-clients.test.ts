import * as oauth from 'oauth4webapi';
import { authorizationServerMetadata } from '../../src/auth/metadata';
import { findFreePort } from '../support/free-port';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

describe('a strict client of the standards (D13, D14, D16, D17)', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  let test: Service;
  let publicUrl: string;
  beforeAll(async () => {
    const port = await findFreePort();
    publicUrl = `http://127.0.0.1:${port}`;
    test = await startService({ settings: { PORT: String(port), PUBLIC_URL: publicUrl } });
  });
  afterAll(() => test.close());

  it('follows the challenge to the metadata, to a token, to a response', async () => {
    const key = await seedApiKey(test.sql, await seedShop(test.sql), { scopes: ['catalog:read', 'account:read'] });
    const api = new URL(`${publicUrl}/v1/shop`);

    const challenge = await oauth.protectedResourceRequest('ck_x.y', 'GET', api, undefined, null, insecure).then(
      () => undefined,
      (error: unknown) => (error as oauth.WWWAuthenticateChallengeError).cause[0],
    );
    expect(challenge).toMatchObject({ scheme: 'bearer', parameters: { error: 'invalid_token' } });
    const resourceMetadata = challenge?.parameters.resource_metadata ?? '';

    const resource = new URL(`${publicUrl}/v1`);
    const discovered = await oauth.resourceDiscoveryRequest(resource, insecure);
    expect(discovered.url || resourceMetadata).toBe(resourceMetadata);
    const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(
      resource,
      discovered,
    );

    const issuerUrl = new URL(issuer);
    const metadata = await oauth.processDiscoveryResponse(
      issuerUrl,
      await oauth.discoveryRequest(issuerUrl, { algorithm: 'oauth2', ...insecure }),
    );

    const client = { client_id: key.clientId };
    const authentication = oauth.ClientSecretBasic(key.clientSecret);
    const grant = await oauth.processClientCredentialsResponse(
      metadata,
      client,
      await oauth.clientCredentialsGrantRequest(metadata, client, authentication, { scope: 'account:read' }, insecure),
    );
    expect(grant).toMatchObject({ token_type: 'bearer', expires_in: 3600, scope: 'account:read' });

    const answer = await oauth.protectedResourceRequest(grant.access_token, 'GET', api, undefined, null, insecure);
    expect(await answer.json()).toMatchObject({ data: { granted_scopes: ['account:read'] } });

    const claims = await oauth.validateJwtAccessToken(
      metadata,
      new Request(api, { headers: { Authorization: `Bearer ${grant.access_token}` } }),
      resource.href,
      insecure,
    );
    expect(claims).toMatchObject({ client_id: key.clientId, scope: 'account:read' });
  });

  it('understands the errors', async () => {
    const key = await seedApiKey(test.sql, await seedShop(test.sql), { scopes: ['catalog:read'] });
    const metadata = authorizationServerMetadata(publicUrl) as unknown as oauth.AuthorizationServer;
    const client = { client_id: key.clientId };
    const errorOf = async (secret: string, scope: string) =>
      oauth
        .processClientCredentialsResponse(
          metadata,
          client,
          await oauth.clientCredentialsGrantRequest(
            metadata,
            client,
            oauth.ClientSecretBasic(secret),
            { scope },
            insecure,
          ),
        )
        .then(
          () => 'none',
          (error: unknown) =>
            error instanceof oauth.WWWAuthenticateChallengeError
              ? error.cause[0]?.scheme
              : (error as oauth.ResponseBodyError).error,
        );
    expect(await errorOf(key.clientSecret, 'orders:read')).toBe('invalid_scope');
    expect(await errorOf('wrong', 'catalog:read')).toMatch(/^(basic|invalid_client)$/);
  });
});
