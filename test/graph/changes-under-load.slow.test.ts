import { createShops, shopDomains } from '../model/operations';
import { Random } from '../model/random';
import type { SessionKind } from '../model/writer-session';
import { hostileSchema, sessionKinds, WriterSession } from '../model/writer-session';
import type { ServiceProcess } from '../support/service-process';
import { killServiceProcesses, patientSettings, startServiceProcess } from '../support/service-process';
import { Mirror, readTruth } from '../support/mirror';
import { seedApiKey } from '../support/seed';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
import { buildCatalog } from '../cli/run-catalog';
import { runSeed as seed } from '../support/run-seed';

/** `CHANGES_ROUNDS=1000 npx jest test/graph/changes-under-load` runs the full test. */
const rounds = Number(process.env['CHANGES_ROUNDS'] ?? 6);
const writers = 16;
const readers = 3;

let db: TestDatabase;
const sessions: WriterSession[] = [];
let service: ServiceProcess;
const random = new Random(seed);

beforeAll(async () => {
  buildCatalog();
  db = await createTestDatabase();
  await db.sql(hostileSchema);
  await db.sql(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 100', current_database()); END $$`,
  );
  const kinds = Object.keys(sessionKinds) as SessionKind[];
  for (let count = 0; count < writers; count += 1) {
    sessions.push(await WriterSession.open(db, kinds[count % kinds.length] as SessionKind));
  }
  service = await start();
});
afterAll(async () => {
  await killServiceProcesses();
  for (const session of sessions) await session.close();
  await db.drop();
});

const start = () => startServiceProcess(db.url, { ...patientSettings, RATE_LIMIT_REQUESTS: '1000000' });

interface Copy {
  readonly shopId: string;
  apiKey: string;
  mirror: Mirror;
}

/** The service was killed, or had no time on a loaded machine: requests the page again. */
const isInterrupted = (error: unknown): boolean =>
  /ECONNREFUSED|ECONNRESET|socket hang up|ended|closed|SERVICE_UNAVAILABLE/.test(
    String((error as Error).cause ?? error),
  );

/** A reader that is killed loses what it had not stored, and continues from its last state and cursor. */
class Reader {
  /** What it would find after being killed. */
  #kept: { readonly cursor: string | null; readonly objects: ReadonlyMap<string, string> };

  constructor(readonly copy: Copy) {
    this.#kept = { cursor: null, objects: new Map() };
  }

  async step(): Promise<void> {
    const { mirror } = this.copy;
    try {
      await mirror.pull(random.pick([1, 2, 7, 200]));
    } catch (error) {
      if (!isInterrupted(error)) throw error;
    }
    if (random.oneIn(4)) this.keep();
    if (random.oneIn(8)) this.kill();
  }

  keep(): void {
    this.#kept = { cursor: this.copy.mirror.cursor, objects: new Map(this.copy.mirror.objects) };
  }

  kill(): void {
    const { mirror } = this.copy;
    mirror.cursor = this.#kept.cursor;
    mirror.objects.clear();
    for (const [key, value] of this.#kept.objects) mirror.objects.set(key, value);
  }
}

async function drain(mirror: Mirror): Promise<void> {
  for (;;) {
    try {
      return void (await mirror.drain(random.pick([2, 50, 200])));
    } catch (error) {
      if (!isInterrupted(error)) throw error;
    }
  }
}

/** Writers may delete a shop and create it again: its readers then start again with a new key. */
async function renew(copies: Map<string, Reader[]>): Promise<void> {
  const shops = await db.sql<{ shop_id: string }>('SELECT shop_id FROM shops WHERE domain = ANY ($1)', [shopDomains]);
  for (const shopId of copies.keys()) if (!shops.some(({ shop_id }) => shop_id === shopId)) copies.delete(shopId);
  for (const { shop_id: shopId } of shops) {
    if (copies.has(shopId)) continue;
    const { apiKey } = await seedApiKey(db.sql, shopId);
    const own = Array.from({ length: readers }, () => {
      const mirror = new Mirror(() => service.origin, apiKey);
      return new Reader({ shopId, apiKey, mirror });
    });
    copies.set(shopId, own);
  }
}

it(
  `copies that follow the feed equal the database after ${rounds} rounds of ${writers} writers, with kills`,
  async () => {
    const copies = new Map<string, Reader[]>();
    let compared = 0;
    let kills = 0;
    for (let round = 0; round < rounds; round += 1) {
      if (round % 6 === 0) await db.sql(createShops(random));
      await db.sql("UPDATE shops SET plan = 'business'");
      await renew(copies);
      let isWriting = true;
      const reading = [...copies].flatMap(([shopId, own]) =>
        own.map(async (reader) => {
          while (isWriting) {
            const [shop] = await db.sql<{ plan: string }>('SELECT plan FROM shops WHERE shop_id = $1', [shopId]);
            if (shop?.plan !== 'business') return; // deleted, or without the API for a while
            await reader.step().catch(async (error: unknown) => {
              if (/UNAUTHORIZED|PLAN_LIMIT_EXCEEDED/.test(String(error))) return;
              // A shop that is deleted between the reads of its key and of its feed has no history.
              const isGone = (await db.sql('SELECT FROM shops WHERE shop_id = $1', [shopId])).length === 0;
              if (isGone && String(error).includes('RESYNC_REQUIRED')) return;
              throw new Error(`seed ${seed}, round ${round}: ${String(error)}`, { cause: error });
            });
          }
        }),
      );
      await Promise.all(
        sessions.map((session) => session.write(new Random(random.integer(2 ** 31)), { onlyOrderly: false })),
      );
      if (random.oneIn(4)) {
        await service.end('SIGKILL');
        kills += 1;
        service = await start();
      }
      isWriting = false;
      await Promise.all(reading);
      await db.sql("UPDATE shops SET plan = 'business'");
      await renew(copies);
      if (round % 100 === 99) process.stdout.write(`seed ${seed}: ${round + 1} rounds\n`);
      for (const [shopId, own] of copies) {
        const truth = await readTruth(db.sql, shopId);
        for (const { copy } of own) {
          await drain(copy.mirror);
          compared += 1;
          if (JSON.stringify(copy.mirror.state()) !== JSON.stringify(truth)) {
            expect({ seed, round, state: copy.mirror.state() }).toEqual({ seed, round, state: truth });
          }
        }
      }
    }
    process.stdout.write(
      `seed ${seed}: ${rounds} rounds, ${compared} copies compared, service killed ${kills} times\n`,
    );
    expect(compared).toBeGreaterThan(rounds);
  },
  60_000 + rounds * 10_000,
);
