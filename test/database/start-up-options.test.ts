import { connect, createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { parseConnectionTarget, sessionSettings, toSessionUrl } from '../../src/config/connection-target';
import { openDatabase } from '../../src/database/open-database';
import { provideDatabase } from '../../src/database/provide-database';
import { rawSql } from '../../src/database/sql';
import { hasPooler, startPooler } from '../support/pgbouncer';
import { useTestDatabase, patientLimits } from '../support/test-database';

/**
 * The parameters of a StartupMessage (PostgreSQL's protocol 3.0): its length, the version, then names and values, each
 * followed by a zero byte.
 */
function withoutParameters(message: Buffer, isDropped: (name: string) => boolean): Buffer {
  const words = message.subarray(8, -1).toString('latin1').split('\0').slice(0, -1);
  const kept = words.flatMap((name, index) =>
    index % 2 === 0 && !isDropped(name) ? [name, words[index + 1] as string] : [],
  );
  const body = Buffer.from([...kept, ''].map((word) => `${word}\0`).join(''), 'latin1');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + body.length, 0);
  message.copy(head, 4, 4, 8);
  return Buffer.concat([head, body]);
}

/** Like a pooler with ignore_startup_parameters: the server never sees what it drops, and nobody is told. */
async function startDroppingProxy(serverUrl: string, isDropped: (name: string) => boolean) {
  const { hostname, port } = new URL(serverUrl);
  const server: Server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname);
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    let start = Buffer.alloc(0);
    const read = (chunk: Buffer): void => {
      start = Buffer.concat([start, chunk]);
      if (start.length < 4 || start.length < start.readInt32BE(0)) return;
      client.off('data', read);
      const length = start.readInt32BE(0);
      upstream.write(withoutParameters(start.subarray(0, length), isDropped));
      upstream.write(start.subarray(length));
      client.pipe(upstream).pipe(client);
    };
    client.on('data', read);
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = Object.assign(new URL(serverUrl), {
    hostname: '127.0.0.1',
    port: String((server.address() as AddressInfo).port),
  }).href;
  return { url, close: () => void server.close() };
}

const closing: (() => unknown)[] = [];
const db = useTestDatabase();
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await db.sql(`ALTER ROLE CURRENT_USER IN DATABASE ${new URL(db.url).pathname.slice(1)} RESET ALL`);
});

const provide = async (url: string) => {
  const database = await provideDatabase(
    { databaseUrl: url, databasePoolSize: 2, dataDir: '/nonexistent' },
    { log: () => undefined, waitMilliseconds: 0, statementTimeoutMilliseconds: 4_321 },
  );
  closing.push(() => database.close());
  return database;
};

const through = async (isDropped: (name: string) => boolean): Promise<string> => {
  const { url, close } = await startDroppingProxy(db.url, isDropped);
  closing.push(close);
  return url;
};

describe('startup options of connections', () => {
  it('that arrive are accepted, also through a proxy and with further options in the URL', async () => {
    const url = await through(() => false);
    const database = await provide(`${url}?options=${encodeURIComponent('-c lock_timeout=77ms')}`);
    const rows = await database.readRows(
      rawSql(
        `SELECT current_setting('statement_timeout'), current_setting('plan_cache_mode'), current_setting('lock_timeout')`,
      ),
    );
    expect(rows).toEqual([['4321ms', 'force_generic_plan', '77ms']]);
  });

  it('that a pooler drops stop the service, with what to do', async () => {
    const refusal = provide(await through((name) => name !== 'user' && name !== 'database'));
    await expect(refusal).rejects.toThrow(/^The database \w+ on 127\.0\.0\.1:\d+ cannot be used: /);
    await expect(refusal).rejects.toThrow('ignores connection startup options');
    await expect(refusal).rejects.toThrow('add pgbouncer=true to DATABASE_URL');
    await expect(refusal).rejects.toThrow('ignore_startup_parameters');
  });

  it('that are dropped stop the service even if the role has the same settings: nothing declares that sessions are shared', async () => {
    const name = new URL(db.url).pathname.slice(1);
    for (const [setting, value] of Object.entries({
      ...sessionSettings,
      statement_timeout: '4321ms',
    }))
      await db.sql(`ALTER ROLE CURRENT_USER IN DATABASE ${name} SET ${setting} = '${value}'`);
    await expect(provide(await through(([first]) => first === 'o'))).rejects.toThrow(
      'ignores connection startup options',
    );
  });

  it('that a pooler drops later are noticed by each new connection, of a replica too', async () => {
    const url = await through(([first]) => first === 'o');
    for (const isReplica of [false, true]) {
      const database = openDatabase({ url, isReplica, poolSize: 1, ...patientLimits });
      closing.push(() => database.close());
      await expect(database.readRows(rawSql('SELECT 1'))).rejects.toThrow('ignores connection startup options');
    }
  });
});

if (!hasPooler) console.log('PgBouncer is not tried: there is none on this machine.');

(hasPooler ? it : it.skip)('that PgBouncer of any version is told to ignore end the start', async () => {
  const direct = toSessionUrl(parseConnectionTarget(db.url), db.url, { statementTimeoutMilliseconds: 1 });
  const names = [...(new URL(direct).searchParams.get('options') ?? '').matchAll(/-c ([^=]+)=/g)].map(
    ([, name]) => name,
  );
  expect(names.length).toBeGreaterThan(8);
  const pooler = await startPooler(db.url, {
    ignore_startup_parameters: ['options', ...names].join(','),
    max_prepared_statements: undefined,
  });
  closing.push(() => pooler.stop());
  await expect(provide(pooler.url)).rejects.toThrow('ignores connection startup options');
});
