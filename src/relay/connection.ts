import type { ConnectionArguments } from './connection-arguments';
import { parseConnectionArguments } from './connection-arguments';
import type { CursorCodec } from './cursor';
import type { KeysetList, KeysetRange } from './position';

/** An item and the means to make its cursor, made only when it is selected. */
export interface Edge<Item> {
  readonly node: Item;
  cursor(): string;
}

/** What the fields of PageInfo resolve to. Each costs something only when it is selected. */
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
 * Reads the page that the arguments ask for: one item more than asked tells whether there is another page.
 * @param binding What the list's cursors belong to: shop, resource and filters.
 */
export async function connect<Item>(
  list: KeysetList<Item>,
  given: ConnectionArguments,
  cursors: CursorCodec,
  binding: string,
): Promise<Connection<Item>> {
  const range = parseConnectionArguments(given, cursors, binding);
  const found = await list.read({ ...range, limit: range.limit + 1 });
  const isCut = found.length > range.limit;
  const nodes = isCut ? (range.backwards ? found.slice(1) : found.slice(0, range.limit)) : found;
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
 * Whether the list goes on behind a page read backwards. Costs a read of one item, and only when the page was bounded at all.
 * Of an empty page nothing is known but its bound, and an item stood there when its cursor was given out.
 */
async function hasItemsAfter<Item>(
  list: KeysetList<Item>,
  range: KeysetRange,
  end: Item | undefined,
): Promise<boolean> {
  if (range.before === undefined || end === undefined) return range.before !== undefined;
  const next = await list.read({ after: list.positionOf(end), before: undefined, limit: 1, backwards: false });
  return next.length > 0;
}

/** The mirror image, for a page read forwards. */
async function hasItemsBefore<Item>(
  list: KeysetList<Item>,
  range: KeysetRange,
  start: Item | undefined,
): Promise<boolean> {
  if (range.after === undefined || start === undefined) return range.after !== undefined;
  const previous = await list.read({ after: undefined, before: list.positionOf(start), limit: 1, backwards: true });
  return previous.length > 0;
}
