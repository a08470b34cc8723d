import { sendRaw } from '../support/raw-http';
import { useService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';

let shop: ShopFixture;
const service = useService({ rateLimit: 10_000 });
beforeAll(async () => {
  shop = await createShop(service);
});

const head = (line: string, ...headers: string[]): string =>
  [line, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');
const code = 'BAD_USER_INPUT';
/** The sentence, with what the parser of this version of Node reports. */
const reported = (reason: RegExp): unknown =>
  expect.stringMatching(
    new RegExp(`^Expected a well-formed HTTP/1\\.1 request\\. The parser reports: ${reason.source}\\.$`),
  );
const method = reported(/Invalid method encountered/);
const ascii = 'URL: expected printable ASCII without spaces or a fragment; percent-encode everything else.';
const lines = reported(/.*header.*/);
const length = reported(/.*(?:Content-Length|Transfer-Encoding).*/);

describe('malformed HTTP gets the envelope and the rate-limit headers (D1, D2, D19)', () => {
  it.each<[name: string, bytes: string, status: number, message: unknown]>([
    ['no HTTP at all', 'hello\r\n\r\n', 400, method],
    ['an unknown method', head('FOO /v1/shop HTTP/1.1'), 400, method],
    ['a method in lowercase', head('get /v1/shop HTTP/1.1'), 400, method],
    ['an unknown version', head('GET /v1/shop HTTP/9.9'), 400, reported(/Invalid HTTP version/)],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400, method],
    ['a space in the target', head('GET /v1/sh op HTTP/1.1'), 400, ascii],
    ['a header without a colon', head('GET /v1/shop HTTP/1.1', 'nonsense'), 400, lines],
    [
      'a space before the colon',
      head('GET /v1/shop HTTP/1.1', 'X-A : b'),
      400,
      // Node 20 accepts it.
      expect.stringMatching(/parser reports: Invalid header token|without a space before the colon/),
    ],
    ['a NUL in a header', head('GET /v1/shop HTTP/1.1', 'X-A: a\0b'), 400, lines],
    ['two lengths', head('GET /v1/shop HTTP/1.1', 'Content-Length: 1', 'Content-Length: 2'), 400, length],
    ['a length that is no number', head('GET /v1/shop HTTP/1.1', 'Content-Length: x'), 400, length],
    [
      'a length and chunks (request smuggling)',
      head('GET /v1/shop HTTP/1.1', 'Content-Length: 5', 'Transfer-Encoding: chunked'),
      400,
      length,
    ],
    ['a folded header', 'GET /v1/shop HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\0: d\r\n\r\n', 400, lines],
    ['no Host', 'GET /v1/shop HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'Host: expected exactly one header, got 0.'],
    ['two Hosts', head('GET /v1/shop HTTP/1.1', 'Host: other'), 400, 'Host: expected exactly one header, got 2.'],
    [
      'an unknown expectation',
      head('GET /v1/shop HTTP/1.1', 'Expect: the-best'),
      417,
      'Expect: the only supported expectation is 100-continue.',
    ],
    [
      'bad percent-encoding in the path',
      head('GET /v1/products/%E0%A4%A HTTP/1.1'),
      400,
      'URL: the path contains invalid percent-encoding; expected UTF-8 bytes as %XX.',
    ],
    [
      'bad percent-encoding in an unknown path',
      head('GET /v1/%zz HTTP/1.1'),
      400,
      'URL: the path contains invalid percent-encoding; expected UTF-8 bytes as %XX.',
    ],
    ['raw UTF-8 in the path', head('GET /v1/products/\xc3\xa9 HTTP/1.1'), 400, ascii],
    ['a tab in the target', head('GET /v1/sh\top HTTP/1.1'), 400, ascii],
    ['a target without a slash', head('GET v1/shop HTTP/1.1'), 400, ascii],
    ['a method with an address in it', head('A@B.EXAMPLE /v1/shop HTTP/1.1'), 400, method],
    ['an unknown coding', head('GET /v1/shop HTTP/1.1', 'Transfer-Encoding: gzip'), 400, length],
    ['raw UTF-8 in the target', head('GET /v1/products?q=\xc3\xa9 HTTP/1.1'), 400, ascii],
    [
      'a fragment',
      head('GET /v1/shop#top HTTP/1.1'),
      400,
      'URL: expected printable ASCII without spaces or a fragment; percent-encode everything else.',
    ],
    [
      'a target of 9,000 characters',
      head(`GET /v1/products?q=${'x'.repeat(9000 - 15)} HTTP/1.1`),
      414,
      'URL: expected at most 8192 characters, got 9000.',
    ],
    [
      'a target of 20,000 characters',
      head(`GET /v1/products?q=${'x'.repeat(20_000)} HTTP/1.1`),
      414,
      'URL: expected at most 8192 characters.',
    ],
    [
      'headers of 20,000 characters',
      head('GET /v1/shop HTTP/1.1', `X-A: ${'x'.repeat(20_000)}`),
      431,
      'Headers: expected at most 16 KiB in total.',
    ],
    [
      'CONNECT',
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n',
      400,
      reported(/CONNECT is for proxies/),
    ],
  ])('%s', async (_, bytes, status, message) => {
    const answers = await sendRaw(service.origin, bytes);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({
      status,
      body: { error: { code, message } },
      headers: {
        'content-type': 'application/json',
        'ratelimit-limit': '10000',
        'ratelimit-policy': '"address";q=10000;w=60',
        ratelimit: '"address";r=10000;t=60',
        connection: 'close',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(answers[0]?.headers).toMatchObject({ 'ratelimit-remaining': '10000', 'ratelimit-reset': '60' });
  });

  it('HTTP/2 without negotiation, for a path that does not exist', async () => {
    const [answer] = await sendRaw(service.origin, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code, message: reported(/Pause on PRI\/Upgrade/) } },
    });
  });

  it('uses the error format of its surface (D13, D26)', async () => {
    const [graphql] = await sendRaw(service.origin, head('POST /graphql HTTP/1.1', 'Content-Length: x'));
    expect(graphql?.body).toEqual({ errors: [{ message: length, extensions: { code } }] });
    expect(graphql?.headers['ratelimit-limit']).toBe('10000');
    const [oauth] = await sendRaw(service.origin, head('POST /oauth/token HTTP/1.1', 'Content-Length: x'));
    expect(oauth?.body).toEqual({ error: 'invalid_request', error_description: length });
    expect(oauth?.headers).not.toHaveProperty('ratelimit-limit');
  });

  it('answers a valid request before the malformed one behind it (pipelining)', async () => {
    const sound = `GET /v1/shop HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.apiKey}\r\n\r\n`;
    const answers = await sendRaw(service.origin, `${sound}nonsense\r\n\r\n`);
    expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  });

  it('answers once however many malformed bytes follow', async () => {
    const answers = await sendRaw(service.origin, 'nonsense\r\n\r\n', 'nonsense\r\n\r\n', 'x'.repeat(10_000));
    expect(answers.map(({ status }) => status)).toEqual([400]);
  });

  it('does not answer twice when the body of an answered request is malformed', async () => {
    const bytes = head('GET /v1/shop HTTP/1.1', 'Transfer-Encoding: chunked');
    const answers = await sendRaw(service.origin, `${bytes}zz\r\n`);
    expect(answers).toHaveLength(1);
  });
});

describe('unusual but valid HTTP is served', () => {
  const authorization = () => `Authorization: Bearer ${shop.apiKey}`;

  it.each<[name: string, bytes: () => string]>([
    ['HTTP/1.0 without Host', () => `GET /v1/shop HTTP/1.0\r\n${authorization()}\r\n\r\n`],
    ['the absolute form (RFC 9112 3.2.2)', () => head('GET http://example.com/v1/shop HTTP/1.1', authorization())],
    [
      'a header name in capitals',
      () => head('GET /v1/shop HTTP/1.1', authorization().toUpperCase().replace(/: .*/, `: bEARER ${shop.apiKey}`)),
    ],
    [
      'a body on GET, which is ignored',
      () => `${head('GET /v1/shop HTTP/1.1', authorization(), 'Content-Length: 5')}{"a":`,
    ],
    ['an upgrade offer, which is declined', () => head('GET /v1/shop HTTP/1.1', authorization(), 'Upgrade: h2c')],
    ['an empty line in front', () => `\r\n${head('GET /v1/shop HTTP/1.1', authorization())}`],
    ['an empty query', () => head('GET /v1/shop? HTTP/1.1', authorization())],
  ])('%s', async (_, bytes) => {
    const answers = await sendRaw(service.origin, bytes());
    expect(answers.map(({ status }) => status)).toEqual([200]);
  });

  it('refuses two credentials even if one of them is right (D16)', async () => {
    const [answer] = await sendRaw(
      service.origin,
      head('GET /v1/shop HTTP/1.1', authorization(), 'Authorization: Bearer ck_a.b'),
    );
    expect(answer).toMatchObject({ status: 401, body: { error: { code: 'UNAUTHORIZED' } } });
  });

  it('answers OPTIONS * (RFC 9110 9.3.7)', async () => {
    const [answer] = await sendRaw(service.origin, head('OPTIONS * HTTP/1.1'));
    expect(answer).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' } });
  });
});

describe('Expect: 100-continue (RFC 9110 10.1.1)', () => {
  const expecting = (path: string, headers: readonly string[], version = '1.1'): string =>
    [`POST ${path} HTTP/${version}`, 'Host: a', 'Expect: 100-continue', ...headers, '', ''].join('\r\n');
  const json = 'Content-Type: application/json';
  const form = 'Content-Type: application/x-www-form-urlencoded';
  const authorized = (): string => `Authorization: Bearer ${shop.apiKey}`;

  it.each<[name: string, path: string, headers: () => readonly string[], status: number]>([
    ['a body beyond the limit', '/graphql', () => [json, authorized(), 'Content-Length: 300000'], 413],
    ['a tool call beyond the limit', '/mcp', () => [json, authorized(), 'Content-Length: 300000'], 413],
    ['a grant beyond the limit', '/oauth/token', () => [form, 'Content-Length: 300000'], 413],
    ['a compressed grant', '/oauth/token', () => [form, 'Content-Encoding: gzip', 'Content-Length: 20'], 415],
    ['a wrong credential', '/graphql', () => [json, 'Authorization: Bearer x', 'Content-Length: 20'], 401],
    ['another media type', '/graphql', () => ['Content-Type: a/b', authorized(), 'Content-Length: 20'], 415],
    ['a path that does not exist', '/nothing', () => ['Content-Length: 20'], 404],
  ])('%s is refused before its body is asked for, and the connection ends', async (_, path, headers, status) => {
    const answers = await sendRaw(service.origin, expecting(path, headers()));
    expect(answers.map(({ status: each, headers: sent }) => [each, sent['connection']])).toEqual([[status, 'close']]);
  });

  it.each([
    ['1.1', [100, 200]],
    ['1.0', [200]],
  ] as const)('an acceptable body is requested once in HTTP/%s', async (version, statuses) => {
    const body = '{"query":"{ shop { id } }"}';
    const headers = [json, authorized(), 'Connection: close', `Content-Length: ${body.length}`];
    const answers = await sendRaw(service.origin, expecting('/graphql', headers, version) + body);
    expect(answers.map(({ status }) => status)).toEqual(statuses);
  });
});
