import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { createLedger, migrate } from '../../src/database/migrate';
import type { Scripts } from '../../src/database/migration-files';
import { readScripts } from '../../src/database/migration-files';
import type { Sql } from '../support/test-database';

/** A point in a migration: after one of its commands (counted from 1), before its row in the ledger, or at COMMIT. */
export interface Moment {
  readonly migration: string;
  readonly at: number | 'ledger' | 'commit';
}

/** Databases on a test server, all clones of one with the first migrations, in which later ones can be paused. */
export interface PausingMigrations {
  /** A database that was migrated without interruption. */
  readonly straight: { readonly sql: Sql; readonly commands: ReadonlyMap<string, number> };
  /**
   * @param from clones this database instead of the one with only the first migrations; nobody may be connected to it
   */
  clone(from?: PausingDatabase): Promise<PausingDatabase>;
  drop(): Promise<void>;
}

export interface PausingDatabase {
  readonly url: string;
  readonly sql: Sql;
  /** From now on, a migration sleeps when it reaches this point. */
  pauseAt(moment: Moment): Promise<void>;
  /** Resolves when a migration sleeps there. @returns its server process */
  untilPaused(): Promise<number>;
  drop(): Promise<void>;
}

/**
 * Pauses migrations with an event trigger after each command and with triggers on the ledger. A sequence counts the
 * commands, because other transactions can see it and a rollback does not reset it.
 */
const pauses = `
  CREATE SCHEMA moments;
  CREATE SEQUENCE moments.command MINVALUE 0 START 0;
  CREATE TABLE moments.pause (at text);
  CREATE TABLE moments.finished (migration text, command bigint);
  CREATE FUNCTION moments.sleep(moment text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    IF EXISTS (SELECT FROM moments.pause WHERE at = moment) THEN PERFORM pg_sleep(60); END IF;
  END $$;
  CREATE FUNCTION moments.command() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM moments.sleep(nextval('moments.command')::text);
  END $$;
  CREATE FUNCTION moments.ledger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    PERFORM moments.sleep(TG_ARGV[0] || NEW.migration_name);
    IF TG_ARGV[0] = 'ledger' THEN
      INSERT INTO moments.finished SELECT NEW.migration_name, last_value FROM moments.command;
    END IF;
    RETURN NEW;
  END $$;
  CREATE TRIGGER pause BEFORE INSERT ON _prisma_migrations FOR EACH ROW EXECUTE FUNCTION moments.ledger('ledger');
  CREATE CONSTRAINT TRIGGER pause_at_commit AFTER INSERT ON _prisma_migrations DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION moments.ledger('commit');
  SELECT nextval('moments.command');
  CREATE EVENT TRIGGER moments ON ddl_command_end EXECUTE FUNCTION moments.command()`;

/** Rows of two shops, for a template with all tables. */
export const rowsOfTwoShops = `
  INSERT INTO shops (domain, product_limit) VALUES ('one.example', 100), ('two.example', NULL);
  INSERT INTO products (shop_id, external_id, title, tags, created_at, updated_at)
  SELECT shop_id, n, 'Product ' || n, ARRAY['t-' || n % 7], timestamptz '2024-01-01Z' + n * interval '1 hour', now()
    FROM shops CROSS JOIN generate_series(1, 150) AS n;
  INSERT INTO variants (shop_id, product_id, external_id, price, created_at, updated_at)
  SELECT shop_id, id, '1', external_id || '.90', now(), now() FROM products;
  INSERT INTO orders (shop_id, external_id, order_number, total_price, currency, financial_status, fulfillment_status, created_at)
  SELECT shop_id, n, n, n, CASE WHEN n % 4 > 0 THEN 'EUR' END, CASE n % 3 WHEN 0 THEN 'PAID' WHEN 1 THEN 'PENDING' END,
         CASE WHEN n % 5 > 1 THEN 'OPEN' END, now() - n * interval '40 minutes'
    FROM shops CROSS JOIN generate_series(1, 50) AS n`;

/** What a template has before migrations are paused, and which migrations are. */
interface Pausing {
  /** The template's migrations, with its functions. Omitted: none, and an empty ledger. */
  readonly earlier?: Scripts;
  /** Rows to insert into the template. */
  readonly rows?: string;
  readonly scripts?: Scripts;
}

export async function createPausingMigrations(
  serverUrl: string,
  { earlier = { migrations: [], functions: [] }, rows = '', scripts = readScripts() }: Pausing = {},
): Promise<PausingMigrations> {
  const later = scripts.migrations.slice(earlier.migrations.length);
  const template = `catalog_paused_${randomUUID().replaceAll('-', '')}`;
  await run(serverUrl, `CREATE DATABASE ${template} TEMPLATE template0 ENCODING 'UTF8'`);
  const templateUrl = at(serverUrl, template);
  if (earlier.migrations.length > 0) await migrate(templateUrl, { scripts: earlier });
  else await onClient(templateUrl, createLedger);
  await run(templateUrl, rows);
  await run(templateUrl, pauses);

  const clone = async (from?: PausingDatabase): Promise<PausingDatabase> => {
    const name = `catalog_pausing_${randomUUID().replaceAll('-', '')}`;
    const source = from === undefined ? template : new URL(from.url).pathname.slice(1);
    await run(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${source}`);
    const url = at(serverUrl, name);
    const sql: Sql = (text, values) => run(url, text, values);
    return {
      url,
      sql,
      async pauseAt({ migration, at: moment }) {
        const before = previousOf(migration);
        const counted =
          typeof moment === 'number' ? String((commandsUntil.get(before) ?? 0) + moment) : moment + migration;
        await sql('INSERT INTO moments.pause VALUES ($1)', [counted]);
      },
      async untilPaused() {
        for (;;) {
          const [sleeping] = await sql<{ pid: number }>(
            "SELECT pid FROM pg_stat_activity WHERE datname = $1 AND wait_event = 'PgSleep'",
            [name],
          );
          if (sleeping) return sleeping.pid;
          await delay(10);
        }
      },
      drop: () => run(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`).then(() => undefined),
    };
  };

  const commandsUntil = new Map<string, number>();
  const previousOf = (name: string) => later[later.findIndex((migration) => migration.name === name) - 1]?.name ?? '';
  const straight = await clone();
  await migrate(straight.url, { scripts });
  const finished = await straight.sql<{ migration: string; command: string }>('TABLE moments.finished');
  for (const { migration, command } of finished) commandsUntil.set(migration, Number(command));
  // The functions come after the last migration's row and before COMMIT.
  const [{ total }] = (await straight.sql('SELECT last_value AS total FROM moments.command')) as [{ total: string }];
  commandsUntil.set(later.at(-1)?.name ?? '', Number(total));
  const commands = new Map(
    later.map(({ name }) => [name, (commandsUntil.get(name) ?? 0) - (commandsUntil.get(previousOf(name)) ?? 0)]),
  );
  return {
    straight: { sql: straight.sql, commands },
    clone,
    async drop() {
      await straight.drop();
      await run(serverUrl, `DROP DATABASE ${template} WITH (FORCE)`);
    },
  };
}

const at = (serverUrl: string, database: string): string =>
  Object.assign(new URL(serverUrl), { pathname: `/${database}` }).href;

const run = <Row>(url: string, text: string, values?: unknown[]): Promise<Row[]> =>
  onClient(url, async (client) => (await client.query(text, values)).rows as Row[]);

async function onClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
