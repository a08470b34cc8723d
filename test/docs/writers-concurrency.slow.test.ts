import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';
import type { Client } from 'pg';
import { DatabaseError } from 'pg';
import { importFiles } from '../../src/ingest/import-files';
import { useTestDatabase } from '../support/test-database';
import { copyIn } from '../support/copy-in';
import type { Step } from './writers-examples';
import { blocks, readExamples } from './writers-examples';

const examples = readExamples();
const writers = 6;
const statementsEach = 60;

const clients: Client[] = [];

const db = useTestDatabase();
beforeAll(async () => {
  for (let count = 0; count < writers; count += 1) {
    const client = await db.connect();
    await client.query('SET deadlock_timeout = 50');
    clients.push(client);
  }
  for (const example of examples) await run(clients[0] as Client, example);
});

async function run(client: Client, steps: readonly Step[]): Promise<void> {
  try {
    for (const step of steps) {
      if ('sql' in step) await client.query(step.sql);
      else await copyIn(client, step.copy, step.rows);
    }
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  }
}

async function createSnapshot(): Promise<string> {
  const at = '2026-03-01T10:00:00Z';
  const variants = ['1', '2', '8001-1'].map((name) => ({
    ...{ external_id: name, price: '4.50', created_at: at, updated_at: at },
  }));
  const lines = ['8003', '8001', '8002'].map((name) =>
    JSON.stringify({ type: 'product', external_id: name, title: 'Cup', created_at: at, updated_at: at, variants }),
  );
  const file = join(await mkdtemp(join(tmpdir(), 'catalog-writers-')), 'shop.ndjson');
  await writeFile(file, lines.map((line) => `${line}\n`).join(''));
  return file;
}

describe('the examples of docs/writers.md', () => {
  it('and the importer never deadlock against each other', async () => {
    expect(examples.length).toBeGreaterThanOrEqual(10);
    const file = await createSnapshot();
    const codes: (string | undefined)[] = [];
    const importAgain = () =>
      importFiles(db.database, {
        ...{ files: [file], shopDomain: 'shop.example', format: 'snapshot', clock: Date.now },
      });
    await Promise.all(
      clients.map(async (client, writer) => {
        for (let count = 0; count < statementsEach; count += 1) {
          // Each writer goes through them in a different order.
          const example = examples[(count * (2 * writer + 1) + writer) % examples.length] ?? [];
          const work = count % 20 === writer ? importAgain() : run(client, example);
          await work.catch((error: unknown) => codes.push(error instanceof DatabaseError ? error.code : String(error)));
        }
      }),
    );
    expect(codes).toEqual([]);
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'repeat, under %s, transactions that failed with 40001 because of another writer',
    async (level) => {
      const { text = '' } = blocks.find(({ language }) => language === 'js') ?? {};
      type InTransaction = (client: Client, begin: string, work: () => Promise<unknown>) => Promise<void>;
      const define = compileFunction(`${text}; return inTransaction;`) as () => InTransaction;
      const inTransaction = define();
      const [one, two] = clients as [Client, Client];
      // One of the examples deletes this variant, and the previous test may have ended with it.
      await db.sql("DELETE FROM products WHERE external_id = 'repeated'");
      await db.sql(`
        WITH product AS (
          INSERT INTO products (shop_id, external_id, handle, title, status, created_at, updated_at)
          SELECT shop_id, 'repeated', 'repeated', 'Cup', 'ACTIVE', now(), now() FROM shops WHERE domain = 'shop.example'
          RETURNING shop_id, id)
        INSERT INTO variants (shop_id, product_id, external_id, sku, price, inventory_quantity, position, created_at, updated_at)
        SELECT shop_id, id, 'repeated', 'REPEATED', '4.50', 0, 1, now(), now() FROM product`);
      let attempts = 0;
      await inTransaction(one, `BEGIN ISOLATION LEVEL ${level}`, async () => {
        attempts += 1;
        await one.query('SELECT FROM shops');
        if (attempts === 1)
          await two.query("UPDATE variants SET inventory_quantity = inventory_quantity + 1 WHERE sku = 'REPEATED'");
        await one.query("SELECT FROM shops WHERE domain = 'shop.example' FOR NO KEY UPDATE");
        await one.query("UPDATE variants SET inventory_quantity = inventory_quantity + 1 WHERE sku = 'REPEATED'");
      });
      expect(attempts).toBe(2);
      expect(await db.sql("SELECT inventory_quantity AS stock FROM variants WHERE sku = 'REPEATED'")).toEqual([
        { stock: '2' },
      ]);
    },
  );
});
