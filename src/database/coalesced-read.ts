import DataLoader from 'dataloader';

export interface CoalescedReadOptions<Key, Value> {
  /** One statement for many keys; answers in their order. An error is thrown to the caller of its key alone. */
  readonly readMany: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>;
  readonly maximumKeys: number;
  /** Statements under way before keys have to wait for one to finish. */
  readonly maximumUnderWay: number;
  /** A statement that hangs delays the keys behind it no longer than this. */
  readonly patienceMilliseconds: number;
}

/**
 * Reads of calls that come close together, or while others are under way, share a statement. The statement always
 * begins after the calls it answers and nothing is kept afterwards, so sharing never makes an answer older.
 */
export function createCoalescedRead<Key, Value>(
  options: CoalescedReadOptions<Key, Value>,
): (key: Key) => Promise<Value> {
  const { readMany, maximumKeys, maximumUnderWay, patienceMilliseconds } = options;
  const waiting = new Set<() => void>();
  let underWay = 0;

  const startWaiting = () => {
    for (const start of waiting) {
      if (underWay >= maximumUnderWay) return;
      start();
    }
  };

  const loader = new DataLoader<Key, Value>(
    async (keys) => {
      underWay += 1;
      try {
        return await readMany(keys);
      } finally {
        underWay -= 1;
        startWaiting();
      }
    },
    {
      cache: false,
      maxBatchSize: maximumKeys,
      // Called when the first key of a batch comes; the batch goes on collecting keys until `dispatch`.
      batchScheduleFn(dispatch) {
        const start = () => {
          clearTimeout(patience);
          waiting.delete(start);
          dispatch();
        };
        const patience = setTimeout(start, patienceMilliseconds);
        waiting.add(start);
        // After the sockets' turn: requests that arrived together are all in.
        setImmediate(startWaiting);
      },
    },
  );
  return (key) => loader.load(key);
}
