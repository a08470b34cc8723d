import { ApiError } from '../errors/api-error';
import type { CursorCodec } from './cursor';
import type { KeysetRange, Position } from './position';

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

function parsePageSize(name: string, value: number): number {
  if (value >= 0 && value <= maximumPageSize) return value;
  throw new ApiError('BAD_USER_INPUT', `${name}: expected a whole number from 0 to ${maximumPageSize}, got ${value}.`);
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
    `${name}: expected a cursor that this list returned, with the same filters and order.`,
  );
}
