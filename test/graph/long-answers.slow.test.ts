import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { OperationMemory, maximumRowBytesInMemory } from '../../src/catalog/rows/shop-statements';
import { RawJson, stringify } from '../../src/catalog/passthrough';
import { WorkPauses } from '../../src/common/fair-queue';
import { writeAnswer } from '../../src/graph/create-graph';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import { fc } from '../support/properties';

/** The most text that one turn of the event loop may convert: a piece of a response, and the row at its end. */
const mostPerTurn = 512 * 1024;

/** Characters of one to four bytes. */
const description = '<p>é“😀”</p>'.repeat(4_100);
const products = 50;
const variants = 600;
const routerSecret = 'a secret between a router and this service';

let shopId: string;
let apiKey: string;
let otherKey: string;
/** A product with as many variants as a page has products. */
let largeProduct: string;

const service = useService({
  rateLimit: 10_000,
  settings: { REQUEST_TIMEOUT_MS: '20000', SUBGRAPH_SECRET: routerSecret },
});
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  for (let n = 0; n < products; n++) {
    const id = await seedProduct(service.sql, shopId, { title: `Mug ${n}`, description_html: description });
    await seedVariant(service.sql, shopId, id);
    await seedOrder(service.sql, shopId, { tags: ['ann@example.com', '“é😀'.repeat(5_000)] });
  }
  const other = await seedShop(service.sql);
  ({ apiKey: otherKey } = await seedApiKey(service.sql, other));
  largeProduct = await seedProduct(service.sql, other, { title: 'Mug' });
  await service.sql(
    `INSERT INTO variants (shop_id, product_id, external_id, title, position, created_at, updated_at)
     SELECT $1, $2, 'v' || n, repeat('é“😀', 1000), n, now(), now() FROM generate_series(1, ${variants}) AS n`,
    [other, largeProduct],
  );
});

/** Reads a response without decoding it. */
const exchange = (path: string, query?: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number | undefined; headers: object; body: Buffer }>((resolve, reject) => {
    const sent = request(
      service.origin + path,
      {
        method: query === undefined ? 'GET' : 'POST',
        headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json', ...headers },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(query === undefined ? undefined : JSON.stringify({ query }));
  });

type Converter = (...parameters: unknown[]) => unknown;

/**
 * Runs `work` and returns the length of the longest text that was meanwhile parsed, serialized, or converted from or to
 * UTF-8.
 */
async function longestText(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  const note = (value: unknown): void => {
    // Prisma's own program, loaded on first use.
    if (typeof value === 'string' && !value.startsWith('const wasm =')) longest = Math.max(longest, value.length);
  };
  const watch = (holder: object, name: string): (() => void) => {
    const methods = holder as Record<string, Converter>;
    const original = methods[name] as Converter;
    methods[name] = function watched(this: unknown, ...parameters: unknown[]) {
      // Base64 of Prisma's own program, loaded on first use.
      if (parameters[1] !== 'base64') note(parameters[0]);
      const result = original.apply(this, parameters);
      note(result);
      return result;
    };
    return () => void (methods[name] = original);
  };
  const restores = [
    watch(Buffer, 'from'),
    watch(Buffer, 'byteLength'),
    watch(Buffer.prototype as object, 'write'),
    // The driver's results.
    watch(Buffer.prototype as object, 'toString'),
    watch(JSON, 'parse'),
    watch(JSON, 'stringify'),
  ];
  try {
    await work();
  } finally {
    for (const restore of restores) restore();
  }
  return longest;
}

const page = `products(first: ${products})`;

describe('a response of megabytes is converted in pieces, one per turn', () => {
  it.each<[string, string, string | undefined, (body: never) => readonly { descriptionHtml?: string }[]]>([
    [
      'of a REST page',
      `/v1/products?limit=${products}`,
      undefined,
      ({ data }: { data: { description_html: string }[] }) =>
        data.map(({ description_html: descriptionHtml }) => ({ descriptionHtml })),
    ],
    [
      'of a GraphQL page that PostgreSQL writes',
      '/graphql',
      `{ ${page} { nodes { id descriptionHtml } } }`,
      ({ data }: { data: { products: { nodes: { descriptionHtml: string }[] } } }) => data.products.nodes,
    ],
    [
      'of a GraphQL page of resolved objects',
      '/graphql',
      `{ ${page} { nodes { id descriptionHtml variants { id } } } }`,
      ({ data }: { data: { products: { nodes: { descriptionHtml: string }[] } } }) => data.products.nodes,
    ],
    [
      'beside errors',
      '/graphql',
      `{ ${page} { nodes { descriptionHtml } } product(handle: "a", id: "b") { id } }`,
      ({ data }: { data: { products: { nodes: { descriptionHtml: string }[] } } }) => data.products.nodes,
    ],
  ])('%s', async (_, path, query, toNodes) => {
    // The second response is cached, and the third comes from the cache.
    for (let time = 1; time <= 3; time++) {
      const answers: Awaited<ReturnType<typeof exchange>>[] = [];
      const longest = await longestText(async () => void answers.push(await exchange(path, query)));
      const [{ status, headers, body }] = answers as [(typeof answers)[number]];
      expect({ status, headers }).toMatchObject({ status: 200, headers: { 'content-length': String(body.length) } });
      expect(body.length).toBeGreaterThan(3_800_000);
      const nodes = toNodes(JSON.parse(body.toString()) as never);
      expect(nodes).toHaveLength(products);
      expect(nodes.every(({ descriptionHtml }) => descriptionHtml === description)).toBe(true);
      expect(longest).toBeLessThan(mostPerTurn);
    }
  });

  const titles = Array.from({ length: variants }, () => ({ title: 'é“😀'.repeat(1000) }));
  it.each<[string, string, (() => string) | undefined, (body: never) => readonly { title: string }[]]>([
    [
      'of a REST product',
      '/v1/products/',
      undefined,
      ({ data }: { data: { variants: { title: string }[] } }) => data.variants,
    ],
    [
      'of a GraphQL product with its variants',
      '/graphql',
      () => `{ product(id: "${largeProduct}") { variants { title } } }`,
      ({ data }: { data: { product: { variants: { title: string }[] } } }) => data.product.variants,
    ],
    [
      'of a product for a router',
      '/subgraph',
      () => `{ product(id: "${largeProduct}") { variants { title } } }`,
      ({ data }: { data: { product: { variants: { title: string }[] } } }) => data.product.variants,
    ],
    [
      'of entities for a router',
      '/subgraph',
      () =>
        `{ _entities(representations: [{ __typename: "Product", id: "${randomUUID()}" }, { __typename: "Product", id: "${largeProduct}" }]) { ... on Product { variants { title } } } }`,
      ({ data }: { data: { _entities: { variants: { title: string }[] }[] } }) => data._entities[1]?.variants ?? [],
    ],
    [
      'of the change feed',
      '/graphql',
      () => '{ changes(first: 200, types: [VARIANT]) { nodes { object: node { ... on Variant { title } } } } }',
      ({ data }: { data: { changes: { nodes: { object: { title: string } }[] } } }) =>
        data.changes.nodes.map(({ object }) => object),
    ],
  ])('%s', async (name, path, toQuery, toVariants) => {
    const answers: Awaited<ReturnType<typeof exchange>>[] = [];
    const headers = { Authorization: `Bearer ${otherKey}`, 'Router-Authorization': routerSecret };
    const target = toQuery === undefined ? path + largeProduct : path;
    const longest = await longestText(async () => void answers.push(await exchange(target, toQuery?.(), headers)));
    const [{ status, body }] = answers as [(typeof answers)[number]];
    expect({ status, name, body: body.toString().slice(0, 200) }).toMatchObject({ status: 200 });
    const found = toVariants(JSON.parse(body.toString()) as never).map(({ title }) => ({ title }));
    expect(found).toEqual(titles.slice(0, path === '/graphql' && name.includes('feed') ? 200 : variants));
    expect(longest).toBeLessThan(mostPerTurn);
  });
});

it.each([
  ['/v1/products', undefined],
  ['/graphql', '{ products { nodes { descriptionHtml } } }'],
  ['/graphql', '{ products { nodes { descriptionHtml variants { title } } } }'],
])('a page of more than 60 kB is never one string: %s %s', async (path, query) => {
  const shop = await seedShop(service.sql);
  const { apiKey: key } = await seedApiKey(service.sql, shop);
  for (let n = 0; n < 40; n++) {
    const id = await seedProduct(service.sql, shop, { description_html: 'é“'.repeat(1_000) });
    await seedVariant(service.sql, shop, id);
  }
  const bodies: Buffer[] = [];
  const ask = () => exchange(path, query, { Authorization: `Bearer ${key}` });
  const longest = await longestText(async () => void bodies.push((await ask()).body));
  expect(String(bodies[0]).match(/é“/g)).toHaveLength(40 * 1_000);
  expect(longest).toBeLessThan(60 * 1024);
});

describe('writeAnswer', () => {
  const leaf = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.constantFrom(null, undefined),
    fc.tuple(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 90_000 })).map(([text, times]) => {
      const json = JSON.stringify({ text: text.slice(0, 4).repeat(times) });
      return times % 2 === 0 ? new RawJson(json) : new RawJson(json.slice(0, 9), Buffer.from(json.slice(9)));
    }),
  );
  const value = fc.dictionary(
    fc.string(),
    fc.oneof(
      leaf,
      fc.array(fc.option(fc.record({ a: leaf, b: fc.oneof(leaf, fc.array(fc.record({ c: leaf }))) })), {
        maxLength: 5,
      }),
    ),
    {
      maxKeys: 5,
    },
  );

  it('writes what JSON.stringify writes, over several turns or at once', async () => {
    await fc.assert(
      fc.asyncProperty(value, fc.boolean(), async (given, hasWaited) => {
        const turns = new WorkPauses('shop');
        if (hasWaited) await turns.next();
        const written = await writeAnswer(given, turns);
        expect(written.equals(Buffer.from(stringify(given)))).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the memory of all operations', () => {
  /** Each holds less than a large response, but enough to count. */
  const many = Math.floor(maximumRowBytesInMemory / 100_000);

  /** Operations of other shops that have read as much as there is room for. Returns how many were ended. */
  async function whileFull(count: number, work: () => Promise<void>): Promise<number> {
    let ended = 0;
    const others = Array.from({ length: count }, () => new OperationMemory(randomUUID(), () => (ended += 1)));
    for (const other of others) other.hold(Math.floor(maximumRowBytesInMemory / count));
    try {
      await work();
    } finally {
      for (const other of others) other.release();
    }
    return ended;
  }

  const large: readonly (readonly [string, string | undefined])[] = [
    [`/v1/products?limit=${products - 1}`, undefined],
    ['/v1/orders?limit=41', undefined],
    ['/graphql', `{ products(first: ${products - 1}) { nodes { descriptionHtml } } }`],
    ['/graphql', `{ products(first: ${products - 1}) { nodes { descriptionHtml variants { id } } } }`],
    ['/graphql', `{ orders(first: 41) { nodes { tags } } }`],
    [
      '/graphql?variables={}',
      `query Twice { one: orders(first: 21) { nodes { tags } } two: orders(last: 22) { nodes { tags } } }`,
    ],
  ];

  it.each(large)('is taken from the operation that holds most: %s %s', async (path, query) => {
    const ended = await whileFull(1, async () => {
      expect(await exchange(path, query)).toMatchObject({ status: 200 });
    });
    expect(ended).toBe(1);
    // Nothing of it counts any more.
    expect(await whileFull(1, () => Promise.resolve())).toBe(0);
  });

  it.each(large)('is not taken from smaller ones: %s %s is refused', async (path, query) => {
    const key = (await seedApiKey(service.sql, shopId)).apiKey;
    const ended = await whileFull(many, async () => {
      const { status, headers, body } = await exchange(path, query, { Authorization: `Bearer ${key}` });
      expect({ status, headers, body: String(body) }).toMatchObject({
        status: 503,
        headers: { 'retry-after': '1' },
        body: expect.stringContaining('Too many large responses are in progress.') as string,
      });
    });
    expect(ended).toBe(0);
    expect(await whileFull(1, () => Promise.resolve())).toBe(0);
  });

  it('is not needed by small responses', async () => {
    const ended = await whileFull(many, async () => {
      for (const path of ['/v1/shop', '/v1/collections', '/v1/products?limit=1&q=nothing']) {
        expect(await exchange(path)).toMatchObject({ status: 200 });
      }
    });
    expect(ended).toBe(0);
  });
});
