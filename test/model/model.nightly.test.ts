import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { checkDerived } from '../../src/database/derived/check-derived';
import { DatabaseUnavailableError } from '../../src/database/database-failure';
import type { RoleLogins } from '../deploy/role-logins';
import { createRoleLogins } from '../deploy/role-logins';
import { citusUrl } from '../support/citus-database';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { Feed, readState, Versions } from './catalog-state';
import { createShops } from './operations';
import { Random } from './random';
import type { SessionKind } from './writer-session';
import { hostileSchema, sessionKinds, WriterSession } from './writer-session';
import { runSeed } from '../support/run-seed';

/** `npm run model -- --minutes N --seed S` sets this and the seed. */
const minutes = Number(process.env['MODEL_MINUTES'] ?? 0.3);
const kinds = Object.keys(sessionKinds) as SessionKind[];

let db: TestDatabase;
let logins: RoleLogins;
let observingClient: Client;
const sessions: WriterSession[] = [];

beforeAll(async () => {
  db = await createTestDatabase();
  logins = await createRoleLogins(db);
  observingClient = await db.connect();
  await db.sql(hostileSchema);
  await db.sql(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 100', current_database()); END $$`,
  );
  for (const kind of kinds) {
    sessions.push(await WriterSession.open(db, kind), await WriterSession.open(db, kind, logins.url('catalog_writer')));
  }
});
afterAll(async () => {
  for (const session of sessions) await session.close();
  await logins.drop();
  await db.drop();
});

/** Reads and checks snapshots, one after another. */
class Observer {
  readonly #versions = new Versions();
  readonly #feed = new Feed();
  checked = 0;

  constructor(private readonly seed: number) {}

  async check(): Promise<void> {
    if (citusUrl !== undefined) return this.#checkNodes(db.url);
    const { state, violations: found } = await readState(observingClient);
    const violations = [...found, ...this.#versions.findViolations(state), ...this.#feed.findViolations(state)];
    this.checked += 1;
    if (violations.length > 0) throw new Error(this.#explain(violations));
  }

  /** On Citus, no snapshot covers all nodes, so derived data is compared shop by shop. */
  async #checkNodes(url: string): Promise<void> {
    const check = checkDerived({ url, domain: undefined, repair: false, onShop: () => undefined });
    const { differences } = await check.catch((thrown: unknown) => {
      if (thrown instanceof DatabaseUnavailableError) return { differences: [] };
      throw thrown;
    });
    this.checked += 1;
    // Someone may move shards meanwhile: shops are compared again once theirs have their functions.
    const violations = differences.filter(({ kind }) => kind !== 'functions');
    if (violations.length > 0) throw new Error(this.#explain(violations.map((each) => JSON.stringify(each))));
  }

  #explain(violations: readonly string[]): string {
    const logs = sessions.map(
      ({ name, log }) =>
        `--- ${name}\n${log
          .slice(-12)
          .map((line) => line.slice(0, 400))
          .join('\n')}`,
    );
    return [`SEED=${this.seed} shows:`, ...violations.slice(0, 10), ...logs].join('\n');
  }
}

/** On Citus, shards that were moved refuse writes until they have their functions. */
async function emptyShops(): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await db.sql('DELETE FROM shops');
      return;
    } catch (error) {
      if (citusUrl === undefined || attempt === 100) throw error;
      await setTimeout(100);
    }
  }
}

/**
 * Empties the shops and writes to them as the seed determines. With one writer at a time, the seed reproduces
 * everything.
 */
async function runEpisode(seed: number, { writers, onlyOrderly }: { writers: number; onlyOrderly: boolean }) {
  const random = new Random(seed);
  const observer = new Observer(seed);
  for (const session of sessions) {
    session.log.length = 0;
    session.counts.clear();
  }
  await emptyShops();
  for (let round = 0; round < 6; round += 1) {
    await db.sql(createShops(random)).catch((error: unknown) => {
      if (citusUrl === undefined) throw error;
    });
    const chosen = random.some(sessions, writers);
    let isWriting = true;
    const observing = (async () => {
      while (isWriting && writers > 1) await observer.check();
    })();
    try {
      await Promise.all(
        chosen.map(async (session) => {
          const own = new Random(random.integer(2 ** 31));
          for (let count = 0; count < 8; count += 1) {
            await session.write(own, { onlyOrderly });
            if (writers === 1) await observer.check();
          }
        }),
      );
    } finally {
      isWriting = false;
      await observing;
    }
    await observer.check();
  }
  const counts = new Map<string, number>();
  for (const session of sessions) {
    for (const [outcome, count] of session.counts) counts.set(outcome, (counts.get(outcome) ?? 0) + count);
  }
  return { counts, checked: observer.checked };
}

async function runEpisodes(options: { writers: number; onlyOrderly: boolean }, share: number) {
  const end = Date.now() + minutes * share * 60_000;
  const total = new Map<string, number>();
  let checked = 0;
  let seed = runSeed;
  do {
    const episode = await runEpisode(seed, options);
    for (const [outcome, count] of episode.counts) total.set(outcome, (total.get(outcome) ?? 0) + count);
    checked += episode.checked;
    seed += 1;
  } while (Date.now() < end);
  const counts = [...total].map(([outcome, count]) => `${outcome} ${count}`).join(', ');
  process.stdout.write(`seeds ${runSeed} to ${seed - 1}: ${checked} moments checked; ${counts}\n`);
  return total;
}

it.each([
  ['after each transaction of one writer', { writers: 1, onlyOrderly: false }, 0.3, 20],
  ['in every snapshot that others can see, while many write at once', { writers: 6, onlyOrderly: false }, 0.4, 50],
  ['and no two writers deadlock that write as docs/writers.md says', { writers: 6, onlyOrderly: true }, 0.3, 20],
])(
  'everything derived is correct, for random writers of every kind, %s',
  async (_, writers, share, least) => {
    const counts = await runEpisodes(writers, share);
    expect(counts.get('done')).toBeGreaterThan(least);
    if (writers.onlyOrderly) expect(counts.get('40P01') ?? 0).toBe(0);
  },
  (minutes + 2) * 60_000,
);
