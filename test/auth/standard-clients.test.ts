import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { createAuthenticator } from '../../src/auth/authenticator';
import { createKeyGate } from '../../src/auth/key-gate';
import { createKeyReader } from '../../src/auth/key-reader';
import { authorizationServerMetadata, protectedResourceMetadata, publicKeySet } from '../../src/auth/metadata';
import { createTokenEndpoint } from '../../src/auth/oauth/token-endpoint';
import { createSigningKeySet, parseSigningKeys } from '../../src/auth/signing-keys';
import { systemClock } from '../../src/clock';
import { ApiError } from '../../src/errors/api-error';
import { createMemoryRateLimiter } from '../../src/rate-limit/memory-rate-limiter';
import { seedApiKey, seedShop } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

/** The smallest server that has every part of authentication, over real HTTP. */
async function serve(test: TestDatabase): Promise<{ server: Server; publicUrl: string }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keys = createKeyGate({ readKey: createKeyReader(test.database) });
  const signingKeys = parseSigningKeys(createSigningKeySet(), 'test');
  const rateLimiter = createMemoryRateLimiter({ points: 120 });
  const authenticator = createAuthenticator({ keys, signingKeys, publicUrl, clock: systemClock });
  const answerToken = createTokenEndpoint({ keys, signingKeys, rateLimiter, publicUrl, clock: systemClock });
  const documents = new Map<string | undefined, unknown>([
    ['/.well-known/oauth-authorization-server', authorizationServerMetadata(publicUrl)],
    ['/.well-known/oauth-protected-resource', protectedResourceMetadata(publicUrl, '')],
    ['/.well-known/oauth-protected-resource/v1', protectedResourceMetadata(publicUrl, '/v1')],
    ['/.well-known/jwks.json', publicKeySet(signingKeys)],
  ]);

  server.on('request', (request, response) => {
    const authorization = request.headersDistinct['authorization'] ?? [];
    const send = (status: number, headers: Readonly<Record<string, string>>, body: string) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
    };
    if (documents.has(request.url)) return send(200, {}, JSON.stringify(documents.get(request.url)));
    if (request.url !== '/oauth/token') {
      return void authenticator.authenticate(authorization).then(
        ({ scopes }) => send(200, {}, JSON.stringify({ data: scopes })),
        (error: unknown) => (error instanceof ApiError ? send(error.status, error.headers, '{}') : send(500, {}, '{}')),
      );
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', headers, socket } = request;
      const body = Buffer.concat(chunks);
      void answerToken({
        method,
        authorization,
        contentType: headers['content-type'],
        body,
        ip: socket.remoteAddress ?? '',
      }).then((answer) => send(answer.status, answer.headers, answer.body));
    });
  });
  return { server, publicUrl };
}

describe('a strict client of the standards (D13, D14, D16, D17)', () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  let test: TestDatabase;
  let server: Server;
  let publicUrl: string;
  beforeAll(async () => {
    test = await createTestDatabase();
    ({ server, publicUrl } = await serve(test));
  });
  afterAll(async () => {
    server.close();
    server.closeAllConnections();
    await test.drop();
  });

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
    expect(await answer.json()).toEqual({ data: ['account:read'] });

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
