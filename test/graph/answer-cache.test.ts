import { createAnswerCache } from '../../src/graph/create-graph';
import { fc } from '../support/properties';

const kilobyte = Buffer.alloc(1000);
const now = (shopId: string) => ({ shopId, dataVersion: '10' });

/** Requests a response twice, after which it is cached. */
type AnswerCache = ReturnType<typeof createAnswerCache>;

function keep(cache: AnswerCache, ...answer: Parameters<AnswerCache['set']>): void {
  cache.set(...answer);
  cache.set(...answer);
}

describe('the cache of responses', () => {
  it('never exceeds its limits, in total and in the memory of one shop, whatever is offered', () => {
    const kept = fc.record({ shop: fc.integer({ min: 0, max: 20 }), key: fc.nat(50), size: fc.nat(6_000) });
    fc.assert(
      fc.property(fc.array(kept, { maxLength: 200 }), (bodies) => {
        const cache = createAnswerCache(20_000, 5_000);
        const held = (shop: number) =>
          Array.from({ length: 51 }, (_, key) => cache.get(`${shop}`, `${key}`)?.buffer.byteLength ?? 0).reduce(
            (a, b) => a + b,
          );
        for (const { shop, key, size } of bodies) {
          // Part of a pool of Node's, if it is small.
          keep(cache, now(`${shop}`), `${key}`, Buffer.allocUnsafe(size));
          expect(cache.countBytes()).toBeLessThanOrEqual(20_000);
          expect(held(shop)).toBeLessThanOrEqual(5_000);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('caches a response when it is made the second time: a single request takes no space', () => {
    const cache = createAnswerCache(100_000, 50_000);
    cache.set(now('shop'), 'page', kilobyte);
    expect(cache.get('shop', 'page')).toBeUndefined();
    expect(cache.countBytes()).toBeLessThan(kilobyte.length);
    cache.set(now('shop'), 'page', kilobyte);
    expect(cache.get('shop', 'page')).toEqual(kilobyte);
    cache.set({ shopId: 'shop', dataVersion: '11' }, 'page of 11', kilobyte);
    expect(cache.get('shop', 'page of 11')).toBeUndefined();
  });

  it('evicts from the shop that holds most: a hundred small ones keep theirs', () => {
    const cache = createAnswerCache(400_000, 200_000);
    for (let shop = 0; shop < 100; shop += 1) keep(cache, now(`small ${shop}`), 'page', kilobyte);
    for (let page = 0; page < 1_000; page += 1) {
      keep(cache, now('large'), `page ${page}`, kilobyte);
      keep(cache, now('larger'), `page ${page}`, kilobyte);
    }
    for (let shop = 0; shop < 100; shop += 1) expect(cache.get(`small ${shop}`, 'page')).toEqual(kilobyte);
    expect(cache.get('large', 'page 999')).toEqual(kilobyte);
    expect(cache.get('large', 'page 0')).toBeUndefined();
  });

  it('evicts the least recently used', () => {
    const cache = createAnswerCache(100_000, 4_000);
    for (const key of ['a', 'b']) keep(cache, now('shop'), key, kilobyte);
    cache.get('shop', 'a');
    keep(cache, now('shop'), 'c', kilobyte);
    expect([cache.get('shop', 'a'), cache.get('shop', 'b'), cache.get('shop', 'c')]).toEqual([
      kilobyte,
      undefined,
      kilobyte,
    ]);
  });

  it('holds one version of a shop: the first body of another one replaces all, also when versions go back', () => {
    const cache = createAnswerCache(100_000, 50_000);
    keep(cache, now('other'), 'page', kilobyte);
    const bytesOfOther = cache.countBytes();
    for (const page of ['1', '2', '3']) keep(cache, { shopId: 'shop', dataVersion: '9' }, `9 ${page}`, kilobyte);
    keep(cache, { shopId: 'shop', dataVersion: '10' }, '10 1', kilobyte);
    const heldOf10 = ['9 1', '9 2', '9 3', '10 1'].filter((key) => cache.get('shop', key) !== undefined);
    expect(heldOf10).toEqual(['10 1']);
    keep(cache, { shopId: 'shop', dataVersion: '9' }, '9 4', kilobyte);
    const held = ['9 1', '9 2', '9 3', '9 4', '10 1'].filter((key) => cache.get('shop', key) !== undefined);
    expect(held).toEqual(['9 4']);
    expect(cache.countBytes()).toBe(2 * bytesOfOther);
    expect(cache.get('other', 'page')).toEqual(kilobyte);
  });
});
