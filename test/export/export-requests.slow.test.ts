import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { Scope } from '../../src/auth/api-key';
import { scopes as allScopes } from '../../src/auth/api-key';
import { createRandom } from '../support/random';
import type { RestAnswer } from '../support/rest-client';
import { exchange, mintToken } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import { runSeed as seed } from '../support/run-seed';

let shop: string;
const service = useService({ rateLimit: 100_000 });
beforeAll(async () => {
  const { sql } = service;
  shop = await seedShop(sql);
  for (let count = 0; count < 5; count += 1) {
    await seedVariant(sql, shop, await seedProduct(sql, shop, { title: 'x'.repeat(count * 1000) }));
    await seedCollection(sql, shop);
    await seedOrder(sql, shop);
  }
});

function decode({ headers, bytes: body }: RestAnswer): string {
  const encoding = headers['content-encoding'];
  if (encoding === undefined) return body.toString();
  return (encoding === 'gzip' ? gunzipSync(body) : brotliDecompressSync(body)).toString();
}

/** The quality value that a client gives an encoding; undefined when it does not mention the encoding. */
function qualityOf(accepted: string, encoding: string): number | undefined {
  const entries = accepted.split(',').map((entry) => entry.trim().split(/\s*;\s*q=/));
  const found = entries.find(([name]) => name === encoding) ?? entries.find(([name]) => name === '*');
  return found === undefined ? undefined : Number(found[1] ?? 1);
}

const tables = ['products', 'collections', 'orders'];
const scopeOf = (table: string): Scope => (table === 'orders' ? 'orders:read' : 'catalog:read');

/** The status that the rules require (D1, docs/snapshot-format.md). */
function expectedStatus(method: string, scopes: readonly Scope[] | undefined, format?: string, types?: string): number {
  if (method === 'OPTIONS') return 204;
  if (!['GET', 'HEAD'].includes(method)) return 405;
  if (scopes === undefined) return 401;
  if (!tables.some((table) => scopes.includes(scopeOf(table)))) return 403;
  if (format !== undefined && !['snapshot', 'jsonl'].includes(format)) return 400;
  const asked = types?.split(',') ?? [];
  if (asked.some((table) => !tables.includes(table))) return 400;
  return asked.every((table) => scopes.includes(scopeOf(table))) ? 200 : 403;
}

it('any request for an export is handled by the rules', async () => {
  const random = createRandom(seed);
  const maybe = <Item>(make: () => Item): Item | undefined => (random.chance(0.5) ? make() : undefined);
  const credentials = await Promise.all(
    random.list(6, async (index) => {
      const scopes = index === 0 ? [...allScopes] : random.shuffled(allScopes).slice(random.integer(0, 2));
      const key = await seedApiKey(service.sql, shop, { scopes });
      return { scopes, clientId: key.clientId, tokens: [key.apiKey, await mintToken(service.origin, key)] };
    }),
  );
  const remaining = new Map<string, number>();
  const found = new Set<number>();
  for (let round = 0; round < 250; round += 1) {
    const caller = random.chance(0.1) ? undefined : random.pick(credentials);
    const method = random.chance(0.8) ? 'GET' : random.pick(['HEAD', 'POST', 'DELETE', 'OPTIONS', 'PATCH']);
    const format = maybe(() => random.pick(['snapshot', 'jsonl', 'jsonl', 'snapshot', 'csv', '', 'JSONL']));
    const types = maybe(() =>
      random
        .list(random.integer(1, 4), () =>
          random.pick([...tables, ...tables, ...tables, random.pick(['', 'variants', '*'])]),
        )
        .join(','),
    );
    const accepted = maybe(() =>
      random
        .shuffled(['gzip', 'br', 'identity', '*', 'zstd', 'deflate'])
        .slice(random.integer(0, 5))
        .map((name) => name + random.pick(['', ';q=0', ';q=0.5', '; q=0.001', ';q=1.0']))
        .join(', '),
    );
    const conditions = random.pick([
      ...[{}, { 'If-None-Match': '*' }, { 'If-None-Match': '"a", W/"b"' }, { 'If-Match': '"a"' }],
      ...[{ 'If-Modified-Since': new Date().toUTCString() }, { Range: 'bytes=0-1' }],
    ]);
    const parameters = Object.entries({ format, types, other: maybe(() => random.word(3)) });
    const query = parameters.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&'); // prettier-ignore
    const answer = await exchange(service.origin, `/export${random.chance(0.1) || query !== '' ? `?${query}` : ''}`, {
      method,
      headers: {
        ...(caller === undefined ? {} : { Authorization: `Bearer ${random.pick(caller.tokens)}` }),
        ...(accepted === undefined ? {} : { 'Accept-Encoding': accepted }),
        ...conditions,
      },
    });

    const what = `SEED=${seed}, round ${round}: ${method} ?${query}, ${caller?.scopes.join(' ') ?? 'nobody'}, Accept-Encoding: ${accepted}`;
    const { status, headers } = answer;
    found.add(status);
    expect([what, status]).toEqual([what, expectedStatus(method, caller?.scopes, format, types)]);
    const encoding = headers['content-encoding'];
    if (typeof encoding === 'string') expect([what, qualityOf(accepted ?? '', encoding)]).not.toEqual([what, 0]);
    // The plain body only for a client that refuses all encodings.
    const refused = ['identity', 'gzip', 'br'].filter((name) => qualityOf(accepted ?? '', name) === 0);
    if (status === 200 && encoding === undefined && refused.includes('identity')) expect([what, refused.length]).toEqual([what, 3]); // prettier-ignore
    if (caller !== undefined && ['GET', 'HEAD'].includes(method)) {
      const left = Number(headers['ratelimit-remaining']);
      expect([what, left]).toEqual([what, (remaining.get(caller.clientId) ?? left + 1) - 1]);
      remaining.set(caller.clientId, left);
    }
    if (method === 'HEAD') expect([what, answer.bytes.length]).toEqual([what, 0]);
    if (status === 200) {
      expect(headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
      expect(headers['vary']).toBe('Authorization, Accept-Encoding');
    }
    if (status === 200 && method === 'GET') {
      const lines = decode(answer).trimEnd().split('\n').map((line) => JSON.parse(line) as Record<string, unknown>); // prettier-ignore
      const asked = tables.filter(
        (table) => caller?.scopes.includes(scopeOf(table)) && (types === undefined || types.split(',').includes(table)),
      );
      expect(lines[0]).toMatchObject({ type: 'shop', id: shop, export: format ?? 'snapshot', types: asked });
      expect([what, 'domain' in (lines[0] ?? {})]).toEqual([what, caller?.scopes.includes('account:read')]);
      const counts = Object.fromEntries(tables.map((table) => [table, asked.includes(table) ? 5 : 0]));
      expect(lines.at(-1)).toEqual({ type: 'complete', ...counts, variants: counts['products'] });
    } else if (status >= 400 && method !== 'HEAD') {
      expect([what, answer.body]).toEqual([what, { error: expect.objectContaining({ code: expect.any(String) as string }) as object }]); // prettier-ignore
    }
  }
  expect([...found].sort()).toEqual([200, 204, 400, 401, 403, 405]);
});
