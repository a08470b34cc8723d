import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../../support/seed';
import type { Sql } from '../../support/test-database';
import type { Question, Recorded } from './load';

/** Two shops whose answers can be told apart, and what SQL says that they are. */
export interface Oracle {
  readonly questions: readonly Question[];
  /** What is wrong with an answer, as lines for people; none when it keeps every promise. */
  findProblems(record: Recorded): string[];
}

type IdsOf = (body: Body) => unknown[];

interface Body {
  readonly data?: { readonly id: string } | { readonly id: string }[] | Record<string, unknown>;
}

const restIds: IdsOf = ({ data }) => (Array.isArray(data) ? data : [data]).map((item) => (item as { id: string }).id);
const graphqlIds: IdsOf = ({ data }) =>
  (data as { products: { nodes: { id: string }[] } }).products.nodes.map(({ id }) => id);

const document = '{ products(first: 50) { nodes { id title variants { id sku } } } }';

export async function seedOracle(sql: Sql): Promise<Oracle> {
  const expectations = new Map<Question, { ids: readonly string[]; read: IdsOf }>();
  for (let shop = 0; shop < 2; shop++) {
    const shopId = await seedShop(sql);
    const { apiKey } = await seedApiKey(sql, shopId);
    for (let index = 0; index < 30; index++) {
      const productId = await seedProduct(sql, shopId, { vendor: index % 3 === 0 ? 'Loom' : 'Kiln & Co' });
      await seedVariant(sql, shopId, productId);
      await seedCollection(sql, shopId);
      await seedOrder(sql, shopId);
    }
    const idsOf = async (table: string, where = 'true') =>
      (
        await sql<{ id: string }>(
          `SELECT id FROM ${table} WHERE shop_id = $1 AND ${where} ORDER BY created_at, id LIMIT 50`,
          [shopId],
        )
      ).map(({ id }) => id);
    const products = await idsOf('products');
    const add = (target: string, ids: readonly string[], extra: Partial<Question> = {}, read = restIds) =>
      expectations.set({ apiKey, target, ...extra }, { ids, read });
    add('/v1/shop', [shopId]);
    add('/v1/products', products);
    add('/v1/products?limit=7', products.slice(0, 7));
    add('/v1/products?vendor=Loom', await idsOf('products', "vendor = 'Loom'"));
    for (const id of products.slice(0, 5)) add(`/v1/products/${id}`, [id]);
    add('/v1/collections', await idsOf('collections'));
    add('/v1/orders', await idsOf('orders'));
    add('/graphql', products, { document }, graphqlIds);
  }
  return {
    questions: [...expectations.keys()],
    findProblems(record) {
      const expected = expectations.get(record.question);
      if (record.status === 503) return findRefusalProblems(record);
      if (record.status !== 200) return [`status ${record.status} ${record.failure ?? record.text}`];
      const found = expected?.read(JSON.parse(record.text) as Body);
      const problems =
        JSON.stringify(found) === JSON.stringify(expected?.ids) ? [] : [`not what SQL says: ${record.text}`];
      return [...problems, ...findHeaderProblems(record)];
    },
  };
}

const limitHeaders = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'];

/** Every response tells the limit (D19), in numbers that fit together, and carries the id under which the log has it. */
export const findHeaderProblems = ({ headers }: Recorded): string[] => {
  const [limit, remaining, reset] = limitHeaders.slice(0, 3).map((name) => Number(headers[name] ?? NaN)) as [
    number,
    number,
    number,
  ];
  const problems: string[] = [];
  if (!(limit > 0 && remaining >= 0 && remaining <= limit && reset >= 0 && reset <= 60)) {
    problems.push(`limit ${limit}, remaining ${remaining}, reset ${reset}`);
  }
  if (headers['ratelimit-policy'] !== `${limit};w=60`) problems.push(`policy ${headers['ratelimit-policy'] as string}`);
  if (headers['x-request-id'] === undefined) problems.push('X-Request-Id is missing');
  if (!headers['content-type']?.startsWith('application/')) problems.push(`content type ${headers['content-type']}`);
  return problems;
};

/** 503 says when to come back, has the surface's envelope, and tells nothing of what is underneath. */
function findRefusalProblems(record: Recorded): string[] {
  const { headers, text, question } = record;
  const problems = findHeaderProblems(record);
  if (headers['retry-after'] !== '1') problems.push(`Retry-After is ${headers['retry-after']}`);
  const body = JSON.parse(text) as { error?: { code?: string }; errors?: { extensions?: { code?: string } }[] };
  const code = question.document === undefined ? body.error?.code : body.errors?.[0]?.extensions?.code;
  if (code !== 'SERVICE_UNAVAILABLE') problems.push(`no envelope: ${text}`);
  if (/select|postgres|prisma|ECONN|\/src\//i.test(text)) problems.push(`tells too much: ${text}`);
  return problems;
}
