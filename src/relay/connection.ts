import { createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError } from '../errors/api-error';

/**
 * The position of an item in its list: its sort value as text (null sorts last), and its id, which breaks ties. A
 * position does not refer to a row: it stays valid when the row it was taken from is deleted (D10).
 */
export type Position = readonly [sortValue: string | null, id: string];

/** A range of a list in list order. Its bounds are positions outside the range. */
export interface KeysetRange {
  readonly after: Position | undefined;
  readonly before: Position | undefined;
  /** Maximum number of items, counted from the start of the range, or from its end when `backwards`. */
  readonly limit: number;
  readonly backwards: boolean;
}

/** What was read of a range. */
export interface KeysetSection<Item> {
  /** In list order, from the start of the range, or from its end when it was read backwards. */
  readonly items: readonly Item[];
  /**
   * Whether the range has further items within its limit that do not fit in the response. There is at least one item
   * then.
   */
  readonly isShortened: boolean;
}

/** A list that can be read by position, whatever its items are. */
export interface KeysetList<Item> {
  read(range: KeysetRange): Promise<KeysetSection<Item>>;
  /** Whether the range has any item, whatever its limit. */
  hasAny(range: KeysetRange): Promise<boolean>;
  positionOf(item: Item): Position;
  /** Number of items in the whole list. */
  count(): Promise<number>;
}

const version = 1;
const macBytes = 16;

/** Seals positions into opaque cursors and opens them again (D10). */
export interface CursorCodec {
  /**
   * @param binding What the cursor belongs to: shop, resource and filters. The cursor opens only with the same binding.
   */
  seal(binding: string, position: Position): string;
  /**
   * Returns the position, or undefined for anything that `seal` did not create for this binding, without saying why.
   */
  open(binding: string, cursor: string): Position | undefined;
}

/**
 * Creates cursors: base64url of a version byte, a MAC and the position. The MAC (HMAC-SHA256, 128 bits) covers version,
 * binding and position, so that none of them can be changed or exchanged.
 * @param secrets The first one seals, all of them open: secrets can be rotated without breaking pagination in progress.
 */
export function createCursorCodec(secrets: readonly [string, ...string[]]): CursorCodec {
  const mac = (secret: string, binding: string, payload: string): Buffer =>
    createHmac('sha256', secret)
      .update(`${version}\n${binding.length}\n${binding}${payload}`)
      .digest()
      .subarray(0, macBytes);

  return {
    seal(binding, position) {
      const payload = JSON.stringify(position);
      return Buffer.concat([Buffer.of(version), mac(secrets[0], binding, payload), Buffer.from(payload)]).toString(
        'base64url',
      );
    },

    open(binding, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Node's decoder skips invalid characters; a cursor has exactly one spelling.
      if (bytes.length <= 1 + macBytes || bytes[0] !== version || bytes.toString('base64url') !== cursor)
        return undefined;
      const given = bytes.subarray(1, 1 + macBytes);
      const payload = bytes.subarray(1 + macBytes).toString();
      const isOurs = secrets.some((secret) => timingSafeEqual(given, mac(secret, binding, payload)));
      return isOurs ? (JSON.parse(payload) as Position) : undefined;
    },
  };
}

/** Page size when neither `first` nor `last` is given. */
export const defaultPageSize = 50;
const maximumPageSize = 200;

/** Arguments of a connection field (GraphQL Cursor Connections Specification, section 4). */
export interface ConnectionArguments {
  readonly first?: number | null;
  readonly after?: string | null;
  readonly last?: number | null;
  readonly before?: string | null;
}

/**
 * Converts the arguments to a range of the list.
 * @throws ApiError BAD_USER_INPUT for a size outside 0…200, `first` together with `last`, or a cursor of another list.
 */
export function parseConnectionArguments(
  given: ConnectionArguments,
  cursors: CursorCodec,
  binding: string,
): KeysetRange {
  const first = given.first ?? undefined;
  const last = given.last ?? undefined;
  if (first !== undefined && last !== undefined) {
    throw new ApiError('BAD_USER_INPUT', 'first and last are mutually exclusive: expected one of them, got both.');
  }
  return {
    after: parseCursor('after', given.after, cursors, binding),
    before: parseCursor('before', given.before, cursors, binding),
    limit: last === undefined ? parsePageSize('first', first ?? defaultPageSize) : parsePageSize('last', last),
    backwards: last !== undefined,
  };
}

export const isPageSize = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maximumPageSize;

function parsePageSize(name: string, value: number): number {
  if (isPageSize(value)) return value;
  throw new ApiError('BAD_USER_INPUT', `${name}: expected an integer from 0 to ${maximumPageSize}, got ${value}.`);
}

function parseCursor(
  name: string,
  text: string | null | undefined,
  cursors: CursorCodec,
  binding: string,
): Position | undefined {
  if (text === null || text === undefined) return undefined;
  const position = cursors.open(binding, text);
  if (position !== undefined) return position;
  // One message for every defect: clients do not learn which part of a cursor is wrong (D10).
  throw new ApiError(
    'BAD_USER_INPUT',
    `${name}: expected a cursor returned by this list with the same filters and sort order.`,
  );
}

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
 * Reads the page that the arguments describe. One item more than requested shows whether there is another page; so does
 * an item that does not fit in the response (docs/decisions.md 41).
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
