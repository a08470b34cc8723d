import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { connectToPrimary } from '../../src/database/host-choice';
import type { Database } from '../../src/database/database';
import { toDatabaseApiError } from '../../src/database/database-failure';
import { openDatabase } from '../../src/database/open-database';
import { startTcpProxy } from '../support/tcp-proxy';
import { useTestDatabase } from '../support/test-database';

const db = useTestDatabase();
const opened: Database[] = [];
afterEach(() => Promise.all(opened.splice(0).map((database) => database.close())));

function open(url: string, statementTimeoutMilliseconds = 3_000): Database {
  const database = openDatabase({ url, poolSize: 1, statementTimeoutMilliseconds });
  opened.push(database);
  return database;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

async function untilRunning(text: string): Promise<void> {
  for (;;) {
    const rows = await db.sql("SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1 || '%'", [text]);
    if (rows.length > 0) return;
  }
}

const terminate = (text: string) =>
  db.sql(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE $1 || '%'`,
    [text],
  );

/** The URL of a server that accepts connections and never answers. */
async function withHole(run: (url: string) => Promise<unknown>): Promise<unknown> {
  const hole = createServer().listen(0, '127.0.0.1');
  await once(hole, 'listening');
  const { port } = hole.address() as AddressInfo;
  try {
    return await run(`postgresql://u:p@127.0.0.1:${port}/d`);
  } finally {
    hole.close();
  }
}

const outages: readonly [string, () => Promise<unknown>][] = [
  ['a server that is not there', () => open('postgresql://u:p@127.0.0.1:1/d').prisma.$queryRaw`SELECT 1`],
  ['a model query to a server that is not there', () => open('postgresql://u:p@127.0.0.1:1/d').prisma.shop.count()],
  ['a server that accepts and never answers', () => withHole((url) => open(url).prisma.$queryRaw`SELECT 1`)],
  [
    'a connection of its own to a server that accepts and never answers',
    () => withHole((url) => connectToPrimary(url, { connectionTimeoutMillis: 100 })),
  ],
  [
    'a server that falls silent in the middle of a query, after its connection was idle',
    async () => {
      const { hostname, port } = new URL(db.url);
      const wire = await startTcpProxy({ host: hostname, port: Number(port || 5432) });
      const url = new URL(db.url);
      [url.hostname, url.port] = ['127.0.0.1', String(wire.port)];
      const { prisma } = open(url.href, 200);
      await prisma.$queryRaw`SELECT 1`;
      await db.sql('SELECT pg_sleep(0.5)::text');
      wire.slowDown(1_000);
      try {
        return await prisma.$queryRaw`SELECT 1`;
      } finally {
        await wire.cut();
      }
    },
  ],
  [
    'a database that its platform made read-only, because the disk is almost full',
    () => {
      const url = new URL(db.url);
      url.searchParams.set('options', '-c default_transaction_read_only=on');
      return open(url.href).prisma.$executeRaw`DELETE FROM shops`;
    },
  ],
  ['a statement that takes too long', () => open(db.url, 100).prisma.$queryRaw`SELECT pg_sleep(5)::text`],
  [
    'a full pool',
    async () => {
      const { prisma } = open(db.url);
      const busy = prisma.$queryRaw`/* busy */ SELECT pg_sleep(2)::text`.then(() => undefined);
      await untilRunning('/* busy */');
      try {
        return await prisma.$queryRaw`SELECT 1`;
      } finally {
        await busy;
      }
    },
  ],
  [
    'a backend that is terminated in the middle of a query',
    async () => {
      const running = open(db.url).prisma.$queryRaw`/* doomed */ SELECT pg_sleep(2)::text`.then(() => undefined);
      const settled = failureOf(running);
      await untilRunning('/* doomed */');
      await terminate('/* doomed */');
      const failure = await settled;
      if (failure !== undefined) throw failure as Error;
    },
  ],
  [
    'a backend that is terminated in the middle of a transaction',
    () =>
      open(db.url).prisma.$transaction(async (transaction) => {
        await transaction.$queryRaw`/* held */ SELECT 1`;
        await terminate('/* held */');
        await transaction.$queryRaw`SELECT 1`;
      }),
  ],
  [
    'a deadlock with a session that locks whole tables',
    async () => {
      const holder = await db.connect();
      // The other session waits longer, so that ours is ended.
      await holder.query("SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE shops");
      try {
        return await open(db.url).prisma.$transaction(async (transaction) => {
          await transaction.$queryRaw`SELECT 1 FROM products`;
          void holder.query('LOCK TABLE products').catch(() => undefined);
          return await transaction.$queryRaw`SELECT 1 FROM shops`;
        });
      } finally {
        await holder.query('ROLLBACK');
      }
    },
  ],
];

describe('an outage of the database', () => {
  it.each(outages)('is SERVICE_UNAVAILABLE with Retry-After, and discloses nothing: %s', async (name, work) => {
    const failure = await failureOf(work());
    expect(failure).toBeInstanceOf(Error);
    const { code, status, headers, message } = toDatabaseApiError(failure) ?? {};
    expect({ code, status, headers, message }).toEqual({
      code: 'SERVICE_UNAVAILABLE',
      status: 503,
      headers: { 'Retry-After': '1' },
      message: name.startsWith('a statement that takes too long')
        ? 'Reading the data took too long. Try again in a moment; if it keeps failing, request less data, such as a shorter range.'
        : 'The service is temporarily unavailable. Try again in a moment.',
    });
  });
});

it.each([
  ['a wrong statement', () => open(db.url).prisma.$queryRaw`SELEC 1`],
  ['a broken constraint', () => open(db.url).prisma.$executeRaw`INSERT INTO shops (domain) VALUES ('')`],
  ['a bug of our own', () => Promise.reject(new TypeError('x is not a function'))],
])('is not an outage: %s', async (_, work) => {
  expect(toDatabaseApiError(await failureOf(Promise.resolve().then(work)))).toBeUndefined();
});

it('a pool gets new connections after its old ones were cut', async () => {
  const { prisma } = open(db.url);
  await prisma.$queryRaw`/* cut */ SELECT 1`;
  await terminate('/* cut */');
  await failureOf(prisma.$queryRaw`SELECT 1`.then(() => undefined));
  expect(await prisma.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
});

it('a connection that is idle for longer than the statement timeout is kept', async () => {
  const { prisma } = open(db.url, 50);
  const readBackend = () => prisma.$queryRaw`SELECT pg_backend_pid()`;
  const before = await readBackend();
  await db.sql('SELECT pg_sleep(0.4)::text');
  expect(await readBackend()).toEqual(before);
});

it('a connection speaks UTC whatever the database is set to (D23)', async () => {
  const { prisma } = open(`${db.url}?options=${encodeURIComponent('-c TimeZone=Asia/Tokyo')}`);
  expect(await prisma.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone: 'UTC' }]);
});
