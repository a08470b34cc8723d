import { startApp } from '../support/app';
import type { RunningApp } from '../support/app';
import { sendRaw } from '../support/raw-http';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

const demoApiKey = 'ck_demo.key';
const html = 'text/html,application/xhtml+xml,*/*;q=0.8';
const subgraphSecret = 'a secret between this service and its router';

const modes = ['development', 'test', 'production'] as const;
type Mode = (typeof modes)[number];

interface Route {
  readonly path: string;
  readonly allow: string;
  /** Scripts of other origins may read it. */
  readonly isShared: boolean;
  readonly headers?: Readonly<Record<string, string>>;
  /** Omitted: everywhere. */
  readonly isThere?: (mode: Mode) => boolean;
}

const outsideProduction = (mode: Mode): boolean => mode !== 'production';
const get = 'GET, HEAD, OPTIONS';
const page = { allow: get, isShared: false, isThere: outsideProduction };
const routes: readonly Route[] = [
  ...['shop', 'products', 'products/x', 'collections', 'orders', 'openapi.json'].map((name) => ({
    path: `/v1/${name}`,
    allow: get,
    isShared: true,
  })),
  { path: '/graphql', allow: 'GET, HEAD, POST, OPTIONS', isShared: true },
  { path: '/subgraph', allow: 'POST, OPTIONS', isShared: true },
  { path: '/changes', allow: get, isShared: true },
  { path: '/export', allow: get, isShared: true },
  { path: '/mcp', allow: 'POST, OPTIONS', isShared: false },
  { path: '/oauth/token', allow: 'POST, OPTIONS', isShared: true },
  ...['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/v1', 'jwks.json'].map(
    (name) => ({ path: `/.well-known/${name}`, allow: get, isShared: true }),
  ),
  { path: '/livez', allow: get, isShared: true },
  { path: '/readyz', allow: get, isShared: true },
  { path: '/metrics', ...page },
  { path: '/explorer', ...page },
  { path: '/explorer/assets/graphiql.js', ...page },
  { path: '/explorer/assets/graphiql.css', ...page },
  { path: '/favicon.ico', ...page },
  ...[
    '/',
    '/reference',
    '/reference/assets/console.js',
    '/reference/assets/reference.css',
    '/dashboard',
    '/dashboard/assets/dashboard.js',
    '/dashboard/assets/search.js',
    '/dashboard/assets/dashboard.css',
  ].map((path) => ({
    path,
    allow: get,
    isShared: false,
  })),
  ...['/reference.md', '/llms.txt'].map((path) => ({ path, allow: get, isShared: true })),
];

/** What a browser sends before a cross-origin request, and what people send to see what is allowed. */
const preflights: readonly Readonly<Record<string, string>>[] = [
  {},
  { Accept: html },
  ...['GET', 'HEAD', 'POST', 'DELETE'].flatMap((method) =>
    [undefined, 'authorization', 'authorization,content-type,if-none-match,x-request-id', 'x-anything'].map(
      (names) => ({
        'Access-Control-Request-Method': method,
        ...(names === undefined ? {} : { 'Access-Control-Request-Headers': names }),
      }),
    ),
  ),
];

const grantTo = (sent: Readonly<Record<string, string>> = {}) => ({
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET,HEAD,POST,OPTIONS',
  'access-control-max-age': '86400',
  'access-control-expose-headers': expect.stringContaining('ETag') as string,
  ...('Access-Control-Request-Headers' in sent
    ? { 'access-control-allow-headers': sent['Access-Control-Request-Headers'] }
    : {}),
});

/** One edit away from a route. */
const unknownPaths = [
  ...[
    '/nothing',
    '/reference/',
    '/reference/assets/',
    '/reference/assets/guides.md',
    '/dashboard/',
    '/dashboard/assets/',
    '/dashboard/assets/search.graphql',
    '/dashboard/operations/search.graphql',
    '/Reference',
    '/llms.txt/',
    '/v1',
    '/v1/',
    '/v1/nothing',
    '/V1/shop',
    '/v1/shop/',
    '/v1//shop',
    '/v1/products/x/variants',
    '/v1/__proto__',
    '/v1/.%2e/livez',
    '/v1/openapi.yaml',
    '/v2/shop',
  ],
  ...['/graphql/', '/GraphQL', '/graphql/x', '/oauth', '/oauth/', '/oauth/token/', '/oauth/authorize', '/.well-known'],
  ...[
    '/.well-known/nothing',
    '/.well-known/oauth-protected-resource/v2',
    '/livez/',
    '/metrics/',
    '/explorers',
    '/subgraph/',
    '/changes/',
    '/export/',
  ],
];

let authorization: string;
const database = useTestDatabase();
beforeAll(async () => {
  authorization = `Bearer ${(await seedApiKey(database.sql, await seedShop(database.sql))).apiKey}`;
});

describe.each(modes)('with NODE_ENV=%s', (mode) => {
  let running: RunningApp;
  beforeAll(async () => {
    running = await startApp(
      { database: database.database, demoApiKey },
      {
        NODE_ENV: mode,
        PUBLIC_URL: 'https://api.example.com',
        SUBGRAPH_SECRET: subgraphSecret,
        RATE_LIMIT_REQUESTS: '10000',
      },
    );
  });
  afterAll(() => running.app.close());

  const call = (path: string, method: string, headers: Readonly<Record<string, string>> = {}) =>
    exchange(running.origin, path, { method, headers: { Origin: 'https://evil.example', ...headers } });

  describe.each(routes)('$path', ({ path, allow, isShared, isThere = () => true }) => {
    const exists = isThere(mode);

    it('answers OPTIONS with 204 and Allow, and any preflight where scripts of other origins are allowed', async () => {
      const answers = await Promise.all(preflights.map((sent) => call(path, 'OPTIONS', sent)));
      for (const [index, { status, text, headers }] of answers.entries()) {
        const cors = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
        expect({ status, text: exists ? text : '', allow: headers['allow'], cors }).toEqual(
          exists
            ? { status: 204, text: '', allow, cors: isShared ? grantTo(preflights[index]) : {} }
            : { status: 404, text: '', allow: undefined, cors: {} },
        );
      }
    });

    it('answers 405 with Allow to other methods, and HEAD as GET without its body', async () => {
      for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
        const answer = await call(path, method);
        if (!exists) expect(answer.status).toBe(404);
        else expect(answer).toMatchObject({ status: 405, headers: { allow } });
      }
      const headers = { Authorization: authorization };
      const [ofGet, ofHead] = [await call(path, 'GET', headers), await call(path, 'HEAD', headers)];
      expect(ofHead).toMatchObject({ status: ofGet.status, text: '' });
      expect(ofHead.headers['content-type']).toBe(ofGet.headers['content-type']);
      if (!exists) expect(ofGet.status).toBe(404);
    });

    it('carries CORS headers exactly where it may be read from other origins, whatever the outcome of the request', async () => {
      const answers = await Promise.all([
        call(path, 'GET'),
        call(path, 'GET', { Authorization: authorization }),
        call(path, 'POST'),
        call(path, 'GET', { Expect: 'the-best' }),
      ]);
      const raw = await Promise.all(
        [
          `GET ${path} HTTP/1.1\r\nConnection: close\r\n\r\n`,
          `GET ${path} HTTP/0.9\r\nConnection: close\r\n\r\n`,
          `GET ${path} HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n`,
          `BREW ${path} HTTP/1.1\r\nHost: a\r\n\r\n`,
          `GET http://a${path} HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n`,
        ].map((bytes) => sendRaw(running.origin, bytes)),
      );
      for (const answer of [...answers, ...raw.flat()]) {
        expect(answer?.headers['access-control-allow-origin']).toBe(isShared ? '*' : undefined);
        expect(answer?.headers).toHaveProperty('x-request-id');
        expect(answer?.headers).toMatchObject({
          ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
          'content-security-policy': expect.stringContaining("default-src 'none'") as string,
          'strict-transport-security': expect.any(String) as string,
        });
        expect(answer?.headers).not.toHaveProperty('x-powered-by');
      }
    });

    it.each(['HTTP/0.9', 'HTTP/1.2', 'HTTP/2.0', 'HTTP/9.9', 'HTTP/0.0', 'HTTP/1', 'HTTP/01.1', 'http/1.1', ''])(
      'responds with 400 to the version %j, in the format of its errors',
      async (version) => {
        const answers = await sendRaw(running.origin, `GET ${path} ${version}\r\nHost: a\r\nConnection: close\r\n\r\n`);
        expect(answers[0]).toMatchObject({ status: 400, headers: { 'content-type': 'application/json' } });
        expect(answers[0]?.text).toMatch(/BAD_USER_INPUT|invalid_request/);
      },
    );
  });

  it.each(unknownPaths)('answers 404 to any method at an unknown path: %s', async (path) => {
    for (const [method, sent] of [
      ['OPTIONS', {}],
      ['OPTIONS', { 'Access-Control-Request-Method': 'GET' }],
      ['GET', {}],
      ['POST', {}],
    ] as const) {
      const { status, headers, text } = await call(path, method, sent);
      expect([status, headers['allow']]).toEqual([404, undefined]);
      expect(text).toContain('No route matches this path. See /v1/openapi.json');
      expect(text).toMatch(/"NOT_FOUND"|"invalid_request"/);
    }
  });

  it.each([
    ['evil.example', false],
    ['evil.example:4000', false],
    ['localhost.evil.example', false],
    ['127.0.0.1.evil.example', false],
    ['api.example.com.evil.example', false],
    ['api.example.com@evil.example', false],
    ['user:pw@127.0.0.1', false],
    ['@127.0.0.1', false],
    ['127.0.0.1/x', false],
    ['127.0.0.1?x', false],
    ['127.0.0.1#evil.example', false],
    ['localhost\\.evil.example', false],
    ['local%68ost', false],
    ['localhost', true],
    ['localhost:4000', true],
    ['127.0.0.1:4000', true],
    ['[::1]:4000', true],
    ['192.168.1.5:4000', true],
    ['api.example.com', true],
  ])('fills a page opened as %j with the demo key: %s (DNS rebinding)', async (host, isOurs) => {
    for (const path of ['/graphql', '/explorer', '/', '/reference', '/reference/graphql', '/changelog', '/dashboard']) {
      const { text, headers } = await call(path, 'GET', { Host: host, Accept: html });
      const isShown = text.includes(demoApiKey);
      expect([path, isShown]).toEqual([path, isOurs && mode !== 'production']);
      if (mode === 'production') continue;
      // Neither a cache nor a script of another origin gets it.
      expect([path, headers['cache-control'], headers['etag']]).toEqual([path, 'no-store', undefined]);
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it.each([
    'utf-16',
    'UTF-16LE',
    'utf-32',
    'iso-8859-1',
    'latin1',
    'x',
    '',
    '"',
    'utf-8; charset=utf-16',
    "'utf-8'",
    '%75tf-8',
  ])('answers 415 to a body in the charset %j, at /graphql, /subgraph and /oauth/token', async (charset) => {
    const headers = {
      Authorization: authorization,
      'Router-Authorization': subgraphSecret,
      'Content-Type': `application/json; charset=${charset}`,
    };
    for (const path of ['/graphql', '/subgraph', '/oauth/token']) {
      const { status } = await exchange(running.origin, path, {
        method: 'POST',
        headers,
        body: '{"query":"{__typename}"}',
      });
      expect(status).toBe(415);
    }
  });

  it.each(['utf-8', 'UTF-8', '"utf-8"', 'utf8', 'us-ascii', 'utf-8; x=y', 'utf-8 ;q="charset"'])(
    'reads a body in the charset %j',
    async (charset) => {
      const headers = { Authorization: authorization, 'Content-Type': `application/json;charset=${charset}` };
      const body = '{"query":"{ shop { id } }"}';
      expect(await exchange(running.origin, '/graphql', { method: 'POST', headers, body })).toMatchObject({
        status: 200,
      });
    },
  );

  it('trims nothing but spaces and tabs around the value of Authorization', async () => {
    const status = async (value: string) =>
      (
        await sendRaw(
          running.origin,
          `GET /v1/shop HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization:${value}\r\n\r\n`,
        )
      )[0]?.status;
    expect([await status(authorization), await status(` \t ${authorization}\t \t`)]).toEqual([200, 200]);
    for (const code of [0x0b, 0x0c, 0x1c, 0x1f, 0x85, 0xa0, 0xad, 0xff]) {
      const character = String.fromCharCode(code);
      for (const value of [
        character + authorization,
        authorization + character,
        authorization.replace(' ', character),
      ]) {
        expect([400, 401]).toContain(await status(value));
      }
    }
  });

  it('accepts no credential from trailers, nor one after 3,000 headers', async () => {
    const chunked = `POST /graphql HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n\r\n`;
    const body = '{"query":"{ shop { id } }"}';
    const [trailing] = await sendRaw(
      running.origin,
      `${chunked}${body.length.toString(16)}\r\n${body}\r\n0\r\nAuthorization: ${authorization}\r\n\r\n`,
    );
    expect(trailing?.status).toBe(401);
    const many = 'a:\r\n'.repeat(3000);
    const head = 'GET /v1/shop HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';
    const [hidden] = await sendRaw(
      running.origin,
      `${head}Authorization: ${authorization}\r\n${many}Authorization: Bearer x\r\n\r\n`,
    );
    expect(hidden?.status).toBe(401);
    const [alone] = await sendRaw(running.origin, `${head}${many}Authorization: ${authorization}\r\n\r\n`);
    expect(alone?.status).toBe(200);
    const [secondHost] = await sendRaw(running.origin, `${head}${many}Host: b\r\n\r\n`);
    expect(secondHost?.status).toBe(400);
  });
});

describe('METRICS_ON_API_PORT', () => {
  it.each<[settings: Record<string, string>, status: number]>([
    [{}, 200],
    [{ NODE_ENV: 'production' }, 404],
    [{ NODE_ENV: 'production', METRICS_ON_API_PORT: 'true' }, 200],
    [{ METRICS_ON_API_PORT: 'false' }, 404],
    [{ METRICS_PORT: '0' }, 404],
    [{ METRICS_PORT: '0', METRICS_ON_API_PORT: 'true' }, 200],
  ])('%j: GET /metrics is answered with %i, without CORS headers', async (settings, expected) => {
    const { app, origin } = await startApp(
      { database: database.database },
      { PUBLIC_URL: 'https://api.example.com', ...settings },
    );
    const { status, headers } = await exchange(origin, '/metrics', {});
    await app.close();
    expect(status).toBe(expected);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
