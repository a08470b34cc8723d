import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importFiles } from '../../src/ingest/import-files';
import type { ImportReport } from '../../src/ingest/import-files';
import { useOpened } from '../support/opened';
import { seedShop } from '../support/seed';
import { createTestDatabase, type TestDatabase } from '../support/test-database';

type Options = Partial<Parameters<typeof importFiles>[1]>;

/** The time of every import in these tests, unless a test moves the clock. */
export const now = '2026-03-01T12:00:00.000Z';

/** A database and a directory for files. Each test creates its own shop in it. */
export class ImportHarness {
  private constructor(
    readonly test: TestDatabase,
    readonly directory: string,
  ) {}

  static async create(): Promise<ImportHarness> {
    return new ImportHarness(await createTestDatabase(), await mkdtemp(join(tmpdir(), 'import-test-')));
  }

  async close(): Promise<void> {
    await this.test.drop();
    await rm(this.directory, { recursive: true, force: true });
  }

  async createShop(): Promise<ShopUnderImport> {
    const domain = `${crypto.randomUUID()}.example`;
    return new ShopUnderImport(this, domain, await seedShop(this.test.sql, { domain, name: null, currency: null }));
  }

  async write(content: string | Buffer, name = 'file'): Promise<string> {
    const file = join(this.directory, name);
    await writeFile(file, content);
    return file;
  }
}

/** The same for all tests of a file. */
export const useImportHarness = (): ImportHarness =>
  useOpened(
    () => ImportHarness.create(),
    (harness) => harness.close(),
  );

export class ShopUnderImport {
  constructor(
    readonly harness: ImportHarness,
    readonly domain: string,
    readonly id: string,
  ) {}

  async import(content: string | Buffer, options: Options = {}): Promise<ImportReport> {
    return this.importFiles([await this.harness.write(content)], options);
  }

  importFiles(files: readonly string[], options: Options = {}): Promise<ImportReport> {
    return importFiles(this.harness.test.database, {
      files,
      shopDomain: this.domain,
      format: 'auto',
      clock: () => Date.parse(now),
      ...options,
    });
  }

  /** The message of a rejected import, without the directory of the file. */
  async refusal(content: string | Buffer, options: Options = {}): Promise<string> {
    try {
      await this.import(content, options);
    } catch (error) {
      if (error instanceof Error && error.name === 'ImportError') {
        return error.message.replaceAll(`${this.harness.directory}/`, '');
      }
      throw error;
    }
    throw new Error('expected the import to be rejected');
  }

  /** The rows of a table, in a stable order, all columns as text. */
  async rows(table: 'products' | 'variants' | 'collections' | 'orders'): Promise<Record<string, unknown>[]> {
    const found = await this.harness.test.sql<{ row: Record<string, unknown> }>(
      `SELECT to_jsonb(t) AS row FROM ${table} AS t WHERE shop_id = $1 ORDER BY external_id, id`,
      [this.id],
    );
    return found.map(({ row }) => row);
  }

  /** The given columns of a table's rows. */
  async values(table: Parameters<ShopUnderImport['rows']>[0], ...columns: string[]): Promise<unknown[][]> {
    return (await this.rows(table)).map((row) => columns.map((column) => row[column]));
  }

  /** Computes the derived columns as the triggers do: an import has written the same. */
  async deriveByTriggers(): Promise<void> {
    await this.harness.test.sql(
      'SELECT catalog_derive_products(array_agg(shop_id), array_agg(id)) FROM products WHERE shop_id = $1',
      [this.id],
    );
  }

  /** The complete state of a shop, with the transaction that wrote each row: equal only if nothing was written. */
  async fingerprint(): Promise<unknown> {
    const tables = ['shops', 'products', 'variants', 'collections', 'orders'];
    return this.harness.test.sql(
      tables
        .map((table) => `SELECT '${table}' AS t, xmin::text, to_jsonb(${table}) AS r FROM ${table} WHERE shop_id = $1`)
        .join(' UNION ALL ') + ' ORDER BY 1, 3',
      [this.id],
    );
  }
}

export const lines = (...objects: object[]): string => objects.map((object) => `${JSON.stringify(object)}\n`).join('');

const moment = '2026-01-31T12:00:00.000Z';

export const product = (values: object = {}): object => ({
  type: 'product',
  external_id: 'p1',
  title: 'Mug',
  created_at: moment,
  updated_at: moment,
  ...values,
});

export const variant = (values: object = {}): object => ({
  external_id: 'v1',
  created_at: moment,
  updated_at: moment,
  ...values,
});

export const collection = (values: object = {}): object => ({
  type: 'collection',
  external_id: 'c1',
  title: 'Mugs',
  published: true,
  ...values,
});

export const order = (values: object = {}): object => ({
  type: 'order',
  external_id: 'o1',
  order_number: '#1',
  ...values,
});
