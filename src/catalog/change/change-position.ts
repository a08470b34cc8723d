import type { CursorCodec, Position } from '../../relay/connection';
import { toBinding } from '../catalog';
import type { HistoryAnswer, PositionInFeed } from '../rows/feed-rows';

/**
 * A position in the change feed, with what is needed to check whether the shop's history still leads there
 * (docs/decisions.md 95).
 */
export interface ChangePosition extends PositionInFeed {
  /** The history in which the cursor was issued. */
  readonly epoch: string;
  /** The version of everything that the reader can have seen; null when it is unknown. */
  readonly seen: bigint | null;
  /** The run of the server, if the history had no witness when the cursor was issued; otherwise null. */
  readonly run: string | null;
}

/** A shop without one was not created by SQL, so nothing can be concluded from it. */
export const noEpoch = '00000000-0000-0000-0000-000000000000';
export const epochOf = ([epoch]: HistoryAnswer): string => epoch ?? noEpoch;

/** After every object of a version. */
export const behindVersion = 9;

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The position after everything that a snapshot of this version contains. */
export const positionBehind = (
  epoch: string,
  version: bigint,
  seen: bigint | null = version,
  run: string | null = null,
): ChangePosition => ({
  epoch,
  seen,
  run,
  version,
  kind: behindVersion,
  id: lastId,
});

/** Before everything: objects older than the feed have version 0. */
export const positionOfStart: PositionInFeed = {
  version: -1n,
  kind: behindVersion,
  id: lastId,
};

/** Encodes a position for a cursor. */
export const toCursorPosition = ({ epoch, seen, run, version, kind, id }: ChangePosition): Position => [
  [epoch, seen ?? '', version, kind, ...(run === null ? [] : [run])].join(' '),
  id,
];

/** Decodes the position in a cursor. Needs no checks: cursors are sealed, so `toCursorPosition` made it. */
export function toChangePosition([text, id]: Position): ChangePosition {
  const [epoch = '', seen = '', version = '', kind = '', run = null] = (text ?? '').split(' ');
  return { epoch, seen: seen === '' ? null : BigInt(seen), run, version: BigInt(version), kind: Number(kind), id };
}

/** The binding of cursors that mark a version, such as `changesCursor`: they are valid for any types. */
export const toBindingOfAnyTypes = (shopId: string): string => toBinding(shopId, 'changes', {}, []);

/** The cursor after everything in a snapshot of this version. @param history Of the same snapshot. */
export const sealEndOfSnapshot = (
  cursors: CursorCodec,
  shopId: string,
  history: HistoryAnswer,
  version: string,
): string =>
  cursors.seal(toBindingOfAnyTypes(shopId), toCursorPosition(positionBehind(epochOf(history), BigInt(version))));
