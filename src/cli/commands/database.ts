import { parseConnectionTarget } from '../../config/connection-target';
import type { CheckReport, DifferencesOfKind } from '../../database/derived/check-derived';
import { AdministrationError } from '../../errors/administration-error';
import { command, flag, given, type CliContext } from '../command';
import { parseDomain } from '../option-values';

const login = 'the owner of the tables';

export const migrateCommand = command({
  name: 'migrate',
  login,
  summary: 'migrate the database to the schema of this version',
  details: `Applies pending migrations in order and updates changed functions and triggers. With a role that owns the
tables, \`serve\` and all other commands also do this when they open an older database, so use this for deployments with a separate
migration step. Safe to run repeatedly and concurrently.`,
  examples: ['catalog migrate', 'DATABASE_URL=postgresql://owner@db.internal/catalog catalog migrate --json'],
  options: {},
  json: '{"applied": […]}, the names of the migrations and function files',
  async run(context) {
    const applied = await applyMigrations(context);
    return {
      json: { applied },
      text: applied.length === 0 ? 'The database is up to date.' : `Applied:\n  ${applied.join('\n  ')}`,
    };
  },
});

async function applyMigrations({ config, log, allowNewDatabase }: CliContext): Promise<readonly string[]> {
  const [{ startEmbeddedPostgres }, { waitForServer }, { migrate }, { refreshCopies }] = await Promise.all([
    import('../../database/embedded-postgres.js'),
    import('../../database/provide-database.js'),
    import('../../database/migrate.js'),
    import('../../database/sharding/distribute.js'),
  ]);
  if (config.databaseUrl !== undefined) {
    await waitForServer(parseConnectionTarget(config.databaseUrl), { log });
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
  summary: 'distribute the shops across Citus nodes',
  details: `Distributes the tables of DATABASE_URL, the coordinator of a Citus cluster, by shop, and creates copies of the functions and
triggers for each shard group. Run it again if it was interrupted, and after shards have moved: writes to moved shops fail until
then. Each node must be reachable under its Citus node name, with the role of DATABASE_URL.`,
  examples: ['catalog distribute', 'catalog distribute --refresh', 'catalog distribute --json'],
  options: {
    refresh: flag('only create copies of functions that are missing or differ, for example after shards have moved'),
  },
  json: '{"nodes", "groups", "tables": […], "copied": […]}, with the tables distributed and the shard groups updated in this run',
  async run({ config: { databaseUrl }, database, log }, { refresh }) {
    if (databaseUrl === undefined) {
      throw new AdministrationError(
        'NOT_DISTRIBUTABLE',
        'DATABASE_URL: expected the coordinator of a Citus cluster; the embedded database is a single server.',
      );
    }
    const { distribute } = await import('../../database/sharding/distribute.js');
    await database(); // migrated
    const report = await distribute(databaseUrl, { log, refresh });
    const { nodes, groups, tables, copied } = report;
    const state = `Shard groups in total: ${groups}, nodes: ${nodes}.`;
    return {
      json: report,
      text:
        tables.length + copied.length === 0
          ? `Nothing to do. ${state}`
          : `Tables distributed: ${tables.length}. Shard groups with new functions and triggers: ${copied.length}. ${state}`,
    };
  },
});

export const checkCommand = command({
  name: 'check',
  login,
  summary: 'check derived data against its source rows',
  details: `Use it after triggers were disabled. Recomputes derived columns, visible products, tags and the change feed of each shop and
lists the differences: the number of each kind and the first 20. Read-only, with one snapshot per shop. A shop with a million
products takes minutes.

--repair corrects the differences in one transaction per shop, which blocks writers of that shop, and restarts its change
feed: mirrors get RESYNC_REQUIRED, because other changes made while triggers were off are unknown.

Requires the role that owns the tables, like \`catalog migrate\`. Exits with 1 if differences remain.`,
  examples: ['catalog check', 'catalog check --shop shop.example --repair', 'catalog check --json | jq .differences'],
  options: {
    shop: given('<domain>', 'only this shop (default: all shops, and leftovers of deleted shops)', parseDomain),
    repair: flag('correct the differences'),
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
    `${shop ?? (kind === 'triggers' ? 'all shops' : 'deleted shops')}: ${kind}, ${count} ${count === 1 ? 'difference' : 'differences'}`,
    ...examples.map(
      ({ object, stored, expected }) => `  ${object}: expected ${quoted(expected)}, got ${quoted(stored)}`,
    ),
    ...more,
  ];
}

const quoted = (value: string | null): string => (value === null ? 'nothing' : JSON.stringify(value));

function conclude({ shops, differences }: CheckReport, repaired: boolean): string {
  const checked = `${shops} ${shops === 1 ? 'shop' : 'shops'} checked`;
  if (differences.length === 0) return `${checked}: no differences.`;
  const count = differences.reduce((sum, kind) => sum + kind.count, 0);
  const found = `${count} ${count === 1 ? 'difference' : 'differences'}`;
  return `${checked}: ${found}${repaired ? ' repaired.' : '. Run `catalog check --repair`.'}`;
}
