import { shardedTables } from '../../src/database/sharding/shard-copies';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';
import { useTestDatabase } from '../support/test-database';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const document = read('docs/scaling.md');

const { requestsPerSecond } = JSON.parse(read('bench/results/bench.json')) as {
  readonly requestsPerSecond: Readonly<
    Record<string, { readonly rate: number; readonly processorMicroseconds: number } | undefined>
  >;
};

/** The figures for our processes; the others are for peers. */
const works = [
  'cached page',
  'page, If-None-Match',
  'uncached product with variants',
  'uncached deep pages',
  'cached GraphQL page',
  'uncached GraphQL deep pages',
];

/** Two digits, because absolute figures vary by half. */
const rounded = (figure: number): number => Number(figure.toPrecision(2));

describe('docs/scaling.md', () => {
  it('states the throughput of a core by the figures of the last benchmark', () => {
    const lines = [...document.matchAll(/^\| (.+?) +\| (\d+ µs) +\| (\d+) +\| (\d+) +\|$/gm)].map(
      ([, work = '', ...cells]) => `| ${[work, ...cells].join(' | ')} |`,
    );
    const expected = works.map((work) => {
      const { rate, processorMicroseconds: cost } = requestsPerSecond[work] ?? {
        rate: NaN,
        processorMicroseconds: NaN,
      };
      return `| ${[work, `${cost} µs`, rounded(1_000_000 / cost), rounded(rate)].join(' | ')} |`;
    });
    // If this fails, these are the lines that belong in the document.
    expect(lines).toEqual(expected);
  });

  describe('on what engines need', () => {
    const database = useTestDatabase();

    it('divides all tables by shop', async () => {
      const tables = await database.sql<{ name: string }>(`
        SELECT relname AS name FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('_prisma_migrations', 'function_files') ORDER BY 1`);
      expect(tables.map(({ name }) => name)).toEqual([...shardedTables].sort());
    });

    it('has no unique index without a shop but the one whose place shop_domains takes', async () => {
      const indexes = await database.sql<{ name: string }>(`
        SELECT i.indexrelid::regclass::text AS name FROM pg_index AS i
          JOIN pg_class AS c ON c.oid = i.indrelid
          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'shop_id'
         WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique AND NOT a.attnum = ANY (i.indkey)`);
      expect(indexes.map(({ name }) => name)).toEqual(['shops_domain_key']);
    });
  });
});
