import { request } from 'node:http';
import { text as readAll } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { escapeHtml, toInlineJson } from '../../src/http/endpoints/shell/render-shell';
import { fc } from '../support/properties';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));
/**
 * C0, DEL, C1, separators, marks that reverse what is read, halves of pairs, and what separates in headers and HTML.
 */
const hostileUnits = [
  ...range(0, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x2069),
  '\ud800',
  '\udc00',
  ...'"\'<>&,;:=\\\r\n',
  '\r\nSet-Cookie: a=b',
  '</script>',
];
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...hostileUnits), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));
/** What a header of a request can carry at all: tab, printable ASCII, and bytes above it. */
const toFieldValue = (text: string): string =>
  text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '\u0085').replaceAll(/^[\t ]+|[\t ]+$/g, '') || 'x';
/** UTF-8 in percent-encoding; halves of pairs as the bytes that some encoders make of them. */
const encode = (text: string): string =>
  [...text].map((unit) => (/^[\ud800-\udfff]$/.test(unit) ? '%ED%A0%80' : encodeURIComponent(unit))).join('');

interface Call {
  readonly method: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

describe('text of callers and of shops in responses', () => {
  let service: Service;
  let authorization: string;

  beforeAll(async () => {
    service = await startService({ rateLimit: 1_000_000, settings: { EXPLORER: 'on' } });
    const shop = await seedShop(service.sql);
    // All that PostgreSQL can store.
    const text = hostileUnits.join('').replace('\0', '').replace('\ud800', '').replace('\udc00', '');
    await seedProduct(service.sql, shop, { title: text, handle: text, vendor: text });
    const { apiKey } = await seedApiKey(service.sql, shop, { scopes: ['catalog:read'] });
    authorization = `Bearer ${apiKey}`;
  });
  afterAll(() => service.close());

  const exchange = async ({
    method,
    target,
    headers,
    body,
  }: Call): Promise<{ answer: IncomingMessage; text: string }> => {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(`${service.origin}${target}`, { method, headers, agent: false }, resolve);
      call.on('error', reject);
      call.end(body);
    });
    return { answer, text: await readAll(answer) };
  };

  /** No header has more than printable ASCII, each is one of ours, and the service does not fail. */
  const expectGated = (call: Call, { statusCode = 0, rawHeaders }: IncomingMessage): void => {
    const bad = rawHeaders.filter((value) => /[^\x20-\x7e]/.test(value) || /^set-cookie$/i.test(value));
    expect({ call, statusCode, bad }).toEqual({ call, statusCode, bad: [] });
    expect({ call, isFailure: statusCode >= 500 }).toEqual({ call, isFailure: false });
  };

  /** Names of headers that something in the service reads, or that a proxy sets. */
  const headerNames = [
    'X-Request-Id',
    'Origin',
    'Accept',
    'Accept-Encoding',
    'If-None-Match',
    'User-Agent',
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'Traceparent',
    'Tracestate',
    'Content-Type',
    'Authorization',
    'Access-Control-Request-Method',
    'Access-Control-Request-Headers',
    'Apollo-Require-Preflight',
    'Apollographql-Client-Name',
  ];

  it('header values are printable ASCII, whatever is in a URL, a header or a body', async () => {
    const calls = fc
      .record({ texts: fc.array(hostile, { minLength: 3, maxLength: 3 }), name: fc.constantFrom(...headerNames) })
      .chain(({ texts: [a = '', b = '', c = ''], name }) => {
        const [ea, eb] = [encode(a), encode(b)];
        const headers = { Authorization: authorization, [name]: toFieldValue(c) };
        const json = { ...headers, 'Content-Type': 'application/json' };
        const form = { [name]: toFieldValue(c), 'Content-Type': 'application/x-www-form-urlencoded' };
        return fc.constantFrom<Call>(
          { method: 'GET', target: `/v1/products?${ea}=${eb}&q=${ea}&sort=${eb}&after=${ea}`, headers },
          { method: 'GET', target: `/v1/products?${ea}=${eb}`, headers },
          { method: 'GET', target: `/v1/products/${ea}?${eb}=1`, headers },
          { method: 'GET', target: `/${ea}/${eb}`, headers },
          { method: 'GET', target: `/export?types=${ea}&${eb}`, headers },
          { method: 'GET', target: `/.well-known/${ea}`, headers },
          { method: 'GET', target: `/graphql?query=${ea}&operationName=${eb}`, headers },
          { method: 'OPTIONS', target: `/v1/${ea}`, headers },
          { method: 'POST', target: '/graphql', headers: json, body: JSON.stringify({ query: a, operationName: b }) },
          {
            method: 'POST',
            target: '/graphql',
            headers: json,
            body: JSON.stringify({ query: `query { shop { ${a} } }` }),
          },
          {
            method: 'POST',
            target: '/graphql',
            headers: json,
            body: JSON.stringify({
              query: 'query($s: String) { products(first: 3, query: $s) { nodes { title handle vendor } } }',
              variables: { s: a, [b]: c },
            }),
          },
          {
            method: 'POST',
            target: '/oauth/token',
            headers: form,
            body: `grant_type=${ea}&scope=${eb}&client_id=${ea}`,
          },
          {
            method: 'POST',
            target: '/oauth/token',
            headers: form,
            body: `grant_type=client_credentials&scope=${eb}&client_id=${ea}&client_secret=${eb}`,
          },
        );
      });
    await fc.assert(
      fc.asyncProperty(calls, async (call) => expectGated(call, (await exchange(call)).answer)),
      { numRuns: 400 },
    );
  });

  it('no page has a text of the caller', async () => {
    const pages = ['/', '/reference', '/reference.md', '/llms.txt', '/dashboard', '/explorer', '/graphql', '/nothing'];
    const get = async (path: string, query: string, headers: Call['headers'] = {}): Promise<string> => {
      const call = { method: 'GET', target: path + query, headers: { Accept: 'text/html', ...headers } };
      const { answer, text } = await exchange(call);
      expectGated(call, answer);
      return text.replaceAll(/nonce="[^"]*"/g, '').replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, '');
    };
    const calm = new Map<string, string>();
    for (const page of pages) calm.set(page, await get(page, ''));
    expect([...calm].filter(([, text]) => text.includes('<!doctype html>')).map(([page]) => page)).toEqual([
      '/',
      '/reference',
      '/dashboard',
      '/explorer',
      '/graphql',
      '/nothing',
    ]);
    const names = fc.constantFrom(
      ...headerNames.filter((name) => !/^(?:accept|origin|auth|acc|if|content)/i.test(name)),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...pages), hostile, names, async (page, text, name) => {
        const query = page === '/graphql' ? '' : `?${encode(text)}=${encode(text)}`;
        expect(await get(page, query, { [name]: toFieldValue(text) })).toBe(calm.get(page));
      }),
      { numRuns: 100 },
    );
  });

  it('what pages get from settings is text in HTML and in scripts', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = escapeHtml(text);
        expect(html).not.toMatch(/[<>"]|&(?!(?:amp|lt|gt|quot);)/);
        expect(html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&')).toBe(text); // prettier-ignore
        const json = toInlineJson({ [text]: text });
        expect(json).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});
