import { Client } from 'pg';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import type { RoleLogins, RoleName } from './role-logins';
import { createRoleLogins } from './role-logins';
import { readRows } from '../support/read-rows';

/**
 * What the roles of docs/deploy/roles.sql may do, according to the server's own catalogs: their grants and what every
 * login has. Each item is either refused or listed here with the reason why it may stay.
 */
const roles: readonly RoleName[] = ['catalog_reader', 'catalog_writer', 'catalog_admin'];
const writers: readonly RoleName[] = ['catalog_writer', 'catalog_admin'];

let db: TestDatabase;
let logins: RoleLogins;

beforeAll(async () => {
  db = await createTestDatabase();
  logins = await createRoleLogins(db);
  const shopId = await seedShop(db.sql);
  await seedVariant(db.sql, shopId, await seedProduct(db.sql, shopId));
  await seedCollection(db.sql, shopId);
  await seedOrder(db.sql, shopId);
  await seedApiKey(db.sql, shopId);
  await db.sql(`CREATE TABLE refused (words tsvector, at timestamptz); CREATE SEQUENCE refused_sequence;
    CREATE INDEX refused_brin ON refused USING brin (at); CREATE INDEX refused_gin ON refused USING gin (words)`);
});
afterAll(async () => {
  await logins.drop();
  await db.drop();
});

/** Runs the statements in one session. @returns the SQLSTATE of the one that fails, or 'done' */
async function attempt(role: RoleName, ...statements: string[]): Promise<string> {
  const client = new Client({ connectionString: logins.url(role) });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
    return 'done';
  } catch (error) {
    return (error as { code?: string }).code ?? String(error);
  } finally {
    await client.end();
  }
}

const attemptAndRollBack = (role: RoleName, statement: string): Promise<string> => attempt(role, 'BEGIN', statement);

interface Reason {
  readonly may: RegExp;
  readonly roles: readonly RoleName[];
  readonly because: string;
  /** Whether PostgreSQL itself refuses each of these functions; if so, the test calls them. */
  readonly isRefused?: true;
}

/** Items have the form `PRIVILEGE kind name`, without the schema pg_catalog in function names. */
const reasons: readonly Reason[] = [
  {
    may: /^SELECT (relation (pg_catalog|information_schema)|column pg_\w+)\./,
    roles,
    because: 'every login reads what the server says of itself',
  },
  {
    may: /^SELECT relation (_prisma_migrations|change_epochs|changes|collection_products|collections|function_files|orders|product_tags|products|shops|variants)$/,
    roles,
    because: 'the catalog, and whether the database is up to date',
  },
  {
    may: /^SELECT relation (change_witnesses|order_figures|product_terms)$/,
    roles: ['catalog_reader'],
    because: 'what is derived, the service reads',
  },
  {
    may: /^SELECT relation (api_keys|key_usage)$/,
    roles: ['catalog_reader', 'catalog_admin'],
    because: 'keys, which writers of the catalog do not see',
  },
  { may: /^CONNECT database /, roles, because: 'logins of the catalog connect to it' },
  {
    may: /^TEMPORARY database /,
    roles: writers,
    because: '`catalog import` keeps names and stocks in temporary tables',
  },
  { may: /^USAGE schema (public|pg_catalog|information_schema)$/, roles, because: 'to name what is in it' },
  { may: /^USAGE type /, roles, because: 'for columns of own tables, and no role may create one that stays' },
  {
    may: /^USAGE language (internal|c)$/,
    roles,
    because: 'PostgreSQL lets superusers alone use them, whatever is granted',
  },
  {
    may: /^USAGE language (sql|plpgsql)$/,
    roles,
    because: 'a loop in DO costs no more than a recursive SELECT, and ends with statement_timeout or the connection',
  },
  {
    may: /^EXECUTE stable functions$/,
    roles,
    because:
      'they only compute and read; what they cost (generate_series, repeat) ends with the session, work_mem spills to temp_file_limit',
  },
  {
    may: /^UPDATE relation pg_catalog\.pg_settings$/,
    roles,
    because: 'the same as SET: settings of the own session, of which none changes what other sessions see',
  },
  {
    may: /^EXECUTE function public\.catalog_add_usage$/,
    roles: ['catalog_reader'],
    because: 'it adds to the counters of keys that exist: at most 401 rows of each',
  },
  { may: /^(INSERT|UPDATE) relation api_keys$/, roles: ['catalog_admin'], because: '`catalog key …`' },
  {
    may: /^(INSERT|UPDATE|DELETE) relation (shops|products|variants|collections|orders)$/,
    roles: writers,
    because: 'the catalog is theirs to write',
  },
  {
    may: /^MAINTAIN relation (shops|products|product_tags|variants|collections|orders)$/,
    roles: writers,
    because: 'an import updates statistics; locks that it allows are those that UPDATE of a table allows',
  },
  {
    may: /^EXECUTE function (clock_timestamp|timeofday|random|random_normal|setseed|gen_random_uuid|uuidv[47]|array_(sample|shuffle)|current_query|currtid2)$/,
    roles,
    because: 'time, chance and names: nothing outside the session',
  },
  {
    may: /^EXECUTE function (pg_(stat_get_|stat_clear_snapshot|stat_force_next_flush|control_|current_wal_|last_|is_|get_|lock_status|blocking_pids|safe_snapshot_|isolation_test_|partition_|xact_|wal_summary_contents|available_wal_summaries|collation_actual|database_collation|jit_available|prepared_xact|notification_queue_usage)\w*|pg_\w*_size|txid_status|currval|lastval|pg_sequence_last_value|amvalidate|plpgsql_validator)$/,
    roles,
    because: 'they read the state of the server: numbers, no rows and no statements of others',
  },
  {
    may: /^EXECUTE function (query_to_xml\w*|cursor_to_xml\w*|ts_stat|ts_rewrite)$/,
    roles,
    because: 'they run a statement with the rights of the caller',
  },
  {
    may: /^EXECUTE function pg_sleep\w*$/,
    roles,
    because: 'a connection that sleeps is one that is open: what counts is CONNECTION LIMIT of the login',
  },
  {
    may: /^EXECUTE function pg_(try_)?advisory_\w+$/,
    roles,
    because:
      'exports of a shop take one. Who holds the one of migrations (72707369) makes `catalog migrate` wait, which names the session and gives up',
  },
  { may: /^EXECUTE function (set_config|public\.set_limit)$/, roles, because: 'the same as SET' },
  {
    may: /^EXECUTE function pg_notify$/,
    roles,
    because: 'nothing of the service listens; messages end with the last listener',
  },
  {
    may: /^EXECUTE function pg_(cancel|terminate)_backend$/,
    roles,
    because: 'of sessions of the same login only; the service connects again and answers 503 meanwhile',
  },
  {
    may: /^EXECUTE function pg_export_snapshot$/,
    roles,
    because: 'ends with its transaction; holding it is holding that transaction, which anyone who reads can',
  },
  {
    may: /^EXECUTE function public\.catalog_hold_shop$/,
    roles,
    because: 'runs with the rights of the caller: who may not lock a row of shops is refused',
  },
  {
    may: /^EXECUTE function (binary_upgrade_\w+|brin_\w+|gin_clean_pending_list|pg_import_system_collations|pg_nextoid|pg_stop_making_pinned_objects|pg_extension_config_dump|pg_\w*(replication|logical)_slot\w*|pg_sync_replication_slots|nextval|setval)$/,
    roles,
    because: 'refused: for superusers, owners, REPLICATION or the server itself',
    isRefused: true,
  },
  {
    may: /^EXECUTE function pg_(restore|clear)_(relation|attribute)_stats$/,
    roles,
    because: 'need MAINTAIN, with which ANALYZE may be run as well',
  },
];

/**
 * Every catalog with privileges: the expression for its items' names, the kind for acldefault, and the owner's column.
 */
const catalogs: Readonly<
  Record<string, readonly [kind: string, name: string, owner: string | undefined, code: string]>
> = {
  'pg_database.datacl': ['database', 'o.datname', 'o.datdba', 'd'],
  'pg_namespace.nspacl': ['schema', 'o.nspname', 'o.nspowner', 'n'],
  'pg_type.typacl': ['type', 'o.typname', 'o.typowner', 'T'],
  'pg_language.lanacl': ['language', 'o.lanname', 'o.lanowner', 'l'],
  'pg_class.relacl': [
    'relation',
    `CASE o.relnamespace WHEN 'public'::regnamespace THEN '' ELSE o.relnamespace::regnamespace || '.' END || o.relname`,
    'o.relowner',
    'r',
  ],
  'pg_attribute.attacl': ['column', `o.attrelid::regclass || '.' || o.attname`, undefined, 'c'],
  'pg_tablespace.spcacl': ['tablespace', 'o.spcname', 'o.spcowner', 't'],
  'pg_foreign_data_wrapper.fdwacl': ['foreign data wrapper', 'o.fdwname', 'o.fdwowner', 'F'],
  'pg_foreign_server.srvacl': ['foreign server', 'o.srvname', 'o.srvowner', 'S'],
  'pg_largeobject_metadata.lomacl': ['large object', 'o.oid::text', 'o.lomowner', 'L'],
  'pg_parameter_acl.paracl': ['parameter', 'o.parname', undefined, 'p'],
};

/** These are not privileges but the defaults for new objects, and the initial privileges of objects. */
const otherColumns = ['pg_default_acl.defaclacl', 'pg_init_privs.initprivs'];

interface Column {
  readonly name: string;
}

/**
 * The columns of this server's catalogs that contain privileges. Functions are read separately, because most of them
 * only compute.
 */
const readColumns = async (): Promise<string[]> =>
  (
    await db.sql<Column>(
      `SELECT a.attrelid::regclass || '.' || a.attname AS name FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
        WHERE a.atttypid = 'aclitem[]'::regtype AND c.relkind = 'r' AND c.relnamespace = 'pg_catalog'::regnamespace`,
    )
  ).map(({ name }) => name);

interface Callable {
  readonly name: string;
  readonly signature: string;
  readonly types: readonly string[];
  readonly is_variadic: boolean;
}

/** Functions that a statement can call and that may have an effect. */
const readVolatile = (role: RoleName): Promise<Callable[]> =>
  db.sql<Callable>(
    `SELECT CASE p.pronamespace WHEN 'pg_catalog'::regnamespace THEN '' ELSE p.pronamespace::regnamespace || '.' END || p.proname AS name,
            p.oid::regprocedure::text AS signature,
            array(SELECT t::regtype::text FROM unnest(p.proargtypes) WITH ORDINALITY AS u (t, at) ORDER BY at) AS types,
            p.provariadic <> 0 AS is_variadic
       FROM pg_proc AS p
      WHERE has_function_privilege($1, p.oid, 'EXECUTE') AND p.provolatile = 'v'
        AND 'internal'::regtype <> ALL (p.proargtypes)
        AND p.prorettype::regtype::text !~ '^(trigger|event_trigger|internal|.*_handler)$'
      ORDER BY 1, 2`,
    [logins.name(role)],
  );

async function readPowers(role: RoleName): Promise<string[]> {
  const columns = (await readColumns()).filter((name) => name in catalogs);
  const statements = columns.map((column) => {
    const [catalog = '', acl = ''] = column.split('.');
    const [kind, name, owner, code] = catalogs[column] as (typeof catalogs)[string];
    const items = owner === undefined ? `o.${acl}` : `coalesce(o.${acl}, acldefault('${code}', ${owner}))`;
    const isHere = catalog === 'pg_database' ? 'o.datname = current_database()' : 'true';
    return `SELECT a.privilege_type || ' ${kind} ' || ${name} AS power FROM ${catalog} AS o, aclexplode(${items}) AS a
             WHERE ${isHere} AND (a.grantee = 0 OR pg_has_role('${logins.name(role)}', a.grantee, 'USAGE'))`;
  });
  const rows = await db.sql<{ power: string }>(`${statements.join(' UNION ')} ORDER BY 1`);
  const functions = (await readVolatile(role)).map(({ name }) => `EXECUTE function ${name}`);
  return [...rows.map(({ power }) => power), 'EXECUTE stable functions', ...new Set(functions)];
}

/** A value of each type that refused functions have as a parameter. */
const values: Readonly<Record<string, string>> = {
  oid: '1',
  name: `'x'::name`,
  text: `'public'`,
  boolean: 'true',
  integer: '1',
  bigint: '1',
  regnamespace: `'public'::regnamespace`,
  pg_lsn: `'0/1'::pg_lsn`,
  'text[]': `'{}'::text[]`,
  'oid[]': `'{}'::oid[]`,
  '"char"': `'x'::"char"`,
};

/** Objects of the owner, created in beforeAll, for the function to act on. */
const objectOf = (name: string): string => `'refused_${/^(brin|gin)/.exec(name)?.[0] ?? 'sequence'}'::regclass`;

function toCall({ name, signature, types, is_variadic: isVariadic }: Callable): string {
  const given = types.map((type) => (type === 'regclass' ? objectOf(name) : (values[type] ?? `NULL::${type}`)));
  if (isVariadic) given.push(`VARIADIC ${given.pop() ?? ''}`);
  return `SELECT ${signature.slice(0, signature.indexOf('('))}(${given.join(', ')})`;
}

/** Some are refused to everyone except pg_upgrade and the scripts of extensions. */
const toRefusal = ({ name }: Callable): string =>
  name.startsWith('binary_upgrade_') ? '55P02' : name === 'pg_extension_config_dump' ? '0A000' : '42501';

describe('what the roles may do', () => {
  it('is read from every catalog with privileges', async () => {
    const known = [...Object.keys(catalogs), ...otherColumns, 'pg_proc.proacl'];
    expect((await readColumns()).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(roles)('of %s is exactly what the list has, with a reason for each', async (role) => {
    const powers = await readPowers(role);
    const given = reasons.filter(({ roles: those }) => those.includes(role));
    const found = powers.map((power) => ({ power, reasons: given.filter(({ may }) => may.test(power)).length }));
    expect(found.filter(({ reasons: count }) => count !== 1)).toEqual([]);
  });

  it('has no reasons for privileges that no role has', async () => {
    const powers = (await Promise.all(roles.map(readPowers))).flat();
    const [{ version = 0 } = {}] = await db.sql<{ version: number }>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version`,
    );
    const later = version < 18 ? /MAINTAIN|restore/ : /^$/;
    expect(reasons.filter(({ may }) => !later.test(may.source) && !powers.some((power) => may.test(power)))).toEqual(
      [],
    );
  });

  it.each(roles)('does not include what is said to be refused: %s', async (role) => {
    const refused = reasons.filter(({ isRefused }) => isRefused).map(({ may }) => may);
    const called = (await readVolatile(role)).filter(({ name }) =>
      refused.some((may) => may.test(`EXECUTE function ${name}`)),
    );
    expect(called.length).toBeGreaterThan(30);
    const outcomes: Record<string, string> = {};
    for (const each of called) {
      const outcome = await attemptAndRollBack(role, toCall(each));
      if (outcome !== toRefusal(each)) outcomes[each.signature] = outcome;
    }
    expect(outcomes).toEqual({});
  });

  it.each(roles)('%s owns nothing, has no attribute and is in no other role', async (role) => {
    const name = logins.name(role);
    expect(
      await db.sql(
        `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolcanlogin,
                EXISTS (SELECT FROM pg_shdepend WHERE deptype = 'o' AND refclassid = 'pg_authid'::regclass AND refobjid = r.oid) AS owns,
                array(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid) AS roles
           FROM pg_roles AS r WHERE rolname = $1`,
        [name],
      ),
    ).toEqual([
      {
        rolsuper: false,
        rolcreaterole: false,
        rolcreatedb: false,
        rolreplication: false,
        rolbypassrls: false,
        rolcanlogin: false,
        owns: false,
        roles: [],
      },
    ]);
  });
});

/** Rights that no privilege in a catalog decides. `done`: allowed, for the given reason. */
const statements = readRows<readonly [statement: string, reader: string, writer: string, because?: string]>(
  __dirname,
  'beyond-reading.json',
);

/** The same for commands that may not run in a transaction. */
const statementsAlone: readonly (readonly [statement: string, all: string])[] = [
  [`ALTER SYSTEM SET work_mem = '64kB'`, '42501'],
  ['CREATE DATABASE more', '42501'],
  [`CREATE TABLESPACE more LOCATION '/tmp'`, '42501'],
  [`CREATE SUBSCRIPTION more CONNECTION '' PUBLICATION more`, '42501'],
  [`BEGIN; PREPARE TRANSACTION 'more'`, '55000'],
];

describe('statements that no privilege of an object decides', () => {
  it.each(statements.map(([statement, ofReader, ofWriters]) => [statement, ofReader, ofWriters] as const))(
    '%s',
    async (statement, ofReader, ofWriters) => {
      const [{ name = '', superuser = '' } = {}] = await db.sql<{ name: string; superuser: string }>(
        'SELECT current_database() AS name, rolname AS superuser FROM pg_roles WHERE oid = 10',
      );
      const statementNow = statement.replace('DATABASE_NAME', name).replace('SUPERUSER_NAME', superuser);
      const got = await Promise.all(roles.map((role) => attemptAndRollBack(role, statementNow)));
      expect(got).toEqual([ofReader, ofWriters, ofWriters]);
    },
  );

  it.each(statementsAlone)('%s', async (statement, expected) => {
    expect(await Promise.all(roles.map((role) => attempt(role, ...statement.split('; '))))).toEqual(
      roles.map(() => expected),
    );
  });

  it('no login takes or gives away privileges of its role', async () => {
    const before = await readPowers('catalog_reader');
    for (const statement of ['DROP OWNED BY', 'GRANT SELECT ON shops TO PUBLIC; --', 'REVOKE SELECT ON shops FROM'])
      await attempt('catalog_reader', `${statement} ${logins.name('catalog_reader')}`);
    expect(await readPowers('catalog_reader')).toEqual(before);
    expect(await attempt('catalog_reader', 'SELECT FROM shops')).toBe('done');
  });

  it('ends no session of another role', async () => {
    const session = await db.connect();
    const { rows } = await session.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    for (const name of ['pg_cancel_backend', 'pg_terminate_backend'])
      expect(await attempt('catalog_reader', `SELECT ${name}(${rows[0]?.pid ?? 0})`)).toBe('42501');
  });
});

describe('the service', () => {
  const modes = [
    'ROW SHARE',
    'ROW EXCLUSIVE',
    'SHARE UPDATE EXCLUSIVE',
    'SHARE',
    'SHARE ROW EXCLUSIVE',
    'EXCLUSIVE',
    'ACCESS EXCLUSIVE',
  ];
  const strengths = ['FOR KEY SHARE', 'FOR SHARE', 'FOR NO KEY UPDATE', 'FOR UPDATE'];

  it('can lock no table beyond what reading needs, and no rows', async () => {
    const tables = await db.sql<{ name: string }>(
      `SELECT oid::regclass::text AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const taken: string[] = [];
    for (const { name } of tables) {
      for (const mode of modes) {
        // Since PostgreSQL 16, readers may take ROW SHARE. It conflicts with everything that ACCESS SHARE conflicts
        // with, and with EXCLUSIVE.
        const outcome = await attemptAndRollBack('catalog_reader', `LOCK TABLE ${name} IN ${mode} MODE`);
        if (outcome !== '42501') taken.push(`${mode} ${name} ${outcome}`);
      }
      for (const strength of strengths) {
        const outcome = await attemptAndRollBack('catalog_reader', `SELECT FROM ${name} ${strength}`);
        if (outcome !== '42501') taken.push(`${strength} ${name} ${outcome}`);
      }
    }
    expect(taken).toEqual([]);
  });
});
