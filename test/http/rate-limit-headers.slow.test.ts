import { fc } from '../support/properties';
import { sendRaw } from '../support/raw-http';
import type { RestAnswer } from '../support/rest-client';
import { exchange } from '../support/rest-client';
import { useService } from '../support/service';
import { createShop } from '../support/shop-fixture';

const rateLimit = 6;
const service = useService({ rateLimit, settings: { SUBGRAPH_SECRET: 'a secret of at least 32 characters' } });

const remainingOf = ({ headers }: Pick<RestAnswer, 'headers'>) => Number(headers['ratelimit-remaining']);
const json = { 'Content-Type': 'application/json' };
const head = (line: string, ...headers: string[]): string =>
  [line, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n');

type Sent = (authorization: string) => Promise<Pick<RestAnswer, 'status' | 'headers'>>;
const send =
  (path: string, method = 'GET', headers: Readonly<Record<string, string>> = {}, body?: string): Sent =>
  (authorization) =>
    exchange(service.origin, path, {
      method,
      headers: { Authorization: authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    });
const sendBytes =
  (line: string, ...headers: string[]): Sent =>
  async (authorization) => {
    const [answer] = await sendRaw(service.origin, head(line, `Authorization: ${authorization}`, ...headers));
    if (answer === undefined) throw new Error(`no answer to ${line}`);
    return answer;
  };

/** Refused before a credential is read, or not a call at all: the status, and how to send it. */
const uncharged: readonly (readonly [status: number, send: Sent])[] = [
  [404, send('/v1/prodcuts')],
  [404, send('/v1/shop/')],
  [404, send('/export/')],
  [404, send('/changes/')],
  [404, send('/graphql/', 'POST', json, '{}')],
  [405, send('/v1/shop', 'POST')],
  [405, send('/graphql', 'DELETE')],
  [405, send('/export', 'PATCH')],
  [405, send('/changes', 'POST')],
  [204, send('/v1/products', 'OPTIONS')],
  [204, send('/graphql', 'OPTIONS')],
  [200, send('/v1/openapi.json')],
  [400, send('/v1/%zz')],
  [417, send('/v1/shop', 'GET', { Expect: 'the-best' })],
  [414, send(`/v1/products?q=${'x'.repeat(9000)}`)],
  [401, send('/subgraph', 'POST', json, '{}')],
  [400, sendBytes('GET /v1/shop HTTP/9.9')],
  [400, sendBytes('FOO /v1/shop HTTP/1.1')],
  [400, sendBytes('GET /v1/products?q=\xc3\xa9 HTTP/1.1')],
  [400, sendBytes('GET /graphql HTTP/1.1', 'nonsense')],
  [400, sendBytes('POST /graphql HTTP/1.1', 'Content-Length: x')],
  [431, sendBytes('GET /v1/shop HTTP/1.1', `X-A: ${'x'.repeat(20_000)}`)],
];

/** What other callers from the same address do meanwhile. */
const strangers: readonly Sent[] = [
  () => exchange(service.origin, '/v1/shop', {}),
  () => exchange(service.origin, '/v1/shop', { headers: { Authorization: 'Bearer noise' } }),
  () => exchange(service.origin, '/v1/openapi.json', {}),
  () => exchange(service.origin, '/v1/nothing', {}),
];

const charged: readonly Sent[] = [
  send('/v1/shop'),
  send('/v1/products?limit=0'),
  send('/v1/orders', 'HEAD'),
  send('/graphql', 'POST', json, '{"query":"{ shop { id } }"}'),
  send('/graphql', 'POST', json, 'no JSON'),
  send('/export?format=unknown'),
];

it('no response to a caller with a good key shows less than its own bucket has left, whatever it and others send (D19)', async () => {
  const step = fc.oneof(
    fc.nat(uncharged.length - 1).map((index) => ({ kind: 'uncharged' as const, index })),
    fc.nat(strangers.length - 1).map((index) => ({ kind: 'stranger' as const, index })),
    fc.nat(charged.length - 1).map((index) => ({ kind: 'charged' as const, index })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 16 }), async (steps) => {
      const authorization = `Bearer ${(await createShop(service)).apiKey}`;
      let left = rateLimit;
      for (const { kind, index } of steps) {
        if (kind === 'stranger') await strangers[index]?.(authorization);
        if (kind === 'charged') {
          const answer = (await charged[index]?.(authorization)) as RestAnswer;
          const isRefused = left === 0;
          left = Math.max(0, left - 1);
          expect([answer.status === 429, remainingOf(answer)]).toEqual([isRefused, left]);
        }
        if (kind === 'uncharged') {
          const [status, sent] = uncharged[index] as (typeof uncharged)[number];
          const answer = await sent(authorization);
          expect(answer.status).toBe(status);
          expect(answer.headers).toMatchObject({ 'ratelimit-limit': String(rateLimit), 'ratelimit-reset': '60' });
          expect(answer.headers).not.toHaveProperty('retry-after');
          expect(remainingOf(answer)).toBeGreaterThanOrEqual(left);
        }
      }
    }),
    { numRuns: 25 },
  );
});

describe('calls without any credential', () => {
  const withoutCredential: readonly Readonly<Record<string, string>>[] = [
    {},
    { Authorization: '' },
    { Authorization: 'Basic Y2s6eA==' },
    { Authorization: 'ck_abc.def' },
  ];
  // states-of-callers.slow.test.ts covers every route.
  it('are 401, however often and whatever others did (D1, D16)', async () => {
    for (let call = 0; call <= rateLimit; call += 1)
      await exchange(service.origin, '/v1/shop', { headers: { Authorization: 'Bearer noise' } });
    for (const headers of withoutCredential) {
      for (let call = 0; call <= rateLimit; call += 1) {
        const answer = await exchange(service.origin, '/v1/shop', { headers });
        expect(answer).toMatchObject({
          status: 401,
          headers: {
            'www-authenticate': `Bearer realm="Catalog API", resource_metadata="${service.publicUrl}/.well-known/oauth-protected-resource/v1"`,
            'ratelimit-remaining': String(rateLimit),
          },
        });
      }
    }
  });

  it('introspection beyond the limit of the address is 429 with a challenge, because a credential would help (D26)', async () => {
    const answers = [];
    for (let call = 0; call <= rateLimit; call += 1)
      answers.push(
        await exchange(service.origin, '/graphql?query={__typename}', { headers: { 'Apollo-Require-Preflight': '1' } }),
      );
    expect(answers.at(-1)).toMatchObject({
      status: 429,
      headers: {
        'www-authenticate': expect.stringMatching(/^Bearer realm="Catalog API", resource_metadata="/) as string,
      },
    });
  });
});
