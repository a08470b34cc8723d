import type { Client } from 'pg';
import { seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useTestDatabase } from '../support/test-database';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Tuplestore Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

let client: Client;
let plans: { 'Query Text': string; Plan: PlanNode }[] = [];

const db = useTestDatabase();
beforeAll(async () => {
  const shopId = await seedShop(db.sql);
  const productId = await seedProduct(db.sql, shopId);
  await seedVariant(db.sql, shopId, productId);
  await seedCollection(db.sql, shopId);
  await seedOrder(db.sql, shopId);
  client = await db.connect();
  client.on('notice', ({ message = '' }) => {
    const at = message.indexOf('{');
    if (/^duration: .* plan:/.test(message) && at !== -1)
      plans.push(JSON.parse(message.slice(at)) as (typeof plans)[number]);
  });
  await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;
    SET auto_explain.log_format = json; SET auto_explain.log_level = notice; SET client_min_messages = notice`);
});

const storesBelow = (node: PlanNode): boolean =>
  node['Node Type'] === 'Named Tuplestore Scan' || (node.Plans ?? []).some(storesBelow);

/** Whether the rows of a statement are compared with each other one by one. */
const comparesAll = (node: PlanNode): boolean =>
  (node['Node Type'] === 'Nested Loop' && (node.Plans ?? []).filter(storesBelow).length > 1) ||
  (node.Plans ?? []).some(comparesAll);

/**
 * A session plans the statements of its triggers once. Plans made for a first statement with one row must suit later
 * ones with any number.
 */
describe('the plans that triggers make for one row', () => {
  it.each([
    `UPDATE products SET title = 'Other', tags = '{other}'`,
    `UPDATE products SET deleted_at = now()`,
    `UPDATE products SET deleted_at = NULL, created_at = created_at - interval '1 day'`,
    `UPDATE products SET min_price = '0'`,
    `UPDATE products SET id = gen_random_uuid() WHERE variant_count = 0`,
    `UPDATE variants SET price = '7.77', inventory_quantity = 3`,
    `UPDATE variants SET id = gen_random_uuid()`,
    `UPDATE collections SET title = 'Other'`,
    `UPDATE collections SET id = gen_random_uuid()`,
    `UPDATE orders SET financial_status = 'OTHER'`,
    `UPDATE orders SET id = gen_random_uuid()`,
    `DELETE FROM variants`,
    `DELETE FROM products`,
  ])('do not compare all rows of %s with each other', async (statement) => {
    plans = [];
    await client.query(statement);
    expect(plans.length).toBeGreaterThan(0);
    expect(plans.filter(({ Plan }) => comparesAll(Plan)).map((plan) => plan['Query Text'])).toEqual([]);
  });
});
