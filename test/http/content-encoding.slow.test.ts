import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

let shopId: string;
let authorization: string;

const service = useService({ rateLimit: 1000 });
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  authorization = `Bearer ${(await seedApiKey(service.sql, shopId)).apiKey}`;
  for (let index = 0; index < 20; index += 1) await seedProduct(service.sql, shopId, { title: `Größe – ${index}` });
});

const ask = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
  const answer = await exchange(service.origin, path, { method, headers: { authorization, ...headers } });
  return { ...answer, body: answer.bytes };
};

const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
const encodings = ['br', 'gzip'] as const;

const large = [
  '/v1/products',
  `/graphql?query=${encodeURIComponent('{ products { nodes { id title descriptionHtml } } }')}`,
];

describe('a response', () => {
  const refusingPlain = [
    ['gzip', 'identity;q=0'],
    ['gzip', 'deflate, identity;q=0.0'],
    ['gzip', 'br;q=0, identity;q=0'],
    ['br', 'Gzip;q=0, Identity; q=0'],
    ['br', 'br, identity;q=0'],
    ['br', 'br, *;q=0'],
    ['gzip', 'gzip;q=0.1, *;q=0'],
    ['br', '*, identity;q=0'],
  ] as const;
  it.each<readonly [(typeof encodings)[number] | undefined, string | undefined]>([
    ...refusingPlain,
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip', 'gzip;q=1, br;q=0.2'],
    ...[undefined, 'identity', 'deflate, zstd', 'br;q=0, gzip;q=0', 'identity, br;q=0.5', '*;q=0'].map(
      (accepted) => [undefined, accepted] as const,
    ),
    [undefined, 'identity;q=0, br;q=0, GZIP ; q=0'],
  ])('has the encoding %s for a client that accepts %s, and decodes to the plain body', async (encoding, accepted) => {
    // Others are small, and stay plain if they may.
    const others = refusingPlain.some(([, each]) => each === accepted) ? ['/v1/shop', '/changes', '/export'] : [];
    for (const path of [...large, ...others]) {
      const plain = await ask(path);
      const { status, headers, body } = await ask(path, accepted === undefined ? {} : { 'Accept-Encoding': accepted });
      expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding });
      expect(headers['vary']).toMatch(/^Authorization, (?:Accept, )?Accept-Encoding$/);
      expect(encoding === undefined ? body : decoders[encoding](body)).toEqual(plain.body);
      if (others.includes(path)) continue;
      expect(Number(headers['content-length'])).toBe(body.length);
      if (encoding !== undefined) expect(body.length).toBeLessThan(plain.body.length / 2);
    }
  });

  it('has a different strong tag in each encoding, and 304 is about the encoding that would be sent (RFC 9110 8.8.3.3)', async () => {
    const tags = await Promise.all(
      ['identity', ...encodings].map(async (encoding) => {
        const { headers } = await ask('/v1/products', { 'Accept-Encoding': encoding });
        const held = { 'Accept-Encoding': encoding, 'If-None-Match': String(headers['etag']) };
        const again = await ask('/v1/products', held);
        expect({ status: again.status, etag: again.headers['etag'], length: again.body.length }).toEqual({
          ...{ status: 304, etag: headers['etag'], length: 0 },
        });
        return String(headers['etag']);
      }),
    );
    expect(new Set(tags).size).toBe(3);
    const other = { 'Accept-Encoding': 'br', 'If-None-Match': tags[0] as string };
    expect((await ask('/v1/products', other)).status).toBe(200);
  });

  it('that is small stays plain', async () => {
    const { status, headers } = await ask('/v1/shop', { 'Accept-Encoding': 'br, gzip' });
    expect({ status, encoding: headers['content-encoding'] }).toEqual({ status: 200, encoding: undefined });
  });

  it('is the same from the cache and after a change of the data', async () => {
    const accepted = { 'Accept-Encoding': 'br' };
    const titles = async () => {
      const { body } = await ask('/v1/products', accepted);
      const { data } = JSON.parse(brotliDecompressSync(body).toString()) as { data: { title: string }[] };
      return data.map(({ title }) => title);
    };
    const before = await titles();
    expect(await titles()).toEqual(before);
    await service.sql('UPDATE products SET title = $2 WHERE shop_id = $1', [shopId, 'renamed']);
    expect(new Set(await titles())).toEqual(new Set(['renamed']));
  });

  it('to HEAD has the headers of GET', async () => {
    const [get, head] = [
      await ask('/v1/products', { 'Accept-Encoding': 'gzip' }),
      await ask('/v1/products', { 'Accept-Encoding': 'gzip' }, 'HEAD'),
    ];
    for (const name of ['content-encoding', 'content-length', 'etag', 'vary']) {
      expect(head.headers[name]).toBe(get.headers[name]);
    }
    expect(head.body).toHaveLength(0);
  });
});
