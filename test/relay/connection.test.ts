import type { ConnectionArguments, KeysetList } from '../../src/relay/connection';
import { connect, createCursorCodec } from '../../src/relay/connection';
import { fc } from '../support/properties';

const cursors = createCursorCodec(['a secret of at least thirty-two characters']);

/** A list of numbers in ascending order, read the way a database reads by keyset. */
const listOf = (numbers: readonly number[]): KeysetList<number> => ({
  positionOf: (number) => [null, String(number)],
  count: () => Promise.resolve(numbers.length),
  hasAny: async (range) => (await listOf(numbers).read(range)).items.length > 0,
  read: ({ after, before, limit, backwards }) => {
    const found = numbers.filter(
      (number) => (!after || number > Number(after[1])) && (!before || number < Number(before[1])),
    );
    const items = backwards ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit);
    return Promise.resolve({ items, isShortened: false });
  },
});

const page = async (numbers: readonly number[], given: ConnectionArguments) => {
  const { nodes, edges, pageInfo, totalCount } = await connect(listOf(numbers), given, cursors, 'numbers');
  return {
    nodes,
    cursors: edges().map((edge) => edge.cursor()),
    hasNextPage: await pageInfo.hasNextPage(),
    hasPreviousPage: await pageInfo.hasPreviousPage(),
    startCursor: pageInfo.startCursor(),
    endCursor: pageInfo.endCursor(),
    totalCount: await totalCount(),
  };
};

const cursorOf = (number: number): string => cursors.seal('numbers', [null, String(number)]);

describe('a connection (GraphQL Cursor Connections Specification)', () => {
  it('reports the pages around it as the whole list has them, in both directions, for every bound', async () => {
    const numbers = fc.uniqueArray(fc.nat(40), { maxLength: 12 }).map((list) => list.sort((a, b) => a - b));
    const size = fc.integer({ min: 1, max: 6 });
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), size, fc.option(fc.nat(11)), async (all, backwards, count, at) => {
        const bound = at === null ? undefined : all[at];
        const cursor = bound === undefined ? null : cursorOf(bound);
        const given = backwards ? { last: count, before: cursor } : { first: count, after: cursor };
        const stretch = all.filter((number) => bound === undefined || (backwards ? number < bound : number > bound));
        const nodes = backwards ? stretch.slice(-count) : stretch.slice(0, count);
        const [start, end] = [nodes[0], nodes.at(-1)];
        fc.pre(start !== undefined && end !== undefined);
        expect(await page(all, given)).toEqual({
          nodes,
          cursors: nodes.map(cursorOf),
          hasNextPage: all.some((number) => number > end),
          hasPreviousPage: all.some((number) => number < start),
          startCursor: cursorOf(start),
          endCursor: cursorOf(end),
          totalCount: all.length,
        });
      }),
    );
  });

  it('is empty and reports its neighbors when no item is requested', async () => {
    expect(await page([1, 2], { first: 0 })).toMatchObject({ nodes: [], hasNextPage: true, startCursor: null });
    expect(await page([1, 2], { last: 0 })).toMatchObject({ nodes: [], hasPreviousPage: true, endCursor: null });
    expect(await page([], {})).toMatchObject({ nodes: [], hasNextPage: false, hasPreviousPage: false });
  });

  it('reads between two cursors', async () => {
    expect((await page([1, 2, 3, 4, 5], { after: cursorOf(1), before: cursorOf(5) })).nodes).toEqual([2, 3, 4]);
  });

  it.each<[string, ConnectionArguments]>([
    ['a negative size', { first: -1 }],
    ['more than 200 items', { first: 201 }],
    ['more than 200 items from the end', { last: 201 }],
    ['both directions at once', { first: 1, last: 1 }],
    ['a cursor that was never given out', { after: 'x' }],
    ['an empty cursor', { before: '' }],
  ])('refuses %s with BAD_USER_INPUT', async (_, given) => {
    await expect(page([1], given)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  });
});
