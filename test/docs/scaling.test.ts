import { shardedTables } from '../../src/database/sharding/shard-copies';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../../src/common/project-root';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const document = read('docs/scaling.md');

const { requestsPerSecond } = JSON.parse(read('bench/results/bench.json')) as {
  readonly requestsPerSecond: Readonly<
    Record<string, { readonly rate: number; readonly processorMicroseconds: number } | undefined>
  >;
};

/** The work that a process of ours is measured at; the others are peers. */
const works = [
  'cached page',
  'page, If-None-Match',
  'uncached product with variants',
  'uncached deep pages',
  'cached GraphQL page',
  'uncached GraphQL deep pages',
];

/** Two digits: absolute figures drift by half. */
const rounded = (figure: number): number => Number(figure.toPrecision(2));

describe('docs/scaling.md', () => {
  it('says what a core gives by the figures of the last benchmark', () => {
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
    // Where it differs, these are the lines that belong there.
    expect(lines).toEqual(expected);
  });

  it('adds processes by the numbers that alerts and the autoscaler have', () => {
    const alerts = read('docs/deploy/monitoring/alerts.yml');
    const named = [...document.matchAll(/`((?:rate\(process_cpu|nodejs_eventloop)[^`]*)`/g)].map(
      ([, text = '']) => text,
    );
    expect(named).toHaveLength(2);
    expect(named.filter((expression) => !alerts.includes(expression))).toEqual([]);
    const share = Number(/process_cpu_seconds_total.* > ([\d.]+)/.exec(named[0] ?? '')?.[1]);
    const scaler = parse(read('docs/deploy/kubernetes/horizontal-pod-autoscaler.yaml')) as {
      readonly spec: { readonly metrics: readonly [{ resource: { target: { averageUtilization: number } } }] };
    };
    const requested =
      Number(/requests: \{ cpu: (\d+)m/.exec(read('docs/deploy/kubernetes/deployment.yaml'))?.[1]) / 1000;
    expect((scaler.spec.metrics[0].resource.target.averageUtilization / 100) * requested).toBeCloseTo(share);
  });

  describe('on what engines need', () => {
    let database: TestDatabase;
    beforeAll(async () => (database = await createTestDatabase()));
    afterAll(() => database.drop());

    it('counts the triggers that there are', async () => {
      const [row] = await database.sql(`
        SELECT count(*) FILTER (WHERE tgtype & 1 = 0)::integer AS statement,
               count(*) FILTER (WHERE coalesce(tgoldtable, tgnewtable) IS NOT NULL)::integer AS transition,
               count(*) FILTER (WHERE tgtype & 1 = 1)::integer AS of_rows
          FROM pg_trigger WHERE NOT tgisinternal`);
      const [, statement, transition, rows] =
        /(\d+)\s+statement\s+triggers,\s+(\d+)\s+of\s+them\s+with\s+transition\s+tables,\s+and\s+(\d+)\s+row\s+triggers/.exec(
          document,
        ) ?? [];
      expect(row).toEqual({ statement: Number(statement), transition: Number(transition), of_rows: Number(rows) });
    });

    it('counts the tables that are divided by shop, which are all', async () => {
      const tables = await database.sql<{ name: string }>(`
        SELECT relname AS name FROM pg_class
         WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('_prisma_migrations', 'function_files') ORDER BY 1`);
      expect(tables.map(({ name }) => name)).toEqual([...shardedTables].sort());
      expect(Number(/divides (\d+) tables by `shop_id`/.exec(document)?.[1])).toBe(tables.length);
    });

    it('names the unique index without a shop, the one whose place shop_domains takes', async () => {
      const indexes = await database.sql<{ name: string }>(`
        SELECT i.indexrelid::regclass::text AS name FROM pg_index AS i
          JOIN pg_class AS c ON c.oid = i.indrelid
          JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'shop_id'
         WHERE c.relnamespace = 'public'::regnamespace AND i.indisunique AND NOT a.attnum = ANY (i.indkey)`);
      expect(indexes.map(({ name }) => name)).toEqual(['shops_domain_key']);
      expect(document).toMatch(/exception is the unique index\s+on\s+`shops.domain`/);
    });

    it('lists the extensions, and nothing that the schema has not', async () => {
      const extensions = await database.sql<{ extname: string }>(
        `SELECT extname FROM pg_extension WHERE extname <> 'plpgsql'`,
      );
      expect(extensions.filter(({ extname }) => !document.includes(`\`${extname}\``))).toEqual([]);
      const inIndexes = await database.sql<{ extname: string }>(`
        SELECT DISTINCT e.extname FROM pg_extension AS e JOIN pg_depend AS d ON d.refobjid = e.oid AND d.deptype = 'e'
          JOIN pg_index AS i ON d.classid = 'pg_opclass'::regclass AND d.objid = ANY (i.indclass)`);
      expect(inIndexes).toEqual(extensions);
      const [row] = await database.sql(`
        SELECT (SELECT count(*) FROM pg_class WHERE relkind = 'S')::integer AS sequences,
               (SELECT count(*) FROM pg_constraint WHERE condeferrable)::integer AS deferrable,
               (SELECT count(*) FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = attrelid
                 WHERE relnamespace = 'public'::regnamespace AND attgenerated = 's' AND relkind = 'r') > 0 AS generated`);
      expect(row).toEqual({ sequences: 0, deferrable: 1, generated: true });
    });
  });
});
