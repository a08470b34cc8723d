import { setTimeout as delay } from 'node:timers/promises';
import { seedApiKey, seedShop } from '../../support/seed';
import type { Attack, Scene } from '../support/attack';

/** Keys of shops that only these attacks know, two of each shop. */
let keys: string[] = [];
/** Of the shop beside them. */
let neighbour = '';

const shops = 8;
const products = { full: 100, short: 40 };

/** Shops whose longest pages and exports are more than the buffers of both systems take. */
async function prepare({ sql, isShort }: Scene): Promise<void> {
  keys = [];
  for (let index = 0; index <= shops; index += 1) {
    const shopId = await seedShop(sql);
    await sql(
      `INSERT INTO products (shop_id, external_id, title, description_html, created_at, updated_at)
       SELECT $1, n::text, 'Vase ' || n, repeat(md5(n::text || random()::text), 2000), now(), now() FROM generate_series(1, $2::int) AS n`,
      [shopId, index === shops ? 10 : products[isShort ? 'short' : 'full']],
    );
    const { apiKey } = await seedApiKey(sql, shopId);
    if (index === shops) neighbour = apiKey;
    else keys.push(apiKey, (await seedApiKey(sql, shopId)).apiKey);
  }
}

/** One client after the other on a connection each: asks, and reads at its own speed, in bursts, with pauses. */
async function readSlowly({ attacker, random, goesOn, isShort }: Scene, targets: readonly string[]): Promise<void> {
  // Not all at once: their requests are within the rate limit, what they keep is not.
  await delay(random.integer(0, isShort ? 3_000 : 10_000));
  while (goesOn()) {
    const target = random.pick(targets);
    const bytesPerSecond = random.pick([0, 0, 5_000, 20_000, 45_000, 500_000]);
    const encoding = random.pick(['', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: br\r\n']);
    const socket = attacker.open();
    socket.pause();
    if (target !== '') {
      const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${random.pick(keys)}\r\nApollo-Require-Preflight: 1\r\n${encoding}\r\n`;
      attacker.write(socket, request.repeat(random.pick([1, 1, 20])));
    }
    const pauseMilliseconds = random.pick([50, 500]);
    while (goesOn() && !socket.destroyed) {
      await delay(pauseMilliseconds);
      for (let left = (bytesPerSecond * pauseMilliseconds) / 1000; left > 0;) {
        const chunk = socket.read() as Buffer | null;
        if (chunk === null) break;
        left -= chunk.length;
      }
    }
    socket.resetAndDestroy();
    await delay(20);
  }
}

const graphql = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;

export const slowReaders: Attack = {
  name: 'slow-readers',
  what: 'clients of eight shops that read long answers of every surface slowly, in bursts or not at all, or send nothing',
  target: 'plain',
  seconds: { full: 50, short: 8 },
  p95BoundMilliseconds: 300,
  prepare,
  async run(scene) {
    const targets = [
      ...['/v1/products?limit=100', '/v1/products?limit=40', '/reference', '/reference.md', ''],
      ...[100, 40].map((first) => graphql(`{ products(first: ${first}) { nodes { id descriptionHtml } } }`)),
    ];
    const readers = Array.from({ length: scene.isShort ? 24 : 160 }, () => readSlowly(scene, targets));
    await Promise.all(readers);
  },
};

export const slowExports: Attack = {
  name: 'slow-exports',
  what: 'two keys of each of eight shops that export slowly, again and again, while another shop exports too',
  target: 'plain',
  seconds: { full: 50, short: 8 },
  p95BoundMilliseconds: 300,
  prepare,
  async run(scene) {
    const { attacker, goesOn, fail, note } = scene;
    let exported = 0;
    let refused = 0;
    const exportOften = async () => {
      while (goesOn()) {
        const { status, text } = await attacker.send({ path: '/export', apiKey: neighbour });
        if (status === 503) refused += 1;
        else if (status !== 200) fail(`${status} to an export of another shop`);
        else if (!text.includes('"type":"complete"')) fail('an export of another shop has no end');
        exported += 1;
        await delay(100);
      }
    };
    const readers = Array.from({ length: 16 }, () => readSlowly(scene, ['/export', '/export?format=jsonl']));
    await Promise.all([exportOften(), ...readers]);
    note(`another shop exported ${exported} times, refused ${refused} times`);
    // While eight shops ask for the first time, their exports have not been slow yet.
    if (refused > Math.max(1, exported / 50)) fail(`${refused} of ${exported} exports of another shop refused`);
    if (exported === 0) fail('another shop could not export');
  },
};
