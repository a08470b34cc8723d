import { EventEmitter } from 'node:events';
import type { Client, PoolClient } from 'pg';
import { BoundedPool, divideConnections } from '../../src/database/bounded-pool';
import { fc } from '../support/properties';

const size = 4;
const patience = 100;

/**
 * How a new connection behaves: how long it takes to open and to report whether it is the primary's, and what it
 * reports.
 */
interface Beginning {
  readonly connects: number;
  readonly verifies: number;
  readonly fails: boolean;
}
const milliseconds = fc.constantFrom(0, patience / 2, patience - 1, patience * 2);
const beginning = fc.record({ connects: milliseconds, verifies: milliseconds, fails: fc.boolean() });
/** For the first connections. Later ones open immediately and correctly. */
const beginnings = fc.array(beginning, { maxLength: 20 });

/** A caller that requests a connection, how long it keeps it, and whether it returns it as broken. */
const caller = fc.record({ shop: fc.constantFrom('a', 'b', undefined), keeps: milliseconds, breaks: fc.boolean() });
/** Some request at the same time, so two may expect the same idle connection. */
const groups = fc.array(
  fc.record({ startsAt: fc.integer({ min: 0, max: patience * 8 }), callers: fc.array(caller, { maxLength: 5 }) }),
  { maxLength: 10 },
);

/** A pool whose connections lead nowhere: the test covers who gets one, and controls the clock. */
function openPool(given: readonly Beginning[]): { pool: BoundedPool; beginWell(): void } {
  let toConnect = given.values();
  let toVerify = given.values();
  const smooth: Beginning = { connects: 0, verifies: 0, fails: false };
  class Connection extends EventEmitter {
    readonly _queryable = true;
    readonly connection = { stream: { destroy: () => this.#fail() } };
    #callback: ((error?: Error) => void) | undefined;

    connect(callback: (error?: Error) => void): void {
      this.#callback = callback;
      setTimeout(() => this.#settle(), (toConnect.next().value ?? smooth).connects);
    }

    end(callback?: () => void): void {
      if (callback !== undefined) setTimeout(callback, 0);
    }

    #fail(): void {
      this.#settle(new Error('cut'));
    }

    #settle(error?: Error): void {
      this.#callback?.(error);
      this.#callback = undefined;
    }
  }
  const config = {
    Client: Connection as unknown as typeof Client,
    max: size,
    connectionTimeoutMillis: patience,
    idleTimeoutMillis: 0,
    verify(_client: PoolClient, done: (error?: Error) => void) {
      const { verifies, fails } = toVerify.next().value ?? smooth;
      setTimeout(() => done(fails ? new Error('not the primary') : undefined), verifies);
    },
  };
  return {
    pool: new BoundedPool(config, 100),
    beginWell() {
      toConnect = toVerify = [].values();
    },
  };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

describe('the pool of connections', () => {
  it('serves each caller once and gets every connection back, however slowly connections open', async () => {
    await fc.assert(
      fc.asyncProperty(beginnings, groups, async (given, asked) => {
        const { pool, beginWell } = openPool(given);
        const answers: number[] = [];
        for (const { startsAt, callers } of asked) {
          const askAll = (): void =>
            callers.forEach(({ shop, keeps, breaks }) => {
              const index = answers.push(0) - 1;
              const ask = (): void =>
                pool.connect((_error, client) => {
                  answers[index]! += 1;
                  if (client !== undefined) setTimeout(() => client.release(breaks), keeps);
                });
              pool.startFor(shop, undefined, ask);
            });
          setTimeout(askAll, startsAt);
        }
        await jest.advanceTimersByTimeAsync(patience * 100);
        expect(answers).toEqual(answers.map(() => 1));
        expect(pool.countWaiting()).toBe(0);

        // All can be opened at once; one shop can only open its share.
        beginWell();
        const { perShop } = divideConnections(size);
        const shops = Array.from({ length: size }, (_, index) => (index < perShop ? 'a' : undefined));
        const taken = Promise.all(shops.map((shop) => pool.startFor(shop, undefined, () => pool.connect())));
        await jest.advanceTimersByTimeAsync(patience * 10);
        await expect(taken).resolves.toHaveLength(size);
      }),
      { numRuns: 200 },
    );
  });
});
