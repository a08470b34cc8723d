import { setImmediate as nextTurn } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { DroppedCounter } from '../../src/ingest/formats/dropped';
import type { ProductRecord } from '../../src/ingest/formats/record';
import type { CopyIn, Query } from '../../src/ingest/write/import-transaction';
import { MemberTable } from '../../src/ingest/write/member-table';
import { RecordWriter } from '../../src/ingest/write/record-writer';

const noMembers = new MemberTable(() => Promise.reject(new Error('not expected')), 'shop');

const toProduct = (number: number): ProductRecord => ({
  kind: 'product',
  line: number,
  values: {
    external_id: `p${number}`,
    title: 'Mug',
    handle: null,
    status: 'ACTIVE',
    vendor: null,
    product_type: null,
    tags: [],
    description_html: 'x'.repeat(1_000),
    seo_title: null,
    seo_description: null,
    image_url: null,
    url: null,
    images: null,
    memberships: null,
    published_at: null,
    published: null,
    created_at: null,
    updated_at: null,
  },
  variants: [],
});

const aShop = {
  shopId: 'shop',
  liveProducts: 0,
  now: '2026-01-01T00:00:00Z',
  dropped: new DroppedCounter(),
  named: undefined,
  members: noMembers,
};

describe('a batch that is being written', () => {
  it('is finished while the next one is read, even if reading never waits', async () => {
    const statements: string[] = [];
    /** As from a database, the result arrives in a later turn of the event loop. */
    const answer = async (statement: string): Promise<void> => {
      await nextTurn();
      statements.push(statement);
    };
    const query: Query = async (text) => {
      await answer(text);
      return { rows: [], rowCount: 0 };
    };
    const copyIn: CopyIn = (table) => answer(`COPY ${table}`);
    const writer = new RecordWriter({
      query,
      copyIn,
      ...aShop,
    });
    const isWritten = (): boolean => statements.some((statement) => statement.includes('INSERT INTO products'));
    let first: number | undefined;
    for (let number = 0; number < 2_000; number += 1) {
      await writer.write('file', toProduct(number));
      if (isWritten()) first ??= number;
    }
    // The first thousand are a batch. It takes seven results, and a turn at least every eight products.
    expect(first).toBeGreaterThanOrEqual(1_000);
    expect(first).toBeLessThan(1_100);
    await writer.finish();
  });
});

it('knows a constraint by its name on a shard, too', async () => {
  const refused = Object.assign(new DatabaseError('duplicate key', 0, 'error'), { code: '23505' });
  for (const constraint of ['products_pkey', 'products_pkey_102068']) {
    const writer = new RecordWriter({
      query: () => Promise.reject(Object.assign(refused, { constraint })),
      copyIn: () => Promise.resolve(),
      ...aShop,
    });
    await writer.write('file', toProduct(1));
    await expect(writer.finish()).rejects.toThrow('two objects have the same ID');
  }
});
