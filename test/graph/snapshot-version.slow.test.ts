import { askGraphql } from '../support/graphql-client';
import { untilWaiting } from '../support/locked-table';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

const service = useService({
  rateLimit: 1_000_000,
  // One shop gets a third of them.
  poolSize: 15,
  settings: { REQUEST_TIMEOUT_MS: '30000' },
});

const statusNotModified = 304;

async function get(path: string, apiKey: string, etag?: string) {
  const { status, headers, text } = await exchange(service.origin, path, {
    headers: { Authorization: `Bearer ${apiKey}`, ...(etag === undefined ? {} : { 'If-None-Match': etag }) },
  });
  return { status, etag: String(headers['etag']), text };
}

/** A shop with one row of each kind, and the paths of its lists and of the product. */
async function seedReadable() {
  const shop = await seedShop(service.sql);
  const product = await seedProduct(service.sql, shop, { title: 'before' });
  await seedCollection(service.sql, shop, { title: 'before' });
  await seedOrder(service.sql, shop, { customer_name: 'before' });
  const { apiKey } = await seedApiKey(service.sql, shop);
  return { shop, apiKey, paths: ['/v1/products', `/v1/products/${product}`, '/v1/collections', '/v1/orders'] };
}

const document = '{ products { edges { node { title } } } shop { name productCount } }';

/** Requests whose key is read before a commit and whose rows are read after it. @returns their responses */
async function readAcrossCommit(shop: string, apiKey: string, paths: readonly string[]) {
  const writer = await service.database.connect();
  await writer.query('BEGIN; LOCK TABLE products, collections, orders IN ACCESS EXCLUSIVE MODE');
  const answers = paths.map((path) => get(path, apiKey));
  const graphql = askGraphql(service.origin, apiKey, document);
  await untilWaiting(service.database, paths.length + 1);
  for (const [table, column] of [
    ['products', 'title'],
    ['collections', 'title'],
    ['orders', 'customer_name'],
  ]) {
    await writer.query(`UPDATE ${table} SET ${column} = 'after' WHERE shop_id = '${shop}'`);
  }
  await writer.query('COMMIT');
  return { rest: await Promise.all(answers), graphql: await graphql };
}

describe('a response whose rows were committed after its key was read', () => {
  it('has the tag of those rows: the next response with this tag has these bytes', async () => {
    const { shop, apiKey, paths } = await seedReadable();
    const { rest } = await readAcrossCommit(shop, apiKey, paths);
    for (const [index, path] of paths.entries()) {
      const across = rest[index];
      expect(across?.text).toContain('after');
      expect(await get(path, apiKey)).toEqual(across);
      expect((await get(path, apiKey, across?.etag)).status).toBe(statusNotModified);
    }
  });

  it('is no longer served when a failover loses that commit, neither from memory nor as 304', async () => {
    const { shop, apiKey, paths } = await seedReadable();
    const [{ data_version: version } = { data_version: '' }] = await service.sql<{ data_version: string }>(
      'SELECT data_version FROM shops WHERE shop_id = $1',
      [shop],
    );
    // Twice, because a response is cached from the second time on.
    const first = await readAcrossCommit(shop, apiKey, paths);
    const second = await readAcrossCommit(shop, apiKey, paths);
    const promoted = await service.database.connect();
    await promoted.query('SET session_replication_role = replica');
    await promoted.query(`UPDATE products SET title = 'before' WHERE shop_id = '${shop}'`);
    await promoted.query(`UPDATE collections SET title = 'before' WHERE shop_id = '${shop}'`);
    await promoted.query(`UPDATE orders SET customer_name = 'before' WHERE shop_id = '${shop}'`);
    await promoted.query(`UPDATE shops SET data_version = ${version} WHERE shop_id = '${shop}'`);

    for (const [index, path] of paths.entries()) {
      for (const lost of [first.rest[index], second.rest[index], undefined]) {
        const answer = await get(path, apiKey, lost?.etag);
        expect(answer).toMatchObject({ status: 200, text: expect.stringContaining('before') as unknown });
      }
    }
    for (let time = 0; time < 3; time += 1) {
      expect((await askGraphql(service.origin, apiKey, document)).text).toContain('before');
    }
  });
});
