import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, DatabaseError } from 'pg';
import { DatabaseUnavailableError } from '../../src/database/database-failure';
import { ImportError, importFiles } from '../../src/ingest/import-files';
import { citusUrl } from '../support/citus-database';
import type { TestDatabase } from '../support/test-database';
import { copyIn } from '../support/copy-in';
import type { Operation } from './operations';
import { chooseOperation, shopDomains } from './operations';
import type { Random } from './random';

const readable = ['shops', 'products', 'variants', 'collections', 'orders', 'product_tags'];
/** Tables that writers may not read, and those that only triggers see. */
const others = [
  ...['product_terms', 'changes', 'change_epochs', 'order_figures', 'visible_sets', 'visible_moves'],
  ...['new_rows', 'old_rows'],
];

/** Tables that hide the catalog's from sessions that search pg_temp first, as every session does by default. */
const shadowTables = [
  ...readable.map((table) => `CREATE TEMPORARY TABLE ${table} (LIKE public.${table});`),
  ...others.map((table) => `CREATE TEMPORARY TABLE ${table} (LIKE public.products);`),
].join('\n');

/** A table whose trigger runs the text inserted into it: a writer's own trigger, one level deeper than a statement. */
const ownTrigger = `
  CREATE TEMPORARY TABLE nested (statement text);
  CREATE FUNCTION pg_temp.run_nested() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    EXECUTE NEW.statement;
    RETURN NEW;
  END $$;
  CREATE TRIGGER run_nested AFTER INSERT ON nested FOR EACH ROW EXECUTE FUNCTION pg_temp.run_nested();`;

const shadowedFunctions = [
  'to_char(timestamp, text) RETURNS text',
  'to_char(timestamptz, text) RETURNS text',
  'timezone(text, timestamptz) RETURNS timestamp',
  'lower(text) RETURNS text',
  'left(text, integer) RETURNS text',
  'replace(text, text, text) RETURNS text',
  'substr(text, integer) RETURNS text',
  'regexp_replace(text, text, text, text) RETURNS text',
  'string_to_array(text, text) RETURNS text[]',
  'array_to_string(text[], text) RETURNS text',
  'array_remove(text[], text) RETURNS text[]',
  'array_to_tsvector(text[]) RETURNS tsvector',
  'octet_length(text) RETURNS integer',
  'to_json(text) RETURNS json',
  'array_to_json(text[]) RETURNS json',
  'statement_timestamp() RETURNS timestamptz',
  'clock_timestamp() RETURNS timestamptz',
  'pg_trigger_depth() RETURNS integer',
  'catalog_fold(text) RETURNS text',
  'catalog_touch_shops(uuid[]) RETURNS integer',
  'catalog_derive_products(uuid[], uuid[]) RETURNS integer',
  'catalog_hold_shop(uuid) RETURNS boolean',
];

/** Definitions that a writer could place before the names that the triggers use. All of them return null. */
export const hostileSchema = `
  CREATE SCHEMA evil;
  GRANT USAGE ON SCHEMA evil TO PUBLIC;
  ${shadowedFunctions.map((signature) => `CREATE FUNCTION evil.${signature} LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';`).join('\n')}
  CREATE FUNCTION evil.none(text, text) RETURNS text LANGUAGE sql AS 'SELECT NULL';
  CREATE FUNCTION evil.never(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';
  CREATE FUNCTION evil.never(uuid, uuid) RETURNS boolean LANGUAGE sql AS 'SELECT false';
  CREATE FUNCTION evil.never(timestamptz, timestamptz) RETURNS boolean LANGUAGE sql AS 'SELECT false';
  CREATE FUNCTION evil.zero(bigint, bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0';
  CREATE OPERATOR evil.|| (FUNCTION = evil.none, LEFTARG = text, RIGHTARG = text);
  CREATE OPERATOR evil.= (FUNCTION = evil.never, LEFTARG = text, RIGHTARG = text);
  CREATE OPERATOR evil.= (FUNCTION = evil.never, LEFTARG = uuid, RIGHTARG = uuid);
  CREATE OPERATOR evil.<= (FUNCTION = evil.never, LEFTARG = uuid, RIGHTARG = uuid);
  CREATE OPERATOR evil.<= (FUNCTION = evil.never, LEFTARG = timestamptz, RIGHTARG = timestamptz);
  CREATE OPERATOR evil.+ (FUNCTION = evil.zero, LEFTARG = bigint, RIGHTARG = bigint);
  CREATE OPERATOR evil.- (FUNCTION = evil.zero, LEFTARG = bigint, RIGHTARG = bigint);
  CREATE TABLE evil.shops (LIKE public.shops);
  CREATE TABLE evil.products (LIKE public.products);
  CREATE TABLE evil.variants (LIKE public.variants);`;

/** What a session may change before it writes. */
export const sessionKinds = {
  plain: '',
  'with temporary tables': shadowTables,
  'with a malicious search path': 'SET search_path = evil, pg_catalog, public',
  'with both': `${shadowTables} SET search_path = pg_temp, evil, pg_catalog, public`,
  'with no search path': "SET search_path = ''",
};
export type SessionKind = keyof typeof sessionKinds;

/** Ways to send one statement. Those that run it inside another need only its text. */
const envelopes = {
  alone: (sql: string) => sql,
  'in a block': (sql: string) => `DO $block$ BEGIN EXECUTE $inner$${sql}$inner$; END $block$`,
  'in a block that rolls it back': (sql: string) => `DO $block$ BEGIN
    BEGIN EXECUTE $inner$${sql}$inner$; RAISE EXCEPTION 'back' USING ERRCODE = 'P0001'; EXCEPTION WHEN SQLSTATE 'P0001' THEN NULL; END;
  END $block$`,
  'from its own trigger': (sql: string) => `INSERT INTO pg_temp.nested VALUES ($inner$${sql}$inner$)`,
};

/**
 * Errors that a random write may cause: an existing or missing key, a row affected twice, a missing privilege, and
 * errors to retry.
 */
const refusals = ['23502', '23503', '23505', '21000', '42501', '40001', '40P01'];

/** The only check that such writes may violate: a product's stock is a sum of quantities that are each allowed. */
const stockCheck = 'products_total_stock_check';

/** The code of an error that a random write may cause; undefined for any other. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof DatabaseUnavailableError && citusUrl !== undefined) return 'moved';
  if (!(error instanceof DatabaseError) || error.code === undefined) return undefined;
  // Citus refuses statements that it cannot route, in many ways. Those that it accepts must be right.
  const isExpected = citusUrl !== undefined || refusals.includes(error.code) || error.constraint === stockCheck;
  return isExpected ? error.code : undefined;
}

/** A connection that writes at random, and what it has seen. */
export class WriterSession {
  readonly counts = new Map<string, number>();
  /** The last writes, for the message of a failure. */
  readonly log: string[] = [];
  readonly #client: Client;

  private constructor(
    readonly name: string,
    client: Client,
    private readonly database: TestDatabase,
  ) {
    this.#client = client;
  }

  static async open(database: TestDatabase, kind: SessionKind, url = database.url): Promise<WriterSession> {
    const client = new Client({ connectionString: url, options: '-c TimeZone=UTC' });
    await client.connect();
    await client.query(`${ownTrigger} ${sessionKinds[kind]}`);
    const isOwner = url === database.url;
    return new WriterSession(`${isOwner ? 'owner' : 'writer'} ${kind}`, client, database);
  }

  close(): Promise<void> {
    return this.#client.end();
  }

  /** One transaction of one or several random writes, to its end. */
  async write(random: Random, { onlyOrderly }: { readonly onlyOrderly: boolean }): Promise<void> {
    if (random.oneIn(40)) return this.#import(random);
    const operations = Array.from({ length: random.oneIn(2) ? 1 : 1 + random.integer(4) }, () =>
      chooseOperation(random, { onlyOrderly }),
    );
    const [first] = operations;
    if (operations.length === 1 && first !== undefined && random.oneIn(2)) {
      await this.#attempt(first, random);
      return;
    }
    const isolation = random.pick(['READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']);
    await this.#client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    this.#note(`BEGIN ${isolation}`);
    if (onlyOrderly || random.oneIn(2)) {
      if (!(await this.#try('lock', lockAllShops))) return this.#end('ROLLBACK');
    }
    for (const operation of operations) {
      await this.#client.query('SAVEPOINT s');
      const isDone = await this.#attempt(operation, random);
      if (!isDone || random.oneIn(4)) await this.#end('ROLLBACK TO SAVEPOINT s');
      else if (random.oneIn(2)) await this.#end('RELEASE SAVEPOINT s');
    }
    if (!random.oneIn(5)) await this.#try('COMMIT', 'COMMIT');
    else await this.#end('ROLLBACK');
  }

  async #end(statement: string): Promise<void> {
    this.#note(statement);
    await this.#client.query(statement);
  }

  /** @returns whether it succeeded */
  async #attempt(operation: Operation, random: Random): Promise<boolean> {
    const { name, sql, lines } = operation;
    if (lines !== undefined)
      return this.#try(name, async () => copyIn(this.#client, sql, await this.#withShopIds(lines)));
    const envelope = random.oneIn(2) ? 'alone' : random.pick(Object.keys(envelopes) as (keyof typeof envelopes)[]);
    return this.#try(`${name} ${envelope}`, envelopes[envelope](sql));
  }

  async #try(name: string, work: string | (() => Promise<unknown>)): Promise<boolean> {
    this.#note(typeof work === 'string' ? `${name}: ${work}` : name);
    try {
      await (typeof work === 'string' ? this.#client.query(work) : work());
      this.#count('done');
      return true;
    } catch (error) {
      const code = refusalOf(error);
      if (code === undefined) throw new Error(`${this.name}, ${name}`, { cause: error });
      this.#note(`  ${code}`);
      this.#count(code);
      return false;
    }
  }

  async #withShopIds(lines: readonly string[]): Promise<string> {
    const { rows } = await this.#client.query<{ shop_id: string; domain: string }>(
      'SELECT shop_id, domain FROM public.shops',
    );
    const missing = '00000000-0000-0000-0000-000000000000';
    const text = lines.map((line) => `${line}\n`).join('');
    return text.replaceAll(/\{(.*?)\}/g, (_, domain) => rows.find((row) => row.domain === domain)?.shop_id ?? missing);
  }

  /** The project's own writer, next to all others. */
  async #import(random: Random): Promise<void> {
    const directory = await mkdtemp(join(tmpdir(), 'catalog-model-'));
    const at = '2026-01-02T00:00:00Z';
    const records = ['p0', 'p3', 'p7', 'p9'].slice(random.integer(3)).map((name) => ({
      ...{
        type: 'product',
        external_id: name,
        title: 'Imported mug',
        tags: ['kitchen'],
        created_at: at,
        updated_at: at,
      },
      variants: ['v1', 'v2', 'v5'].slice(random.integer(3)).map((variant, index) => ({
        ...{ external_id: variant, price: `${random.integer(90)}.50`, inventory_quantity: 3, position: index + 1 },
        ...{ options: [{ name: 'Size', value: 'L' }], created_at: at, updated_at: at },
      })),
    }));
    const file = join(directory, 'shop.ndjson');
    const shopDomain = random.pick(shopDomains);
    this.#note(`import into ${shopDomain}`);
    try {
      await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
      const options = {
        files: [file],
        shopDomain,
        format: 'snapshot' as const,
        replace: random.oneIn(3),
        allowRemoving: { percent: 100 },
      };
      await importFiles(this.database.database, { ...options, clock: Date.now });
      this.#count('imported');
    } catch (error) {
      // Another writer may have deleted the shop, or caused a retry.
      const cause = error instanceof ImportError ? error.cause : error;
      const outcome = refusalOf(cause) ?? /Shop "[^"]*" not found/.exec(String(error))?.[0];
      if (outcome === undefined) throw error;
      this.#count(outcome);
    } finally {
      await rm(directory, { recursive: true });
    }
  }

  #count(outcome: string): void {
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
  }

  #note(line: string): void {
    this.log.push(line);
    if (this.log.length > 40) this.log.shift();
  }
}

const lockAllShops = 'SELECT FROM public.shops ORDER BY shop_id FOR NO KEY UPDATE';
