import { makeExecutableSchema } from '@graphql-tools/schema';
import { parse } from 'graphql';
import type { Catalog } from '../../src/catalog/catalog';
import { startAfterYield, WorkPauses } from '../../src/common/fair-queue';
import { createPlainOperationMaker } from '../../src/graph/operations';

/** Counts the turns of the event loop while `work` runs. */
function countTurns() {
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  setImmediate(next);
  return { current: () => turn, stop: () => void (isOver = true) };
}

describe('long work in turns of the event loop', () => {
  it('starts one piece per turn, whatever the queues of the pieces', async () => {
    const turns = countTurns();
    const startedAt = await Promise.all(
      Array.from(
        { length: 50 },
        (_, index) =>
          new Promise<number>((resolve) => startAfterYield(`shop ${index % 3}`, () => resolve(turns.current()))),
      ),
    );
    turns.stop();
    expect(new Set(startedAt).size).toBe(startedAt.length);
  });

  it('starts queues round robin: a piece waits for at most one of each other queue', async () => {
    const started: string[] = [];
    const start = (lane: string) =>
      new Promise<void>((resolve) => startAfterYield(lane, () => (started.push(lane), resolve())));
    await Promise.all([...Array.from({ length: 100 }, () => start('loud')), start('quiet'), start('quiet')]);
    expect(started.indexOf('quiet')).toBeLessThanOrEqual(2);
    expect(started.lastIndexOf('quiet')).toBeLessThanOrEqual(4);
  });

  it('starts an operation of one page immediately, however large the page is', () => {
    const turns = new WorkPauses('shop');
    expect(turns.take(10_000)).toBeUndefined();
    expect(turns.hasWaited).toBe(false);
  });

  it('resolves few objects in a turn, however they are nested', async () => {
    const clock = countTurns();
    const resolvedIn = new Map<number, number>();
    const later = <Value>(value: Value) => new Promise<Value>((resolve) => setImmediate(() => resolve(value)));
    const schema = makeExecutableSchema({
      typeDefs:
        'type Query { page: Page! list: [Thing!]! } type Page { nodes: [Thing!]! } type Thing { id: Int! parts: [Thing!]! }',
      resolvers: {
        Query: {
          page: () => later({ nodes: Array.from({ length: 200 }, (_, id) => ({ id })) }),
          list: () => later(Array.from({ length: 200 }, (_, id) => ({ id }))),
        },
        Thing: {
          id: ({ id }: { id: number }) => {
            resolvedIn.set(clock.current(), (resolvedIn.get(clock.current()) ?? 0) + 1);
            return id;
          },
          parts: () => later(Array.from({ length: 7 }, (_, id) => ({ id }))),
        },
      },
    });
    const source = `{ ${Array.from({ length: 5 }, (_, n) => `p${n}: page { nodes { id parts { id } } } l${n}: list { id }`).join(' ')} }`;
    const operation = createPlainOperationMaker(schema)(source, parse(source));
    const { errors } = await operation.run({ pauses: new WorkPauses('shop') } as Catalog, {});
    clock.stop();
    expect(errors).toBeUndefined();
    // A part of a list of 50 may begin when 99 objects have been resolved.
    expect(Math.max(...resolvedIn.values())).toBeLessThan(150);
    expect([...resolvedIn.values()].reduce((sum, objects) => sum + objects, 0)).toBe(5 * (200 * 8 + 200));
  });
});
