import { getOrMake } from '../../common/once';
import { readJson } from '../../database/read-json';
import type { Database } from '../../database/database';
import { sql } from '../../database/sql';

/** Called once, when the shop's data version differs from the given one. */
type OnChanged = () => void;

interface Watcher {
  readonly seen: string;
  readonly onChanged: OnChanged;
}

/** The versions of shops' data by shop id; omits shops that do not exist. */
type ReadVersions = (shopIds: readonly string[]) => Promise<Readonly<Record<string, string>>>;

interface ChangeWatchOptions {
  readonly readVersions: ReadVersions;
  readonly onError: (error: unknown) => void;
  readonly intervalMilliseconds?: number;
}

/**
 * The pause between two statements: including the time of one statement and one page, a change arrives within 1.5 s.
 */
const usualIntervalMilliseconds = 1_000;

/** Watchers that are notified in one turn of the event loop, in some milliseconds. */
const notifiedPerTurn = 1_000;

/**
 * Detects changes to shops' data by any writer: one statement per second reads the versions of all watched shops,
 * regardless of the number of watchers. Without watchers, nothing is queried.
 */
export class ChangeWatch {
  readonly #watchers = new Map<string, Set<Watcher>>();
  #isRunning = false;

  constructor(private readonly options: ChangeWatchOptions) {}

  /**
   * @param seen The version of the caller's last read.
   * @returns a function that ends the watch
   */
  watch(shopId: string, seen: string, onChanged: OnChanged): () => void {
    const watcher = { seen, onChanged };
    getOrMake(this.#watchers, shopId, () => new Set()).add(watcher);
    this.#run();
    return () => this.#remove(shopId, watcher);
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    setTimeout(() => void this.#look(), this.options.intervalMilliseconds ?? usualIntervalMilliseconds).unref();
  }

  async #look(): Promise<void> {
    // A watcher added while the statement runs may have a newer version than its snapshot.
    const asked = [...this.#watchers].map(([shopId, watchers]) => [shopId, [...watchers]] as const);
    try {
      const versions = asked.length === 0 ? {} : await this.options.readVersions(asked.map(([shopId]) => shopId));
      for (const [shopId, watchers] of asked) {
        for (const [index, watcher] of watchers.entries()) {
          if (index % notifiedPerTurn === notifiedPerTurn - 1) await new Promise(setImmediate);
          if (versions[shopId] !== watcher.seen) this.#notify(shopId, watcher);
        }
      }
    } catch (error) {
      this.options.onError(error);
    }
    this.#isRunning = false;
    if (this.#watchers.size > 0) this.#run();
  }

  #notify(shopId: string, watcher: Watcher): void {
    if (this.#remove(shopId, watcher)) watcher.onChanged();
  }

  #remove(shopId: string, watcher: Watcher): boolean {
    const ofShop = this.#watchers.get(shopId);
    const wasThere = ofShop?.delete(watcher) === true;
    if (ofShop?.size === 0) this.#watchers.delete(shopId);
    return wasThere;
  }
}

/** The only statement of a serving process that reads several shops. */
export const readVersionsOf =
  (database: Database): ReadVersions =>
  async (shopIds) =>
    (await readJson<Record<string, string>>(
      database,
      sql`
    SELECT coalesce(json_object_agg(s.shop_id, s.data_version::text), '{}')::text
      FROM shops AS s WHERE s.shop_id = ANY (${[...shopIds]}::uuid[])`,
    )) ?? {};
