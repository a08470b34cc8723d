import DataLoader from 'dataloader';
import type { Cancellation } from '../common/cancellation';
import type { Database, ShopVersions } from './database';
import type { Sql } from './sql';

/** Reads the JSON that a statement returns: one row, one column, as text; null when there is no row. */
export async function readJson<Result>(
  database: Pick<Database, 'readRows'>,
  statement: Sql,
  cancellation?: Cancellation,
  at?: ShopVersions,
): Promise<Result | null> {
  const [row] = await database.readRows(statement, cancellation, at);
  const json = row?.[0];
  return typeof json === 'string' ? (JSON.parse(json) as Result) : null;
}

export interface CoalescedReadOptions<Key, Value> {
  /**
   * Reads many keys with one statement; results are in the order of the keys. An error is thrown only to the caller of
   * its key.
   */
  readonly readMany: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>;
  readonly maximumKeys: number;
  /** Maximum number of statements in flight; further keys wait for one to finish. */
  readonly maximumInFlight: number;
  /** A statement that hangs delays the keys behind it no longer than this. */
  readonly maximumDelayMilliseconds: number;
}

/**
 * Calls that arrive close together, or while other reads are in flight, share a statement. The statement always begins
 * after the calls that it answers, and nothing is cached, so sharing never makes a result older.
 */
export function createCoalescedRead<Key, Value>(
  options: CoalescedReadOptions<Key, Value>,
): (key: Key) => Promise<Value> {
  const { readMany, maximumKeys, maximumInFlight, maximumDelayMilliseconds } = options;
  const waiting = new Set<() => void>();
  let inFlight = 0;

  const startWaiting = () => {
    for (const start of waiting) {
      if (inFlight >= maximumInFlight) return;
      start();
    }
  };

  const loader = new DataLoader<Key, Value>(
    async (keys) => {
      inFlight += 1;
      try {
        return await readMany(keys);
      } finally {
        inFlight -= 1;
        startWaiting();
      }
    },
    {
      cache: false,
      maxBatchSize: maximumKeys,
      // Called when the first key of a batch arrives; the batch collects keys until `dispatch`.
      batchScheduleFn(dispatch) {
        const start = () => {
          clearTimeout(timer);
          waiting.delete(start);
          dispatch();
        };
        const timer = setTimeout(start, maximumDelayMilliseconds);
        waiting.add(start);
        // After the sockets have been polled, so that requests that arrived together are all included.
        setImmediate(startWaiting);
      },
    },
  );
  return (key) => loader.load(key);
}
