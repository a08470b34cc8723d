import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/project-root';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase, testServerUrl } from '../support/test-database';
import { describeSchema } from './describe-schema';
import type { PausingMigrations } from './pausing-migrations';
import { createPausingMigrations } from './pausing-migrations';

const afterUpgrade = readFileSync(join(projectRoot, 'docs/deploy/after-upgrade.sql'), 'utf8');

let migrations: PausingMigrations;
let fresh: TestDatabase;

/** Without what pauses migrations. */
const schemaOf = async (sql: TestDatabase['sql']): Promise<string[]> =>
  (await describeSchema(sql)).filter((line) => !/moments\.|pause_at_commit/.test(line));

beforeAll(async () => {
  migrations = await createPausingMigrations(testServerUrl('postgres'));
  fresh = await createTestDatabase();
});
afterAll(async () => {
  await fresh.drop();
  await migrations.drop();
});

describe('a database that had shops before it was migrated', () => {
  const sql: TestDatabase['sql'] = (text, values) => migrations.straight.sql(text, values);

  it('keeps the indexes of the version before until docs/deploy/after-upgrade.sql drops them', async () => {
    const [before, expected] = [await schemaOf(sql), await schemaOf(fresh.sql)];
    const surplus = before.filter((line) => !expected.includes(line));
    expect(surplus.map((line) => /^index CREATE INDEX (\S+)/.exec(line)?.[1]).sort()).toEqual([
      'orders_updated_at_idx',
      'products_terms_idx',
    ]);
    await sql(afterUpgrade);
    expect(await schemaOf(sql)).toEqual(expected);
    await sql(afterUpgrade);
    expect(await schemaOf(sql)).toEqual(expected);
  });

  it('has every live product among those that are searched', async () => {
    const differences = await sql(
      `SELECT id FROM products AS p FULL JOIN product_terms AS t ON t.product_id = p.id AND t.shop_id = p.shop_id
        WHERE p.deleted_at IS NULL
          AND (p.search_text, p.status, p.tags) IS DISTINCT FROM (t.search_text, t.status, t.tags)`,
    );
    expect(differences).toEqual([]);
    expect(await sql('SELECT count(*)::integer AS count FROM product_terms')).toEqual([{ count: 300 }]);
  });

  it.each(['order_figures', 'product_figures'])('has the same %s as if they were counted afresh', async (table) => {
    const [own, expected] = [`SELECT * FROM ${table}`, `SELECT f.* FROM shops, catalog_${table}(shop_id) AS f`];
    const differences = await sql(`((${own}) EXCEPT (${expected})) UNION ALL ((${expected}) EXCEPT (${own}))`);
    expect(differences).toEqual([]);
    expect(await sql(`SELECT count(DISTINCT shop_id)::integer AS shops FROM ${table}`)).toEqual([{ shops: 2 }]);
  });
});
