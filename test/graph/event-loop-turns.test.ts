import { makeExecutableSchema } from '@graphql-tools/schema';
import { parse } from 'graphql';
import { setImmediate as immediate } from 'node:timers/promises';
import type { Catalog } from '../../src/catalog/catalog';
import { WorkPauses, yieldToLoop } from '../../src/common/fair-queue';
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
      Array.from({ length: 50 }, (_, index) => yieldToLoop(`shop ${index % 3}`).then(() => turns.current())),
    );
    turns.stop();
    expect(new Set(startedAt).size).toBe(50);
  });

  it('starts queues round robin: a piece waits for at most one of each other queue', async () => {
    const started: string[] = [];
    const start = (lane: string) => yieldToLoop(lane).then(() => started.push(lane));
    await Promise.all([...Array.from({ length: 100 }, () => start('loud')), start('quiet'), start('quiet')]);
    expect(started.indexOf('quiet')).toBeLessThanOrEqual(2);
    expect(started.lastIndexOf('quiet')).toBeLessThanOrEqual(4);
  });

  it('starts an operation immediately, however large its page is, unless others have used up the turn', async () => {
    const [loud, quiet] = [new WorkPauses('loud'), new WorkPauses('quiet')];
    expect(loud.take(10_000)).toBeUndefined();
    for (const end = performance.now() + 10; performance.now() < end;);
    await quiet.take(1);
    expect([loud.hasWaited, quiet.hasWaited]).toEqual([false, true]);
    expect(quiet.take(1)).toBeUndefined();
  });

  it('resolves few objects in a turn, however they are nested', async () => {
    const clock = countTurns();
    const resolvedIn = new Map<number, number>();
    const later = async <Value>(value: Value) => immediate(value);
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
    // A part of a list of 50 may begin when 49 objects have been resolved.
    expect(Math.max(...resolvedIn.values())).toBeLessThan(100);
    expect([...resolvedIn.values()].reduce((sum, objects) => sum + objects, 0)).toBe(5 * (200 * 8 + 200));
  });
});
