import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkDerived } from '../../src/database/derived/check-derived';
import { migrate } from '../../src/database/migrate';
import { openDatabase } from '../../src/database/open-database';
import type { RunningApp } from '../support/app';
import { startApp } from '../support/app';
import { askGraphql } from '../support/graphql-client';
import { Mirror, readTruth } from '../support/mirror';
import { findNativeBinaries } from '../support/native-replication';
import type { OwnServer, ServerPlace } from '../support/own-server';
import { createServerPlace } from '../support/own-server';
import { exchange } from '../support/rest-client';
import { createRandom } from '../support/random';
import { runSeed as seed } from '../support/run-seed';
import { seedApiKey, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { SqlPool } from '../support/sql-pool';
import { openSqlPool } from '../support/sql-pool';
import type { Sql } from '../support/test-database';
import { patientLimits } from '../support/test-database';

/**
 * What clients of the change feed keep when PostgreSQL crashes, restarts, is restored or replaced (docs/decisions.md
 * 95): either their copy is right, or their next request is refused with RESYNC_REQUIRED. Runs on the embedded
 * PostgreSQL or on that of .ci/with-postgres.
 */

/** Commits reach the log only while the WAL writer runs, and a test may stop it; nothing else writes them. */
const losesCommits = [
  'synchronous_commit = off',
  'autovacuum = off',
  'bgwriter_lru_maxpages = 0',
  'checkpoint_timeout = 1d',
  'wal_buffers = 16MB',
  'restart_after_crash = on',
];

let place: ServerPlace;
/** A migrated, stopped server to start from. */
let origin: string;
beforeAll(async () => {
  place = await createServerPlace();
  origin = place.initialize('origin');
  const server = await place.launch(origin, losesCommits);
  await migrate(server.url);
  await server.stop('clean');
});
afterAll(() => place.remove());

/** A server with a shop, and a service in front of it. */
class Fixture {
  server!: OwnServer;
  shopId!: string;
  apiKey!: string;
  #pool!: SqlPool;
  #app!: RunningApp;
  #closeDatabase!: () => Promise<void>;
  #serial = 0;

  async open(name: string, settings: readonly string[] = []): Promise<this> {
    const directory = join(place.directory, name);
    place.copy(origin, directory);
    this.server = await place.launch(directory, settings);
    await this.connect();
    this.shopId = await seedShop(this.sql, { product_limit: 4 });
    ({ apiKey: this.apiKey } = await seedApiKey(this.sql, this.shopId));
    for (const day of [1, 2, 3, 4, 5]) {
      await seedVariant(
        this.sql,
        this.shopId,
        await seedProduct(this.sql, this.shopId, { created_at: `2026-01-0${day}Z` }),
      );
    }
    await seedOrder(this.sql, this.shopId);
    await this.sql('CHECKPOINT'); // so far, nothing is lost by a crash
    return this;
  }

  async connect(): Promise<void> {
    this.#pool = openSqlPool(this.server.url);
    const database = openDatabase({ url: this.server.url, poolSize: 2, ...patientLimits });
    this.#closeDatabase = () => database.close();
    this.#app = await startApp({ database }, { RATE_LIMIT_REQUESTS: '100000' });
  }

  async disconnect(): Promise<void> {
    await this.#app.app.close(0);
    await this.#closeDatabase();
    await this.#pool.end();
  }

  async close(): Promise<void> {
    await this.disconnect();
    await this.server.stop();
  }

  /** Once more, in case the server had cut that connection. */
  readonly sql: Sql = async <Row>(text: string, values?: unknown[]) => {
    try {
      return await this.#pool.sql<Row>(text, values);
    } catch (error) {
      if (/terminat|closed|ECONN/i.test(String(error))) return this.#pool.sql<Row>(text, values);
      throw error;
    }
  };

  mirror = (): Mirror => new Mirror(() => this.#app.origin, this.apiKey);

  /** What a client reads from all lists. */
  truth = (): Promise<Record<string, string>> => readTruth(this.sql, this.shopId);

  async changesCursor(): Promise<string> {
    for (;;) {
      const query = '{ shop { changesCursor } }';
      const { status, data } = await askGraphql<{ shop: { changesCursor: string } }>(
        this.#app.origin,
        this.apiKey,
        query,
      );
      if (status === 200) return data.shop.changesCursor;
    }
  }

  /** A GraphQL document or the target of a GET request. */
  ask(document: string): Promise<{ readonly status: number; readonly text: string }> {
    const headers = { Authorization: `Bearer ${this.apiKey}` };
    if (document.startsWith('/')) return exchange(this.#app.origin, document, { headers });
    return askGraphql(this.#app.origin, this.apiKey, document);
  }

  async version(): Promise<bigint> {
    const [row] = await this.sql<{ v: string }>('SELECT data_version::text AS v FROM shops WHERE shop_id = $1', [
      this.shopId,
    ]);
    return BigInt(row?.v ?? -1);
  }

  /** Changes something in the shop. @param lasting whether the change survives a crash */
  async write(lasting = true): Promise<void> {
    this.#serial += 1;
    const text = `written ${this.#serial}`;
    const of = `shop_id = '${this.shopId}'`;
    const statements = [
      `UPDATE products SET title = '${text}' WHERE ${of} AND created_at = '2026-01-02Z'`,
      `UPDATE orders SET order_number = '${text}' WHERE ${of}`,
      `INSERT INTO orders (shop_id, external_id, order_number) VALUES ('${this.shopId}', '${text}', '${text}')`,
      `DELETE FROM orders WHERE ${of} AND external_id = (SELECT max(external_id) FROM orders WHERE ${of})`,
      `UPDATE shops SET product_limit = 2 + (product_limit + 1) % 3 WHERE ${of}`,
    ];
    const statement = statements[this.#serial % statements.length] as string;
    await this.sql(`BEGIN; SET LOCAL synchronous_commit = ${lasting ? 'on' : 'off'}; ${statement}; COMMIT`);
  }

  /** From now until a crash, no commit is durable. */
  async stopLog(): Promise<void> {
    await this.sql('SELECT pg_switch_wal()');
    const [row] = await this.sql<{ pid: number }>("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
    process.kill(row?.pid ?? 0, 'SIGSTOP');
  }

  async crash(): Promise<void> {
    await this.server.crash();
  }

  async restart(how: 'clean' | 'immediate'): Promise<void> {
    await this.disconnect();
    await this.server.stop(how);
    await this.server.start();
    await this.connect();
  }

  /** A copy of the stopped server's directory. */
  async backUp(): Promise<string> {
    await this.disconnect();
    await this.server.stop('clean');
    const copy = `${this.server.directory}-backup`;
    rmSync(copy, { recursive: true, force: true });
    place.copy(this.server.directory, copy);
    await this.server.start();
    await this.connect();
    return copy;
  }

  async restore(copy: string): Promise<void> {
    await this.disconnect();
    await this.server.stop('clean');
    rmSync(this.server.directory, { recursive: true });
    place.copy(copy, this.server.directory);
    await this.server.start();
    await this.connect();
  }
}

/**
 * Reads on, retrying like a client whose service loses its database for a moment. @returns the error that ends its feed
 */
async function follow(mirror: Mirror): Promise<string | undefined> {
  for (;;) {
    try {
      await mirror.drain(3);
      return undefined;
    } catch (error) {
      const text = String(error);
      if (text.includes('changes: 503')) continue;
      if (text.includes('RESYNC_REQUIRED')) return text;
      throw error;
    }
  }
}

/** Expects that a client can read on, also what is written now, and closes the fixture. */
async function expectToFollow(fixture: Fixture, reader: Mirror): Promise<void> {
  expect(await follow(reader)).toBeUndefined();
  await fixture.write();
  expect(await follow(reader)).toBeUndefined();
  expect(reader.state()).toEqual(await fixture.truth());
  await fixture.close();
}

/**
 * A client that saw lost changes starts again; one that did not see them continues. Both end up with a correct copy.
 */
async function expectLost(fixture: Fixture, { early, late, walker }: Record<'early' | 'late' | 'walker', Mirror>) {
  expect(await follow(late)).toMatch('RESYNC_REQUIRED');
  expect(await follow(walker)).toMatch('RESYNC_REQUIRED');
  expect(await follow(early)).toBeUndefined();
  expect(early.state()).toEqual(await fixture.truth());
}

/**
 * Clients before and after a change that will be lost. `walker` has read the lists that come before a changesCursor.
 */
async function loseWrites(fixture: Fixture, write: () => Promise<void>) {
  const [early, late, walker] = [fixture.mirror(), fixture.mirror(), fixture.mirror()];
  await follow(early);
  walker.cursor = await fixture.changesCursor();
  const before = await fixture.version();
  await write();
  await follow(late);
  return { before, clients: { early, late, walker } };
}

const moments = ['before the next write', 'after it'];

describe.each(moments)('clients that saw lost changes are refused, others continue, %s', (moment) => {
  const next = (fixture: Fixture) => (moment === 'after it' ? fixture.write() : undefined);

  it('when a crash of a session lost commits', async () => {
    const fixture = await new Fixture().open(`session ${moment}`);
    const { before, clients } = await loseWrites(fixture, async () => {
      await fixture.stopLog();
      for (let count = 0; count < 5; count += 1) await fixture.write(false);
    });
    await fixture.crash();
    expect(await fixture.version()).toBe(before);
    await next(fixture);
    await expectLost(fixture, clients);
    await fixture.close();
  });

  it('when a backup of the stopped server is restored', async () => {
    const fixture = await new Fixture().open(`backup ${moment}`);
    const copy = await fixture.backUp();
    await fixture.write(); // the first after a start
    const walker = fixture.mirror();
    walker.cursor = await fixture.changesCursor();
    const late = fixture.mirror();
    await follow(late);
    await fixture.restore(copy);
    await next(fixture);
    expect(await follow(late)).toMatch('RESYNC_REQUIRED');
    expect(await follow(walker)).toMatch('RESYNC_REQUIRED');
    await fixture.close();
  });

  it('when a standby is promoted that had not received them', async () => {
    const fixture = await new Fixture().open(`primary ${moment}`);
    const standbyDirectory = await fixture.backUp();
    const { port } = new URL(fixture.server.url);
    writeFileSync(join(standbyDirectory, 'standby.signal'), '');
    const standby = await place.launch(standbyDirectory, [
      `primary_conninfo = 'host=127.0.0.1 port=${port} user=postgres'`,
    ]);
    await fixture.write();
    const replica = openSqlPool(standby.url);
    const received = async () =>
      BigInt((await replica.sql<{ v: string }>('SELECT data_version::text AS v FROM shops'))[0]?.v ?? -1);
    const early = fixture.mirror();
    await follow(early);
    while ((await received()) !== (await fixture.version()));
    await replica.end();
    await standby.stop('clean');
    const { clients } = await loseWrites(fixture, () => fixture.write());
    await fixture.disconnect();
    await fixture.server.stop();
    await standby.start();
    const promoting = openSqlPool(standby.url);
    await promoting.sql('SELECT pg_promote()');
    await promoting.end();
    fixture.server = standby;
    await fixture.connect();
    await next(fixture);
    await expectLost(fixture, { ...clients, early });
    await fixture.close();
  });
});

describe('clients of the feed continue, and those of a changesCursor get the reason why not,', () => {
  it.each(['a clean restart', 'an immediate stop', 'a crash that lost nothing'])('after %s', async (what) => {
    const fixture = await new Fixture().open(what);
    const [reader, walker] = [fixture.mirror(), fixture.mirror()];
    await follow(reader);
    walker.cursor = await fixture.changesCursor();
    if (what === 'a crash that lost nothing') await fixture.crash();
    else await fixture.restart(what === 'a clean restart' ? 'clean' : 'immediate');
    const refusal = await follow(walker);
    expect(refusal).toMatch('PostgreSQL or the feed was restarted after');
    expect(refusal).not.toMatch('went back');
    await expectToFollow(fixture, reader);
  });
});

describe('a changesCursor that was taken before the first write after a start', () => {
  it.each(['a clean restart', 'a crash of a session'])('is good after %s', async (what) => {
    const fixture = await new Fixture().open(`quiet, ${what}`);
    await (what === 'a clean restart' ? fixture.restart('clean') : fixture.crash());
    const [early, late] = [fixture.mirror(), fixture.mirror()];
    early.cursor = await fixture.changesCursor();
    late.cursor = early.cursor;
    expect(await follow(early)).toBeUndefined();
    await fixture.write();
    expect(await follow(early)).toBeUndefined();
    expect(await follow(late)).toBeUndefined();
    await fixture.close();
  });

  it('is refused when changes after it are lost', async () => {
    const fixture = await new Fixture().open('quiet, then lost');
    await fixture.restart('clean');
    const walker = fixture.mirror();
    walker.cursor = await fixture.changesCursor();
    await fixture.stopLog();
    await fixture.write(false);
    await fixture.crash();
    await fixture.write();
    expect(await follow(walker)).toMatch('RESYNC_REQUIRED');
    await fixture.close();
  });
});

/** What happens to the server while the service keeps running. */
const behindTheService: Readonly<Record<string, (fixture: Fixture, copy: string) => Promise<unknown>>> = {
  async 'a clean restart'({ server }) {
    await server.stop('clean');
    await server.start();
  },
  async 'an immediate stop'({ server }) {
    await server.stop('immediate');
    await server.start();
  },
  'a crash of a session': (fixture) => fixture.crash(),
  async 'a restore'({ server }, copy) {
    await server.stop('clean');
    rmSync(server.directory, { recursive: true });
    place.copy(copy, server.directory);
    await server.start();
  },
  async 'a failover'({ server, sql }) {
    await server.stop('clean');
    writeFileSync(join(server.directory, 'standby.signal'), '');
    await server.start();
    await sql('SELECT pg_promote()');
  },
};

describe.each(Object.keys(behindTheService))('after %s behind the service', (event) => {
  it.each(['the first write', 'a write'])('no cached response has an old cursor, after %s', async (when) => {
    const fixture = await new Fixture().open(`kept, ${event}, ${when}`);
    const copy = await fixture.backUp();
    if (when === 'a write' && event !== 'a restore') await fixture.write();
    let count = 0;
    const ask = async (document: string): Promise<string> => {
      for (;;) {
        const { status, text } = await fixture.ask(document);
        if (status !== 503 && !text.includes('SERVICE_UNAVAILABLE')) return text;
      }
    };
    const cursorIn = (text: string): string => /"(?:changesCursor|next_cursor)":"([^"]+)"/.exec(text)?.[1] ?? text;
    const ofShop = '{ shop { changesCursor } }';
    const given = cursorIn(await ask(ofShop));
    const kept = [
      ofShop,
      '{ changes(first: 0) { changesCursor } }',
      '/changes?after=now',
      '/changes?after=now&limit=7',
      `{ changes(first: 5, after: "${given}") { changesCursor } }`,
      `/changes?limit=5&after=${given}`,
    ];
    for (const document of kept) for (let time = 0; time < 3; time += 1) await ask(document);
    await behindTheService[event]?.(fixture, copy);
    for (const document of kept) {
      const text = await ask(document);
      // A request that was never sent before cannot be answered from the cache.
      count += 1;
      const fresh = await ask(
        document.startsWith('/')
          ? `${document}&fresh=${count}`
          : document.replace(/\}$/, `fresh${count}: __typename }`),
      );
      expect([document, text.includes('RESYNC_REQUIRED')]).toEqual([document, fresh.includes('RESYNC_REQUIRED')]);
      if (text.includes('RESYNC_REQUIRED')) continue;
      const walker = fixture.mirror();
      walker.cursor = cursorIn(text);
      expect([document, await follow(walker)]).toEqual([document, undefined]);
    }
    await fixture.close();
  });
});

it('after any order of writes, crashes, restarts and restores, a copy is right or refused', async () => {
  const random = createRandom(seed);
  const fixture = await new Fixture().open('any order');
  /** A reader of the feed, or of the lists before a changesCursor. */
  const clients = random.list(6, () => ({ mirror: fixture.mirror(), isSynchronized: false }));
  let backup = await fixture.backUp();
  let isLosing = false;
  const happened = new Set<string>();
  const steps: Record<string, () => Promise<unknown>> = {
    write: () => fixture.write(!isLosing),
    async walk() {
      const client = random.pick(clients);
      client.mirror.cursor = await fixture.changesCursor();
      if (random.chance(0.5)) await fixture.write(!isLosing);
      client.mirror.objects.clear();
      for (const [key, text] of Object.entries(await fixture.truth())) client.mirror.objects.set(key, text);
      client.isSynchronized = true;
    },
    read: () => synchronize(random.pick(clients)),
    async lose() {
      if (!isLosing) await fixture.stopLog();
      isLosing = true;
      await fixture.write(false);
    },
    async crash() {
      isLosing = false;
      await fixture.crash();
    },
  };
  const rare: Record<string, () => Promise<unknown>> = {
    clean: () => fixture.restart('clean'),
    immediate: () => fixture.restart('immediate'),
    async backUp() {
      backup = await fixture.backUp();
    },
    restore: () => fixture.restore(backup),
  };
  async function synchronize(client: (typeof clients)[number]): Promise<void> {
    const refusal = client.isSynchronized ? await follow(client.mirror) : 'never';
    if (refusal !== undefined) {
      client.mirror.cursor = null;
      client.mirror.objects.clear();
      expect(await follow(client.mirror)).toBeUndefined();
      client.isSynchronized = true;
    }
    expect({ seed, refusal, copy: client.mirror.state() }).toEqual({ seed, refusal, copy: await fixture.truth() });
  }
  for (const name of random.shuffled([
    ...random.list(60, () => random.pick(['write', 'read', 'walk', 'lose'])),
    ...random.list(4, () => 'crash'),
    ...Object.keys(rare),
    ...Object.keys(rare),
  ])) {
    if (name in rare && isLosing) await steps['crash']?.(); // a stopped process would not end
    await (steps[name] ?? rare[name])?.();
    happened.add(name);
  }
  if (isLosing) await steps['crash']?.();
  for (const client of clients) await synchronize(client);
  await fixture.write();
  for (const client of clients) await synchronize(client);
  expect(happened.size).toBe(Object.keys(steps).length + Object.keys(rare).length);
  await fixture.close();
});

it('what logical replication writes into the tables leaves a trace, and one command corrects everything', async () => {
  const source = await new Fixture().open('publisher', ['wal_level = logical']);
  const target = await new Fixture().open('subscriber');
  const mirror = target.mirror();
  await follow(mirror);
  await target.sql('DELETE FROM shops');
  await source.sql('CREATE PUBLICATION catalog FOR TABLE shops, api_keys, products, variants, collections, orders');
  const { port } = new URL(source.server.url);
  const from = `host=127.0.0.1 port=${port} user=postgres dbname=postgres`;
  await target.sql(`CREATE SUBSCRIPTION catalog CONNECTION '${from}' PUBLICATION catalog WITH (enabled = false)`);
  const check = (repair: boolean) =>
    checkDerived({ url: target.server.url, domain: undefined, repair, onShop: () => undefined });
  // An incomplete copy is not mistaken for a damaged one.
  await expect(check(true)).rejects.toThrow(/is still copying/);
  await target.sql('ALTER SUBSCRIPTION catalog ENABLE');
  while ((await target.sql("SELECT FROM pg_subscription_rel WHERE srsubstate <> 'r'")).length > 0);
  const untilSame = async (statement: string) => {
    const [expected] = await source.sql(statement);
    while (JSON.stringify((await target.sql(statement))[0]) !== JSON.stringify(expected));
  };
  const contents = `SELECT (SELECT json_agg(json_build_array(id, title) ORDER BY id) FROM products) AS products,
                           (SELECT json_agg(json_build_array(id, order_number) ORDER BY id) FROM orders) AS orders,
                           (SELECT count(*)::integer FROM variants) AS variants`;
  target.shopId = source.shopId;
  target.apiKey = source.apiKey;
  for (const change of [
    undefined, // what the subscription copies
    "UPDATE products SET title = 'elsewhere'",
    "DELETE FROM orders WHERE order_number <> 'none'",
    'TRUNCATE variants',
  ]) {
    const copy = target.mirror();
    if (change !== undefined) {
      await follow(copy);
      await source.sql(change);
    }
    await untilSame(contents);
    const found = (await check(true)).differences.map(({ shop, kind }) => [shop !== null, kind]);
    expect(found).toContainEqual([true, 'unrecorded_writes']);
    expect((await check(false)).differences).toEqual([]);
    if (change !== undefined) expect(await follow(copy)).toMatch('RESYNC_REQUIRED');
    const fresh = target.mirror();
    await follow(fresh);
    expect(fresh.state()).toEqual(await target.truth());
  }
  await target.sql('DROP SUBSCRIPTION catalog');
  await target.close();
  await source.close();
});

// With other binaries (.ci/with-postgres), this would only repeat it.
const upgrading = process.env['POSTGRES_BINARIES'] === undefined ? findNativeBinaries('pg_upgrade') : undefined;
if (upgrading === undefined) {
  console.log('pg_upgrade is not tried: there is none in /usr/lib/postgresql, or POSTGRES_BINARIES is set.');
}
(upgrading === undefined ? it.skip : it)('clients of the feed continue after pg_upgrade', async () => {
  const native = await createServerPlace(upgrading);
  const old = native.initialize('old');
  const fixture = new Fixture();
  const launched = await native.launch(old);
  await migrate(launched.url);
  fixture.server = launched;
  await fixture.connect();
  fixture.shopId = await seedShop(fixture.sql);
  ({ apiKey: fixture.apiKey } = await seedApiKey(fixture.sql, fixture.shopId));
  await seedOrder(fixture.sql, fixture.shopId);
  const reader = fixture.mirror();
  await follow(reader);
  await fixture.disconnect();
  await launched.stop('clean');
  const upgraded = native.initialize('new');
  const bin = upgrading as string;
  native.run('pg_upgrade', '-b', bin, '-B', bin, '-d', old, '-D', upgraded, '-U', 'postgres', '--link');
  expect(existsSync(join(upgraded, 'PG_VERSION'))).toBe(true);
  fixture.server = await native.launch(upgraded);
  await fixture.connect();
  await expectToFollow(fixture, reader);
  native.remove();
});
