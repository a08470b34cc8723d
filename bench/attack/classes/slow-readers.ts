import { setTimeout as delay } from 'node:timers/promises';
import { seedApiKey, seedProduct, seedShop } from '../../../test/support/seed';
import { readMachineFigures, slowdownByOthers } from '../../../test/support/machine-share';
import type { Attack, Scene } from '../attack';
import { sharedSlowdown } from '../judge';

/** A shop that only these attacks use. */
interface SlowShop {
  /** Two keys. */
  readonly keys: readonly string[];
  /** A product larger than what is read ahead of a client. Two shops have one. */
  readonly largeProduct: string | undefined;
}

let shops: SlowShop[] = [];
/** The shop that is not attacking. */
let neighbor: { readonly apiKey: string; readonly largeProduct: string };

const slowShops = 8;
const products = { full: 100, short: 40 };
const variants = { slow: 2_600, neighbor: 1_000 };

/** Creates shops whose longest pages, products and exports exceed the buffers of both systems. */
async function prepare({ sql, isShort }: Scene): Promise<void> {
  shops = [];
  for (let index = 0; index <= slowShops; index += 1) {
    const isNeighbor = index === slowShops;
    const shopId = await seedShop(sql);
    await sql(
      `INSERT INTO products (shop_id, external_id, title, description_html, created_at, updated_at)
       SELECT $1, n::text, 'Vase ' || n, repeat(md5(n::text || random()::text), 2000), now(), now() FROM generate_series(1, $2::int) AS n`,
      [shopId, isNeighbor ? 10 : products[isShort ? 'short' : 'full']],
    );
    const largeProduct = isNeighbor || index < 2 ? await seedProduct(sql, shopId) : undefined;
    if (largeProduct !== undefined) {
      await sql(
        `INSERT INTO variants (shop_id, product_id, external_id, title, position, created_at, updated_at)
         SELECT $1, $2, n, repeat('x', 9000), n, now(), now() FROM generate_series(1, $3::int) AS n`,
        [shopId, largeProduct, variants[isNeighbor ? 'neighbor' : 'slow']],
      );
    }
    const [{ apiKey }, second] = [await seedApiKey(sql, shopId), await seedApiKey(sql, shopId)];
    if (isNeighbor) neighbor = { apiKey, largeProduct: largeProduct as string };
    else shops.push({ keys: [apiKey, second.apiKey], largeProduct });
  }
}

/** The path of a request; undefined for a connection that sends nothing. */
type Target = (shop: SlowShop) => string | undefined;

/** One client after another, each on its own connection: sends requests and reads at its own speed, in bursts. */
async function readSlowly({ attacker, random, isRunning, isShort }: Scene, targets: readonly Target[]): Promise<void> {
  // Not all at once, so that the rate limit does not stop them.
  await delay(random.integer(0, isShort ? 8_000 : 10_000));
  while (isRunning()) {
    const shop = random.pick(shops);
    const target = random.pick(targets)(shop);
    const bytesPerSecond = random.pick([0, 0, 5_000, 20_000, 45_000, 500_000]);
    const encoding = random.pick(['', 'Accept-Encoding: gzip\r\n', 'Accept-Encoding: br\r\n']);
    const socket = attacker.open();
    socket.pause();
    if (target !== undefined) {
      const request = `GET ${target} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${random.pick(shop.keys)}\r\nApollo-Require-Preflight: 1\r\n${encoding}\r\n`;
      attacker.write(socket, request.repeat(random.pick([1, 1, 20])));
    }
    const pauseMilliseconds = random.pick([50, 500]);
    while (isRunning() && !socket.destroyed) {
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

/** Errors of time limits, which other programs on the machine may cause. Errors of full queues read differently. */
const tooLate = /temporarily unavailable|timed out/;

/** The other shop keeps reading the same at full speed, and is never refused. */
async function readFast({ attacker, isRunning, fail, note }: Scene, paths: readonly string[]): Promise<void> {
  const machine = readMachineFigures();
  let answered = 0;
  let late = 0;
  while (isRunning()) {
    const path = paths[answered % paths.length] as string;
    const { status, text } = await attacker.send({ path, apiKey: neighbor.apiKey });
    // Requests in flight at the end of the attack may be cut.
    if (status === 503 && tooLate.test(text)) late += 1;
    else if (status !== 200 && isRunning())
      fail(`another shop got ${status === 0 ? 'no response' : status} from ${path}`, text.slice(0, 160));
    answered += 1;
    await delay(100);
  }
  note(`another shop got ${answered} responses of the same kind, ${late} of them late`);
  if (late > 0 && slowdownByOthers(machine, readMachineFigures()) < sharedSlowdown)
    fail(`late responses to another shop: ${late}`);
  if (answered === 0) fail('another shop got no responses');
}

const graphql = (query: string): string => `/graphql?query=${encodeURIComponent(query)}`;

export const slowReaders: Attack = {
  name: 'slow-readers',
  what: 'clients of eight shops that read exports and long responses slowly, in bursts or not at all, or send nothing',
  seconds: { full: 50, short: 16 },
  rounds: 2,
  p95BoundMilliseconds: 'calm',
  prepare,
  async run(scene) {
    const pages = ['/v1/products?limit=100', '/v1/products?limit=40', '/reference', '/reference.md', undefined];
    const queries = [100, 40].map((first) => graphql(`{ products(first: ${first}) { nodes { id descriptionHtml } } }`));
    const targets: Target[] = [...pages, ...queries].map((path) => () => path);
    targets.push(({ largeProduct }) => largeProduct && `/v1/products/${largeProduct}`);
    const exports: Target[] = ['/export', '/export?format=jsonl'].map((path) => () => path);
    const readers = [targets, exports].flatMap((each, index) =>
      Array.from({ length: index === 0 ? 64 : 16 }, () => readSlowly(scene, each)),
    );
    const fast = ['/v1/products?limit=10', '/reference.md', `/v1/products/${neighbor.largeProduct}`, '/export'];
    await Promise.all([...readers, readFast(scene, fast)]);
  },
};
