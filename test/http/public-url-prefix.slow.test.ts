import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { curlLine } from '../../src/cli/commands/key';
import { loadConfig } from '../../src/config/config';
import { toOriginForm, allRoutes } from '../../src/http/routes';
import { ownSegments } from '../../src/common/public-url';
import { findFreePort } from '../support/free-port';
import { fc } from '../support/properties';
import { sendRaw } from '../support/raw-http';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const prefix = '/catalog/read';
/** The service's paths at an origin that it shares: the prefix, and the well-known paths before it. */
const belongs = /^(?:\/\.well-known\/oauth-[a-z-]+)?\/catalog\/read(?=[/?]|$)/;

/** A proxy that serves other things outside the prefix. */
async function startProxy(target: () => number, strips: boolean) {
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request;
    if (!belongs.test(url)) {
      response.writeHead(404, { 'X-Elsewhere': '1' }).end();
      return;
    }
    const path = strips && url.startsWith(prefix) ? url.slice(prefix.length).replace(/^(?!\/)/, '/') : url;
    const upstream = forward({ port: target(), host: '127.0.0.1', path, method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
      answer.pipe(response);
    });
    request.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

describe.each([
  ['forwards', false],
  ['strips', true],
])('a service under a path of an origin, whose proxy %s the path', (_name, strips) => {
  let service: Service;
  let proxy: Awaited<ReturnType<typeof startProxy>>;
  let publicUrl: string;
  let key: SeededKey;

  beforeAll(async () => {
    const port = await findFreePort();
    proxy = await startProxy(() => port, strips);
    publicUrl = `${proxy.origin}${prefix}`;
    service = await startService({ rateLimit: 10_000, settings: { PORT: String(port), PUBLIC_URL: publicUrl } });
    key = await seedApiKey(service.sql, await seedShop(service.sql), { scopes: ['catalog:read', 'account:read'] });
  });
  afterAll(async () => {
    await proxy.close();
    await service.close();
  });

  /** Absolute URLs of the service in a response. */
  async function addressesIn(response: Response): Promise<string[]> {
    const type = response.headers.get('Content-Type') ?? '';
    const text = await response.text();
    const found: string[] = [];
    for (const name of ['Location', 'Content-Location', 'Link', 'WWW-Authenticate'])
      found.push(...quotedAddresses(response.headers.get(name) ?? '', proxy.origin));
    found.push(...quotedAddresses(text, proxy.origin));
    if (type.includes('html')) {
      for (const [, value = ''] of text.matchAll(/\b(?:href|src|action)="([^"]*)"/g))
        if (!value.startsWith('#')) found.push(new URL(value.replaceAll('&amp;', '&'), response.url).href);
    }
    if (/html|javascript|json/.test(type)) {
      // Absolute paths in the strings of scripts and JSON or in error messages, and modules that scripts import.
      for (const pattern of [rootRelative, ...(type.includes('json') ? [rootRelativeWord] : [])])
        for (const [, value = ''] of text.matchAll(pattern)) found.push(`${proxy.origin}${value}`);
      for (const [, value = ''] of text.matchAll(/(?:from|import\() ?['"](\.\/[\w-]+\.js)['"]/g))
        found.push(new URL(value, response.url).href);
    }
    return found.filter((address) => address.startsWith(`${proxy.origin}/`));
  }

  it('writes no URL outside the path, and responds at each', async () => {
    const paths = allRoutes.map(({ path }) => path).filter((path) => !path.includes('{') && path !== '/subgraph');
    const refused = ['/v1/products/unknown', '/v1/unknown', '/unknown', '/graphql/unknown', '/graphql?query=%7B'];
    const unknown = new Set(refused.map((path) => `${publicUrl}${path}`));
    const html = { Accept: 'text/html,*/*;q=0.1' };
    const authorization = { Authorization: `Bearer ${key.apiKey}` };
    const outside = new Map<string, string>();
    const unreachable = new Map<string, string>();
    const seen = new Set<string>();
    const queue = [...paths.map((path) => `${publicUrl}${path}`), ...unknown];
    for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
      if (seen.has(address)) continue;
      seen.add(address);
      for (const headers of [{}, html, authorization, { Authorization: 'Bearer ck_a.b' }]) {
        const response = await fetch(address, { headers, redirect: 'manual' });
        const { status } = response;
        const isChallenged = status === 401 && response.headers.has('WWW-Authenticate');
        const isAnswered = status < 400 || isChallenged || status === 405;
        if (!isAnswered && !unknown.has(address) && headers !== authorization) unreachable.set(address, `${status}`);
        for (const next of await addressesIn(response)) {
          if (!belongs.test(new URL(next).pathname)) outside.set(next, address);
          // The base URL of REST, and that of products to which examples append an id, are not resources.
          else if (next !== `${publicUrl}/v1` && next !== `${publicUrl}/v1/products/`)
            queue.push(next.replace(/#.*/, ''));
        }
      }
    }
    expect([...outside]).toEqual([]);
    expect([...unreachable]).toEqual([]);
    expect([...seen].map((address) => address.replace(publicUrl, ''))).toEqual(
      expect.arrayContaining([
        '/reference/assets/console.js',
        '/dashboard/assets/graphql.js',
        '/.well-known/api-catalog',
        '/dashboard/assets/elements.js',
        '/explorer/assets/graphiql.js',
        '/v1/openapi.json',
        '/.well-known/jwks.json',
        `${proxy.origin}/.well-known/oauth-protected-resource${prefix}/v1`,
        `${proxy.origin}/.well-known/oauth-protected-resource${prefix}/graphql`,
      ]),
    );
  });

  it('describes itself with its URL in metadata and OpenAPI', async () => {
    const read = async (address: string): Promise<unknown> => (await fetch(address)).json();
    const wellKnown = `${proxy.origin}/.well-known`;
    expect(await read(`${wellKnown}/oauth-authorization-server${prefix}`)).toMatchObject({
      issuer: publicUrl,
      token_endpoint: `${publicUrl}/oauth/token`,
      jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    });
    for (const path of ['', '/v1', '/graphql', '/changes', '/mcp', '/export']) {
      const document = await read(`${wellKnown}/oauth-protected-resource${prefix}${path}`);
      expect(document).toMatchObject({ resource: `${publicUrl}${path}`, authorization_servers: [publicUrl] });
      // For proxies that forward only the path.
      expect(await read(`${publicUrl}/.well-known/oauth-protected-resource${path}`)).toEqual(document);
    }
    const { headers } = await fetch(`${publicUrl}/.well-known/api-catalog`, { method: 'HEAD' });
    expect(headers.get('Link')).toContain(`<${prefix}/.well-known/api-catalog>; rel="api-catalog"`);
    const document = JSON.stringify(await read(`${publicUrl}/v1/openapi.json`));
    expect(document).toContain(`"servers":[{"url":"${publicUrl}/v1"`);
    expect(document).toContain(`"tokenUrl":"${publicUrl}/oauth/token"`);
    expect(document).toContain(`resource_metadata=\\"${wellKnown}/oauth-protected-resource${prefix}/v1\\"`);
  });

  it('leads a standard OAuth client from the challenge to a response', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true };
    const api = new URL(`${publicUrl}/v1/shop`);
    const resource = new URL(`${publicUrl}/v1`);
    const refused = await fetch(api);
    const discovered = await oauth.resourceDiscoveryRequest(resource, insecure);
    expect(refused.headers.get('WWW-Authenticate')).toContain(`resource_metadata="${discovered.url}"`);
    const { authorization_servers: [issuer = ''] = [] } = await oauth.processResourceDiscoveryResponse(
      resource,
      discovered,
    );
    const metadata = await oauth.processDiscoveryResponse(
      new URL(issuer),
      await oauth.discoveryRequest(new URL(issuer), { algorithm: 'oauth2', ...insecure }),
    );
    const client = { client_id: key.clientId };
    const { access_token: token } = await oauth.processClientCredentialsResponse(
      metadata,
      client,
      await oauth.clientCredentialsGrantRequest(
        metadata,
        client,
        oauth.ClientSecretBasic(key.clientSecret),
        {},
        insecure,
      ),
    );
    expect((await oauth.protectedResourceRequest(token, 'GET', api, undefined, null, insecure)).status).toBe(200);
    const presented = new Request(api, { headers: { Authorization: `Bearer ${token}` } });
    await oauth.validateJwtAccessToken(metadata, presented, resource.href, insecure);
  });

  it('responds to malformed requests in the format of the surface', async () => {
    for (const [path, member] of [
      ['/v1/shop', 'error'],
      ['/graphql', 'errors'],
    ] as const) {
      const bytes = `GET ${prefix}${path} HTTP/1.1\r\nHost: localhost\r\nnonsense\r\n\r\n`;
      const [answer] = await sendRaw(service.origin, bytes);
      expect(answer).toMatchObject({ status: 400, body: { [member]: expect.anything() as unknown } });
    }
  });

  it('keeps its own paths for health checks, and no others', async () => {
    expect((await fetch(`${service.origin}/readyz`)).status).toBe(200);
    for (const path of [
      '/catalog/v1/shop',
      '/catalog/reader/v1/shop',
      `${prefix}${prefix}/v1/shop`,
      `/v1${prefix}/shop`,
    ])
      expect([path, (await fetch(`${service.origin}${path}`)).status]).toEqual([path, 404]);
  });
});

describe('the path of PUBLIC_URL', () => {
  const segment = fc.stringMatching(/^[\w~.-]{1,12}$/).filter((text) => !/^\.{1,2}$/.test(text));
  const anyPrefix = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join('/')}`);
  const query = fc.constantFrom('', '?', '?a=/v1', '?/catalog');
  const target = fc.constantFrom(...allRoutes.map(({ path }) => path.replaceAll(/\{\*?\w+\}/g, 'x')));

  it('is removed from a target that has it, and no path of the service is mistaken for one', () => {
    fc.assert(
      fc.property(anyPrefix, target, query, (path, own, end) => {
        let accepted = '';
        try {
          accepted = new URL(loadConfig({ PUBLIC_URL: `https://shop.example${path}` }).publicUrl ?? '').pathname;
        } catch {
          fc.pre(false);
        }
        expect(accepted).toBe(path);
        expect(toOriginForm(`${path}${own}${end}`, path)).toBe(`${own}${end}`);
        expect(toOriginForm(`https://shop.example${path}${own}${end}`, path)).toBe(`${own}${end}`);
        expect(toOriginForm(`${own}${end}`, path)).toBe(`${own}${end}`);
        expect(toOriginForm(`${own}?u=${path}/x`, path)).toBe(`${own}?u=${path}/x`);
        expect(toOriginForm(`${path}${end}`, path)).toBe(`/${end}`);
        expect(toOriginForm(`${path}x${own}`, path)).toBe(`${path}x${own}`);
        const name = '/.well-known/oauth-protected-resource';
        expect(toOriginForm(`${name}${path}${own}${end}`, path)).toBe(`${name}${own === '/' ? '/' : own}${end}`);
        expect(toOriginForm(`${name}${path}${end}`, path)).toBe(`${name}${end}`);
      }),
    );
  });

  it('is in the call that is shown with a new key', () => {
    const config = loadConfig({ PUBLIC_URL: 'https://shop.example/catalog' });
    expect(curlLine({ apiKey: 'ck_a.b', scopes: ['account:read'] }, config)).toContain(
      "'https://shop.example/catalog/v1/shop'",
    );
  });

  it('may not begin with any segment of a route', () => {
    const segments = allRoutes.map(({ path }) => path.split('/')[1] ?? '').filter((first) => first !== '');
    expect([...new Set(segments)].sort()).toEqual([...ownSegments].sort());
  });
});

const own = ownSegments.map((each) => each.replaceAll('.', '\\.')).join('|');
/** A path of the service that is a whole string. */
const rootRelative = new RegExp(`["'\`](/(?:${own})(?:/[\\w./-]*)?)["'\`]`, 'g');
const rootRelativeWord = new RegExp(` (/(?:${own})(?:/[\\w./-]*)?)(?=[\\s,])`, 'g');

/** Absolute URLs of an origin in a text, without trailing punctuation. */
const quotedAddresses = (text: string, origin: string): string[] =>
  [...text.matchAll(new RegExp(`${origin.replaceAll('.', '\\.')}[^\\s"'\`<>()\\\\,]*`, 'g'))].map(([address]) =>
    address.replace(/(?:&quot;.*|&#.*|[.;:]+)$/, '').replaceAll('&amp;', '&'),
  );
