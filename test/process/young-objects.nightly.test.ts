import { join } from 'node:path';
import { buildCatalog } from '../cli/run-catalog';
import { createRandom } from '../support/random';
import { runSeed } from '../support/run-seed';
import { seedApiKey, seedShop } from '../support/seed';
import { useTestDatabase } from '../support/test-database';
import { killServiceProcesses, startServiceProcess } from '../support/service-process';

const products = 2_000;
const callers = 8;

const database = useTestDatabase();
beforeAll(buildCatalog);
afterEach(killServiceProcesses);

/**
 * V8 allocates objects in the old generation where it has seen them survive. Everything that they refer to then
 * survives until the next major collection: 50 kB per page instead of one.
 */
it('keeps nothing of an uncached page in the old generation', async () => {
  const shopId = await seedShop(database.sql);
  const { apiKey } = await seedApiKey(database.sql, shopId);
  await database.sql(
    `INSERT INTO products (shop_id, external_id, title, handle, status, description_html, created_at, updated_at)
     SELECT $1, n::text, 'Mug ' || n, 'mug-' || n, 'ACTIVE', repeat('x', 500), to_timestamp(n), to_timestamp(n)
       FROM generate_series(1, $2::integer) AS n`,
    [shopId, products],
  );
  const preload = join(__dirname, 'report-promoted.cjs');
  // The semi-space size of image, systemd unit and workers: with larger ones, nearly all collections are major.
  const NODE_OPTIONS = `--require ${preload} --max-semi-space-size=16`;
  const service = await startServiceProcess(database.url, { NODE_OPTIONS, LOG_LEVEL: 'warn' });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const cursors: string[] = [];
  for (let after: string | null = null; cursors.length < products; after = cursors.at(-1) ?? null) {
    const query = `query ($after: String) { products(first: 200, after: $after) { edges { cursor } } }`;
    const body = JSON.stringify({ query, variables: { after } });
    const response = await fetch(`${service.origin}/graphql`, { method: 'POST', headers, body });
    const { data } = (await response.json()) as { data: { products: { edges: { cursor: string }[] } } };
    cursors.push(...data.products.edges.map(({ cursor }) => cursor));
  }
  const random = createRandom(runSeed);
  const readPages = async (): Promise<void> => {
    // In a new version of the shop, so that no page is cached.
    await database.sql('UPDATE shops SET name = name WHERE shop_id = $1', [shopId]);
    const left = random.shuffled(cursors);
    const call = async (): Promise<void> => {
      for (let cursor = left.pop(); cursor !== undefined; cursor = left.pop()) {
        const response = await fetch(`${service.origin}/v1/products?cursor=${cursor}`, { headers });
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
  };
  // By then, hot code is compiled, and V8 has learned what survives.
  for (let round = 0; round < 3; round += 1) await readPages();
  service.forgetLog();
  await readPages();
  const promoted = service.log().split('\n').filter((line) => line.startsWith('{"promoted"')).map((line) => (JSON.parse(line) as { promoted: number }).promoted); // prettier-ignore
  expect(promoted).not.toEqual([]);
  const ofPage = promoted.reduce((sum, bytes) => sum + bytes, 0) / products;
  expect(ofPage).toBeLessThan(4_000);
}, 180_000);
