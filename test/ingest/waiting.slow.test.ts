import { once } from 'node:events';
import { Client } from 'pg';
import { importFiles } from '../../src/ingest/import-files';
import { lines, product, type ShopUnderImport, useImportHarness } from './import-harness';

const harness = useImportHarness();

/** Locks the shop's row as a writer does, under an application name, until it is released. */
async function holdShop(shop: ShopUnderImport, name: string): Promise<() => Promise<void>> {
  const client = new Client({ connectionString: harness.test.url, application_name: name });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM shops WHERE shop_id = $1 FOR NO KEY UPDATE', [shop.id]);
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
}

describe('an import into a shop that is being written', () => {
  it.each(['catalog import', 'nightly sync', ''])(
    'reports that it waits, and for whom, and continues afterwards: %j',
    async (name) => {
      const expected = new RegExp(
        `^waiting for a lock held by pid \\d+ \\(application_name "${name}", user "\\w+", idle in transaction, its transaction is \\d+ s old\\)$`,
      );
      const shop = await harness.createShop();
      const release = await holdShop(shop, name);
      const said = new EventTarget();
      const texts: string[] = [];
      const waited = once(said, 'wait');
      const done = shop.import(lines(product()), {
        onWait: (text) => {
          texts.push(text);
          said.dispatchEvent(new Event('wait'));
        },
      });
      await waited;
      await release();
      expect((await done).products.created).toBe(1);
      expect(texts).toEqual([expect.stringMatching(expected)]);
    },
  );

  it('gives up in time, and names the session that it waited for', async () => {
    const shop = await harness.createShop();
    const release = await holdShop(shop, 'nightly sync');
    const before = await shop.fingerprint();
    expect(await shop.refusal(lines(product()), { lockTimeoutMilliseconds: 1_500 })).toMatch(
      /^The import timed out waiting for a lock held by pid \d+ \(application_name "nightly sync", user .*\). The transaction was rolled back. Wait until the lock is released, or end each session that holds it with pg_terminate_backend\(pid\), and run the import again\.$/,
    );
    await release();
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('reports nothing without another writer', async () => {
    const shop = await harness.createShop();
    const texts: string[] = [];
    await shop.import(lines(product()), { onWait: (text) => texts.push(text) });
    expect(texts).toEqual([]);
  });

  it('detects that the shop was deleted in the meantime', async () => {
    const shop = await harness.createShop();
    const client = new Client({ connectionString: harness.test.url });
    await client.connect();
    await client.query('BEGIN');
    await client.query('DELETE FROM shops WHERE shop_id = $1', [shop.id]);
    const said = new EventTarget();
    const waited = once(said, 'wait');
    const done = shop.import(lines(product()), { onWait: () => said.dispatchEvent(new Event('wait')) });
    const refused = expect(done).rejects.toThrow(`Shop "${shop.domain}" not found`);
    await waited;
    await client.query('COMMIT');
    await client.end();
    await refused;
  });
});

it('files are opened before the database', async () => {
  const shop = await harness.createShop();
  const target = (): Promise<never> => Promise.reject(new Error('the database was opened'));
  const options = { shopDomain: shop.domain, format: 'auto' as const, clock: Date.now };
  await expect(importFiles(target, { ...options, files: ['/nowhere/x.csv'] })).rejects.toThrow('no such file');
  const file = await harness.write(lines(product()));
  await expect(importFiles(target, { ...options, files: [file] })).rejects.toThrow('the database was opened');
});
