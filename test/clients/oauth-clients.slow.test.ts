import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { ClientCredentials } from 'simple-oauth2';
import type { DemoService } from '../support/demo-service';
import { startDemoService } from '../support/demo-service';

let service: DemoService;
beforeAll(async () => {
  service = await startDemoService();
});
afterAll(() => service.close());

const read = (path: string, token: string) =>
  fetch(`${service.publicUrl}/v1${path}`, { headers: { Authorization: `Bearer ${token}` } });

const scope = 'catalog:read account:read';

async function expectScopes(token: string): Promise<void> {
  const answer = (await (await read('/shop', token)).json()) as { data: { granted_scopes: string[] } };
  expect(answer.data.granted_scopes).toEqual(scope.split(' '));
}

it.each([
  ['HTTP Basic', oauth.ClientSecretBasic],
  ['the body', oauth.ClientSecretPost],
])('oauth4webapi goes from the metadata to a token, by %s, to a response', async (_, toAuthentication) => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(service.publicUrl);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client = { client_id: service.clientId };
  const authentication = toAuthentication(service.clientSecret);
  const response = await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, insecure);
  const { access_token: token } = await oauth.processClientCredentialsResponse(server, client, response);
  await expectScopes(token);
});

describe('openid-client', () => {
  const discover = (authentication?: openid.ClientAuth) =>
    openid.discovery(new URL(service.publicUrl), service.clientId, service.clientSecret, authentication, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });

  it.each([
    ['by default, in the body,', undefined],
    ['with ClientSecretBasic', openid.ClientSecretBasic],
  ])('gets tokens %s and reads with them', async (_, toAuthentication) => {
    const configuration = await discover(toAuthentication?.(service.clientSecret));
    const { access_token: token } = await openid.clientCredentialsGrant(configuration, { scope });
    await expectScopes(token);
    const url = new URL(`${service.publicUrl}/v1/products`);
    expect((await openid.fetchProtectedResource(configuration, token, url, 'GET')).status).toBe(200);
  });
});

describe('simple-oauth2', () => {
  const create = (options = {}) =>
    new ClientCredentials({
      client: { id: service.clientId, secret: service.clientSecret },
      auth: { tokenHost: service.publicUrl, tokenPath: '/oauth/token' },
      options,
    });

  it.each([{}, { credentialsEncodingMode: 'loose' }, { authorizationMethod: 'body' }])(
    'gets tokens, with the options %j',
    async (options) => {
      const { token, expired } = await create(options).getToken({ scope });
      await expectScopes(String(token['access_token']));
      expect({ expired: expired.call({ token }), lifetime: token['expires_in'] }).toEqual({
        expired: false,
        lifetime: 3600,
      });
    },
  );

  it('throws the error of the token endpoint', async () => {
    await expect(create().getToken({ scope: 'everything' })).rejects.toMatchObject({
      data: { payload: { error: 'invalid_scope' } },
    });
  });
});

it('jose verifies access tokens by the published keys', async () => {
  const client = new ClientCredentials({
    client: { id: service.clientId, secret: service.clientSecret },
    auth: { tokenHost: service.publicUrl, tokenPath: '/oauth/token' },
  });
  const { token } = await client.getToken({ scope });
  const keys = createRemoteJWKSet(new URL(`${service.publicUrl}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(String(token['access_token']), keys, {
    issuer: service.publicUrl,
    audience: `${service.publicUrl}/v1`,
    typ: 'at+jwt',
    algorithms: ['ES256'],
  });
  expect({ scope: payload['scope'], client: payload['client_id'], alg: protectedHeader.alg }).toEqual({
    scope,
    client: service.clientId,
    alg: 'ES256',
  });
});
