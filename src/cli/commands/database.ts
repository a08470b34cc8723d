import type { CheckReport, DifferencesOfKind } from '../../database/derived/check-derived';
import { AdministrationError } from '../../errors/administration-error';
import { command, flag, given, type CliContext } from '../command';
import { parseDomain } from '../option-values';

const login = 'the owner of the tables';

export const migrateCommand = command({
  name: 'migrate',
  login,
  summary: 'bring the database to the schema of this version',
  details: `Applies the missing migrations, in order, and the functions and triggers that differ. \`serve\` and every other command do the same to an older
database that they open, so this is for deployments with a separate migration step. Safe to run twice, or from two machines at once.`,
  examples: ['catalog migrate', 'DATABASE_URL=postgresql://owner@db.internal/catalog catalog migrate --json'],
  options: {},
  json: '{"applied": […]}, the names of the migrations and of the files of functions',
  async run(context) {
    const applied = await applyMigrations(context);
    return {
      json: { applied },
      text: applied.length === 0 ? 'The database is up to date.' : `Applied:\n  ${applied.join('\n  ')}`,
    };
  },
});

async function applyMigrations({ config, log, allowNewDatabase }: CliContext): Promise<readonly string[]> {
  const [{ startEmbeddedPostgres }, { migrate }, { refreshCopies }] = await Promise.all([
    import('../../database/embedded-postgres.js'),
    import('../../database/migrate.js'),
    import('../../database/sharding/distribute.js'),
  ]);
  if (config.databaseUrl !== undefined) {
    const applied = await migrate(config.databaseUrl, { log });
    // Migrations end with that; without any, shards may have moved.
    if (applied.length === 0) await refreshCopies(config.databaseUrl, { log });
    return applied;
  }
  await allowNewDatabase();
  const server = await startEmbeddedPostgres({ dataDirectory: config.dataDir, log });
  try {
    return await migrate(server.url, { log });
  } finally {
    await server.stop();
  }
}

export const distributeCommand = command({
  name: 'distribute',
  login,
  summary: 'spread the shops over the nodes of Citus',
  details: `Divides the tables of DATABASE_URL, the coordinator of a Citus cluster, by shop, and gives each group of shards its copies of functions
and triggers. Run it again after an interruption and after shards moved: what is right is left alone. Until then, writes to shops that moved
are refused. Each node must be reachable under the name by which Citus knows it, with the login of DATABASE_URL.`,
  examples: ['catalog distribute', 'catalog distribute --refresh', 'catalog distribute --json'],
  options: { refresh: flag('only make the copies of functions that are missing or differ, as after shards moved') },
  json: '{"nodes", "groups", "tables": […], "copied": […]}, what was divided and copied now',
  async run({ config: { databaseUrl }, database, log }, { refresh }) {
    if (databaseUrl === undefined) {
      throw new AdministrationError(
        'NOT_DISTRIBUTABLE',
        'Expected DATABASE_URL, the coordinator of a Citus cluster; the embedded database is one server.',
      );
    }
    const { distribute } = await import('../../database/sharding/distribute.js');
    await database(); // migrated
    const report = await distribute(databaseUrl, { log, refresh });
    const { nodes, groups, tables, copied } = report;
    const state = `${groups} groups of shards on ${nodes} nodes`;
    return {
      json: report,
      text:
        tables.length + copied.length === 0
          ? `Nothing to do: ${state}.`
          : `Divided ${tables.length} tables, and made the functions and triggers of ${copied.length} of ${state}.`,
    };
  },
});

export const checkCommand = command({
  name: 'check',
  login,
  summary: 'compare derived data with the rows that it is derived from',
  details: `For the day after triggers were disabled. Compares derived columns, visible products, tags and the change feed of each shop with a
fresh computation, and lists what differs: how many of each kind, and the first 20. Reads only, from a snapshot per shop; a shop with a
million products takes minutes.

--repair corrects what differs, in one transaction per shop during which writers of that shop wait, and restarts the change feed of that shop:
mirrors get RESYNC_REQUIRED, because what else was changed while triggers were off is unknown. It is the one command that is needed then.

Needs the login that owns the tables, as \`catalog migrate\` does. Ends with 1 when something differs and was not repaired.`,
  examples: ['catalog check', 'catalog check --shop shop.example --repair', 'catalog check --json | jq .differences'],
  options: {
    shop: given('<domain>', 'only this shop (default: all, and what deleted shops left behind)', parseDomain),
    repair: flag('correct what differs'),
  },
  json: '{"ok", "repaired", "shops", "differences": [{"shop", "kind", "count", "examples"}]}',
  async run({ database, log, lockTimeoutMilliseconds }, { shop, repair }) {
    const { checkDerived } = await import('../../database/derived/check-derived.js');
    const { url } = await database();
    const report = await checkDerived({
      url,
      domain: shop,
      repair,
      onShop: (domain) => log(`checking ${domain}`),
      onWait: log,
      lockTimeoutMilliseconds,
    });
    const ok = report.differences.length === 0;
    const repaired = repair && !ok;
    return {
      json: { ok, repaired, ...report },
      text: [...report.differences.flatMap(describe), conclude(report, repaired)].join('\n'),
      exitCode: ok || repaired ? 0 : 1,
    };
  },
});

function describe({ shop, kind, count, examples }: DifferencesOfKind): string[] {
  const more = count > examples.length ? [`  and ${count - examples.length} more`] : [];
  return [
    `${shop ?? 'no shop'}: ${kind}, ${count} ${count === 1 ? 'difference' : 'differences'}`,
    ...examples.map(
      ({ object, stored, expected }) => `  ${object}: expected ${quoted(expected)}, got ${quoted(stored)}`,
    ),
    ...more,
  ];
}

const quoted = (value: string | null): string => (value === null ? 'nothing' : JSON.stringify(value));

function conclude({ shops, differences }: CheckReport, repaired: boolean): string {
  const checked = `${shops} ${shops === 1 ? 'shop' : 'shops'} checked`;
  if (differences.length === 0) return `${checked}: nothing differs.`;
  const count = differences.reduce((sum, kind) => sum + kind.count, 0);
  if (repaired) return `${checked}: ${count} repaired.`;
  const [verb, what] = count === 1 ? ['differs', 'it'] : ['differ', 'them'];
  return `${checked}: ${count} ${verb}. \`catalog check --repair\` corrects ${what}.`;
}
