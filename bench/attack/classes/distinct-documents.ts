import { createHash } from 'node:crypto';
import type { Attack, Scene } from '../attack';
import type { Random } from '../../../test/support/random';

const productFields = [
  'id', 'externalId', 'title', 'handle', 'status', 'vendor', 'productType', 'tags', 'descriptionHtml', 'seoTitle', 'seoDescription',
  'imageUrl', 'variantCount', 'minPrice', 'maxPrice', 'totalStock', 'publishedAt', 'createdAt', 'updatedAt',
]; // prettier-ignore

const variantFields = [
  'id',
  'externalId',
  'title',
  'sku',
  'barcode',
  'price',
  'weight',
  'position',
  'imageUrl',
  'createdAt',
];

/**
 * A document within the limits that equals no other: up to ten kilobytes long, and with up to a thousand fields,
 * because preparing a field takes many times the memory of its text. It requests products that do not exist, so that
 * only preparing costs anything.
 */
function distinctDocument(random: Random): string {
  const noise = random.word(8);
  const fields = () => productFields.filter(() => random.chance(0.8)).join(' ');
  const roots = random.list(
    random.pick([1, 10, 20]),
    (i) => `p${i}: product(id: "${noise}") { id ${fields()} variants { ${variantFields.join(' ')} } }`,
  );
  const body = roots.join(' ');
  return random.pick([
    () => `# ${noise} ${'.'.repeat(4_000)}\n{ ${body} }`,
    () => `{ ${body} }${' '.repeat(random.integer(1, 4_000))}# ${noise}`,
    () => `query ${noise} { ${body} }`,
    () => `{ ${body} ${noise}: __typename }`,
    () => `query ($${noise}: Int = 1) { ${body} products(first: $${noise}) { nodes { id ${fields()} } } }`,
    () => `{ ...F${noise} } fragment F${noise} on Query { ${body} }`,
  ])();
}

/** Sends each twice: documents may be cached only from the second time on. */
const sendTwice =
  (hasCredential: boolean, generate: (random: Random) => string) =>
  async ({ attacker, random, shop }: Scene): Promise<void> => {
    const apiKey = hasCredential ? (await shop.createKey()).apiKey : undefined;
    const options = apiKey === undefined ? {} : { apiKey };
    await attacker.flood(8, async () => {
      const document = generate(random);
      await attacker.graphql(document, options);
      await attacker.graphql(document, options);
    });
  };

const seconds = { full: 15, short: 4 };

export const distinctDocuments: Attack = {
  name: 'distinct-documents',
  what: 'documents of up to 10 kB that no other one equals, each twice',
  target: 'plain',
  seconds,
  run: sendTwice(true, distinctDocument),
};

export const distinctIntrospection: Attack = {
  name: 'distinct-introspection',
  what: 'the same without a credential, by introspection',
  target: 'plain',
  seconds,
  run: sendTwice(
    false,
    (random) =>
      `# ${random.word(12)}\n{ ${random.list(20, (i) => `t${i}: __type(name: "${random.word(4)}") { ${'fields { name description args { name type { kind name } } type { kind name ofType { kind name } } } '.repeat(2)} }`).join(' ')} }`,
  ),
};

/** Selections, filters and sort keys, each leading to a statement with another text. */
function distinctStatement(random: Random): string {
  const fields = productFields.filter(() => random.chance(0.5)).join(' ');
  const filters = [
    'query: "a"', 'status: ACTIVE', 'statusIn: [DRAFT]', 'vendor: "Kiln 1"', 'vendorIn: ["a"]', 'productType: "Vases"', 'tag: "clay"',
    'tagsAny: ["a", "b"]', 'tagsAll: ["clay"]', 'createdAt: { from: "2026-01-01T00:00:00Z" }', 'price: { min: "1" }', 'totalStock: { max: 9 }',
    'externalIds: ["p-1"]',
  ]; // prettier-ignore
  const filter = filters.filter(() => random.chance(0.3)).join(', ');
  const sort = random.pick(['CREATED_AT', 'UPDATED_AT', 'TITLE', 'PRICE', 'STOCK']);
  const page = random.pick(['first: 1', 'last: 1', 'first: 1, reverse: true']);
  return `{ products(${page}, sortKey: ${sort}, filter: { ${filter} }) { nodes { id ${fields} } } }`;
}

export const distinctStatements: Attack = {
  name: 'distinct-statements',
  what: 'selections, filters and sort keys that each make another SQL statement, until names of prepared statements are used up',
  target: 'plain',
  seconds,
  run: sendTwice(true, distinctStatement),
};

export const persistedQueries: Attack = {
  name: 'persisted-queries',
  what: 'hashes of documents: unknown, wrong, malformed, registered by the thousand',
  target: 'plain',
  async run({ attacker, random, shop }) {
    const { apiKey } = await shop.createKey();
    await attacker.flood(8, async () => {
      const document = distinctDocument(random);
      const right = createHash('sha256').update(document).digest('hex');
      const hash = random.pick<unknown>([
        right,
        right,
        right.replace(/./g, 'a'),
        random.word(64),
        'a'.repeat(9_000),
        null,
        {},
        1,
      ]);
      const extensions = {
        persistedQuery: { version: random.pick<unknown>([1, 1, 1, 2, '1', null]), sha256Hash: hash },
      };
      await attacker.graphql(random.chance(0.6) ? document : undefined, { apiKey, request: { extensions } });
    });
  },
};
