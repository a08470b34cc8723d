import { createStatementNames, openDatabase } from '../../src/database/open-database';
import type { Cancellation } from '../../src/common/cancellation';
import { rawSql } from '../../src/database/sql';
import { useTestDatabase, patientLimits } from '../support/test-database';
import { fc } from '../support/properties';

const most = 6;

/** The names that a statement gets over several uses. */
const use = (names: ReturnType<typeof createStatementNames>, text: string, isOwn: boolean): readonly string[] =>
  [1, 2, 3].map(() => names.nameOf(text, isOwn));

describe('names of prepared statements', () => {
  it("are assigned to the service's statements on first use, and to clients' on the second", () => {
    const names = createStatementNames(most);
    expect(use(names, 'SELECT own', true)).toEqual(['s0', 's0', 's0']);
    expect(use(names, 'SELECT theirs', false)).toEqual(['', 'c0', 'c0']);
    expect(names.nameOf('SELECT own', false)).toBe('s0');
    expect(names.nameOf('x'.repeat(10_000), true)).toBe('');
  });

  it('are bounded, never shared by two texts, and always available to the service, in any order', () => {
    const action = fc.tuple(fc.integer({ min: 0, max: 11 }), fc.boolean());
    fc.assert(
      fc.property(fc.array(action, { maxLength: 400 }), (actions) => {
        const names = createStatementNames(most);
        const textOf = new Map<string, string>();
        for (const [number, isOwn] of actions) {
          const text = `SELECT ${number}`;
          const name = names.nameOf(text, isOwn);
          if (isOwn) expect(name).not.toBe('');
          if (name === '') continue;
          expect(textOf.get(name) ?? text).toBe(text);
          expect(names.isWithdrawn(name)).toBe(false);
          textOf.set(name, text);
          const live = [...textOf.keys()].filter((each) => each.startsWith('c') && !names.isWithdrawn(each));
          expect(live.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });
});

describe('the server', () => {
  const database = useTestDatabase();

  it('keeps only statements whose names are given', async () => {
    const opened = openDatabase({ url: database.url, poolSize: 1, statementNames: most, ...patientLimits });
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
      expect(kept.length).toBeLessThanOrEqual(most);
      expect(new Set(kept.map(({ statement }) => statement)).size).toBe(kept.length);
      expect(kept.map(({ statement }) => statement)).toContain('SELECT 1000 AS n');
    } finally {
      await opened.close();
    }
  });
});
