import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';
import { fc } from '../support/properties';

const service = useService({ rateLimit: 1_000_000 });

interface Item {
  readonly id: string;
  readonly created_at: string | null;
}

const moments = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-01-02T00:00:00.000Z', null];

/** The lists of the REST API, and how to write their rows. Only products always have a date. */
const lists = {
  products: { seed: seedProduct, remove: 'UPDATE products SET deleted_at = now() WHERE id = ANY ($1)', dates: 3 },
  collections: { seed: seedCollection, remove: 'DELETE FROM collections WHERE id = ANY ($1)', dates: 4 },
  orders: { seed: seedOrder, remove: 'DELETE FROM orders WHERE id = ANY ($1)', dates: 4 },
};

/** What the sync service does while a client paginates: between two pages, rows are added, removed and changed. */
const writes = fc.array(
  fc.record({
    insert: fc.array(fc.nat(3), { maxLength: 4 }),
    remove: fc.array(fc.nat(30), { maxLength: 3 }),
    touch: fc.nat(30),
  }),
  { maxLength: 6 },
);

/** The order of D9: oldest first, undated last, ties by id. */
const inListOrder = (a: Item, b: Item): number => {
  const [x, y] = [a.created_at ?? '9', b.created_at ?? '9'];
  return x === y ? (a.id < b.id ? -1 : 1) : x < y ? -1 : 1;
};

describe.each(Object.entries(lists))('paginating %s while others write (D10)', (name, { seed, remove, dates }) => {
  it('never repeats a row, never misses one that existed throughout, and keeps the order', async () => {
    const limit = fc.oneof(fc.integer({ min: 1, max: 7 }), fc.integer({ min: 1, max: 200 }));
    const rows = fc.array(fc.nat(3), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(rows, limit, writes, async (initial, size, steps) => {
        const shop = await seedShop(service.sql);
        const client = service.client((await seedApiKey(service.sql, shop)).apiKey);
        const insert = (moment: number) => seed(service.sql, shop, { created_at: moments[moment % dates] });
        const ids: string[] = [];
        for (const moment of initial) ids.push(await insert(moment));
        const removed = new Set<string>();
        const walked: Item[] = [];
        let cursor: string | null = null;
        const pending = [...steps];
        do {
          const page: { data: Item[]; next_cursor: string | null } = (
            await client.get(`/${name}?limit=${size}${cursor === null ? '' : `&cursor=${cursor}`}`)
          ).body as never;
          walked.push(...page.data);
          cursor = page.next_cursor;
          const step = pending.shift();
          if (step === undefined) continue;
          for (const moment of step.insert) await insert(moment);
          const gone = step.remove.map((index) => ids[index]).filter((id) => id !== undefined);
          gone.forEach((id) => removed.add(id));
          await service.sql(remove, [gone]);
          await service.sql(
            `UPDATE ${name} SET title = title || '!' WHERE id = $1`.replace(
              'title = title',
              name === 'orders' ? 'customer_name = customer_name' : 'title = title',
            ),
            [ids[step.touch] ?? shop],
          );
        } while (cursor !== null);
        const walkedIds = walked.map(({ id }) => id);
        expect(new Set(walkedIds).size).toBe(walkedIds.length);
        expect(ids.filter((id) => !removed.has(id) && !walkedIds.includes(id))).toEqual([]);
        expect(walked).toEqual([...walked].sort(inListOrder));
      }),
      { numRuns: 25 },
    );
  });
});
