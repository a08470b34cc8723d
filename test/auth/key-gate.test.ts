import { createKeyGate } from '../../src/auth/authenticator';
import type { KeyRecord } from '../../src/auth/authenticator';
import { createMemoryRateLimiter, watchSpentBuckets } from '../../src/rate-limit/rate-limiter';

const address = { shopId: 'shop', clientId: 'id' };
const found = {} as KeyRecord;

/** A gate over a table of rows that the test changes. Counts the reads of each kind. */
function createBench() {
  let now = 1_000_000;
  const clock = () => now;
  const { rateLimiter, isSpent } = watchSpentBuckets(createMemoryRateLimiter({ points: 2 }), clock);
  let row: KeyRecord | undefined;
  const readKey = jest.fn(() => Promise.resolve(row));
  const readSuspectKey = jest.fn(() => Promise.resolve(row));
  const gate = createKeyGate({ readKey, readSuspectKey, isSpent });
  return {
    reads: () => [readKey.mock.calls.length, readSuspectKey.mock.calls.length],
    setRow: (next: KeyRecord | undefined) => void (row = next),
    moveClock: (milliseconds: number) => void (now += milliseconds),
    find: (credential: string, bucket = 'ip:a') =>
      gate.find({ credential, nameBucket: () => bucket, now }, (read) => read(address)),
    refuse: (bucket = 'ip:a') => rateLimiter.consume(bucket),
  };
}

describe('the gate before reads of keys', () => {
  it('reads credentials that it has not refused, separately from the reads of other callers', async () => {
    const { find, refuse, reads, setRow } = createBench();
    await refuse();
    await refuse();
    setRow(found);
    expect(await find('right')).toBe(found);
    expect(await find('right')).toBe(found);
    expect(reads()).toEqual([0, 2]);
  });

  it('forgets refusals when the window ends', async () => {
    const { find, refuse, reads, setRow, moveClock } = createBench();
    await find('key');
    await refuse();
    await refuse();
    setRow(found);
    moveClock(58_999);
    expect(await find('key')).toBeUndefined();
    moveClock(1001);
    expect(await find('key')).toBe(found);
    expect(reads()).toEqual([2, 0]);
  });

  it('remembers a bounded number of refusals, and reads evicted ones again', async () => {
    const { find, refuse, reads } = createBench();
    await refuse();
    await refuse();
    for (let index = 0; index <= 20_000; index++) await find(`wrong ${index}`);
    expect(reads()).toEqual([0, 20_001]);
    await find('wrong 20000');
    expect(reads()).toEqual([0, 20_001]);
    await find('wrong 0');
    expect(reads()).toEqual([0, 20_002]);
  });
});
