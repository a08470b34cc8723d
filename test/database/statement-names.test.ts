import { createStatementNames } from '../../src/database/statement-names';
import type { Cancellation } from '../../src/common/cancellation';
import { openDatabase } from '../../src/database/open-database';
import { rawSql } from '../../src/database/sql';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase, patientLimits } from '../support/test-database';
import { fc } from '../support/properties';

const bounds = { reserved: 3, ofClients: 6, perClient: 2 };

/** The names of a statement over several uses. */
function use(names: ReturnType<typeof createStatementNames>, text: string, client?: string): readonly string[] {
  return [1, 2, 3].map(() => names.nameOf(text, client));
}

describe('names of prepared statements', () => {
  it('are given to the service from the first use on, and to clients from the second', () => {
    const names = createStatementNames(bounds);
    expect(use(names, 'SELECT own')).toEqual(['s0', 's0', 's0']);
    expect(use(names, 'SELECT theirs', 'shop')).toEqual(['', 'c0', 'c0']);
    expect(names.nameOf('SELECT theirs', 'another shop')).toBe('c0');
    expect(names.nameOf('SELECT own', 'shop')).toBe('s0');
  });

  it('are left for the service and for other shops, however many statements one shop sends', () => {
    const names = createStatementNames(bounds);
    expect(use(names, 'SELECT theirs', 'shop').at(-1)).toBe('c0');
    for (let index = 0; index < 10_000; index += 1) use(names, `SELECT ${index}`, 'hostile');
    expect(use(names, 'SELECT own').at(-1)).toBe('s0');
    expect(names.nameOf('SELECT theirs', 'shop')).toBe('c0');
  });

  it('are reclaimed from shops that hold most, for a shop that comes later', () => {
    const names = createStatementNames(bounds);
    const hostile = ['a', 'b', 'c'];
    for (let round = 0; round < 100; round += 1)
      for (const shop of hostile) use(names, `SELECT ${round} ${shop}`, shop);
    expect(use(names, 'SELECT late', 'late')[2]).not.toBe('');
    for (let round = 0; round < 100; round += 1)
      for (const shop of hostile) use(names, `SELECT ${round} ${shop}x`, shop);
    expect(names.nameOf('SELECT late', 'late')).not.toBe('');
  });

  it('are bounded, for each client too, and never shared by two texts, for any clients and any order', () => {
    const action = fc.tuple(fc.integer({ min: 0, max: 11 }), fc.integer({ min: 0, max: 8 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(action, { maxLength: 400 }), (actions) => {
        const names = createStatementNames(bounds);
        const textOf = new Map<string, string>();
        const live = () => [...textOf.keys()].filter((name) => name.startsWith('c') && !names.isWithdrawn(name));
        for (const [number, shop, isShared] of actions) {
          const client = shop === 0 ? undefined : `shop ${shop}`;
          const text = isShared ? `SELECT ${number}` : `SELECT ${number} ${client}`;
          const name = names.nameOf(text, client);
          if (name === '') continue;
          expect(textOf.get(name) ?? text).toBe(text);
          expect(names.isWithdrawn(name)).toBe(false);
          textOf.set(name, text);
          expect(live().length).toBeLessThanOrEqual(bounds.ofClients);
          const ofOne = live().filter(
            (each) => textOf.get(each) === `SELECT ${textOf.get(each)?.split(' ')[1]} ${client}`,
          );
          expect(ofOne.length).toBeLessThanOrEqual(bounds.perClient);
        }
        expect([...textOf.keys()].filter((name) => name.startsWith('s')).length).toBeLessThanOrEqual(bounds.reserved);
      }),
    );
  });
});

describe('the server', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await createTestDatabase()));
  afterAll(() => database.drop());

  it('keeps only statements whose names are given', async () => {
    const opened = openDatabase({ url: database.url, poolSize: 1, statementNames: bounds, ...patientLimits });
    const cancellation: Cancellation = { endReason: undefined, onEnd: () => () => undefined };
    const read = (text: string, shopId: string) =>
      opened.readRows(rawSql(text), cancellation, { shopId, dataVersions: ['1'] });
    try {
      for (let index = 0; index < 40; index += 1) {
        for (let turn = 0; turn < 3; turn += 1) {
          expect(await read(`SELECT ${index} AS n`, `shop ${index % 4}`)).toEqual([[index]]);
        }
      }
      // All at once: names are reclaimed while their statements wait for the connection.
      const texts = Array.from(
        { length: 60 },
        (_, index) => [`SELECT ${100 + (index % 20)} AS n`, `shop ${index % 5}`] as const,
      );
      const rows = await Promise.all(texts.map(([text, shop]) => read(text, shop)));
      expect(rows.map(([row]) => row)).toEqual(texts.map((_, index) => [100 + (index % 20)]));
      await read('SELECT 1000 AS n', 'last');
      await read('SELECT 1000 AS n', 'last');
      const kept = await opened.prisma.$queryRaw<{ name: string; statement: string }[]>`
        SELECT name, statement FROM pg_prepared_statements WHERE name LIKE 'c%'`;
      expect(kept.length).toBeLessThanOrEqual(bounds.ofClients);
      expect(new Set(kept.map(({ statement }) => statement)).size).toBe(kept.length);
      expect(kept.map(({ statement }) => statement)).toContain('SELECT 1000 AS n');
    } finally {
      await opened.close();
    }
  });
});
