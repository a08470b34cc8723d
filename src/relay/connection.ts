import type { ConnectionArguments } from './connection-arguments';
import { parseConnectionArguments } from './connection-arguments';
import type { CursorCodec } from './cursor';
import type { KeysetList, KeysetRange } from './position';

/** An item and a function that makes its cursor, called only when the cursor is selected. */
export interface Edge<Item> {
  readonly node: Item;
  cursor(): string;
}

/** What the fields of PageInfo resolve to. Each field is computed only when it is selected. */
export interface PageInfo {
  hasNextPage(): boolean | Promise<boolean>;
  hasPreviousPage(): boolean | Promise<boolean>;
  startCursor(): string | null;
  endCursor(): string | null;
}

/** A page of a list in the shape of the Relay specification. */
export interface Connection<Item> {
  readonly nodes: readonly Item[];
  edges(): readonly Edge<Item>[];
  readonly pageInfo: PageInfo;
  totalCount(): Promise<number>;
}

/**
 * Reads the page that the arguments describe. One item more than requested shows whether there is another page; so does an item that the
 * answer has no room for (docs/decisions.md 41).
 */
export async function connect<Item>(
  list: KeysetList<Item>,
  given: ConnectionArguments,
  cursors: CursorCodec,
  binding: string,
): Promise<Connection<Item>> {
  const range = parseConnectionArguments(given, cursors, binding);
  const { items, isShortened } = await list.read({ ...range, limit: range.limit + 1 });
  const isLonger = items.length > range.limit;
  const nodes = isLonger ? (range.backwards ? items.slice(1) : items.slice(0, range.limit)) : items;
  const isCut = isLonger || isShortened;
  const cursorOf = (item: Item): string => cursors.seal(binding, list.positionOf(item));
  const [start, end] = [nodes[0], nodes.at(-1)];

  return {
    nodes,
    edges: () => nodes.map((node) => ({ node, cursor: () => cursorOf(node) })),
    pageInfo: {
      hasNextPage: () => (range.backwards ? hasItemsAfter(list, range, end) : isCut),
      hasPreviousPage: () => (range.backwards ? isCut : hasItemsBefore(list, range, start)),
      startCursor: () => (start === undefined ? null : cursorOf(start)),
      endCursor: () => (end === undefined ? null : cursorOf(end)),
    },
    totalCount: () => list.count(),
  };
}

/**
 * Whether the list continues after a page read backwards. Reads only when the page was bounded. For an empty page only
 * its bound is known, and an item was there when that cursor was issued.
 */
async function hasItemsAfter<Item>(
  list: KeysetList<Item>,
  range: KeysetRange,
  end: Item | undefined,
): Promise<boolean> {
  if (range.before === undefined || end === undefined) return range.before !== undefined;
  return list.hasAny({ after: list.positionOf(end), before: undefined, limit: 1, backwards: false });
}

/** The counterpart of `hasItemsAfter`, for a page read forwards. */
async function hasItemsBefore<Item>(
  list: KeysetList<Item>,
  range: KeysetRange,
  start: Item | undefined,
): Promise<boolean> {
  if (range.after === undefined || start === undefined) return range.after !== undefined;
  return list.hasAny({ after: undefined, before: list.positionOf(start), limit: 1, backwards: true });
}
