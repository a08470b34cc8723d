import type { Position } from '../../relay/position';
import type { PlaceInFeed } from '../rows/change-statement';

/** A place in the change feed, and what is needed to tell whether the shop's history still leads there (docs/decisions.md 95). */
export interface ChangePlace extends PlaceInFeed {
  /** The history that the cursor was given out in. */
  readonly epoch: string;
  /** The version of everything that the reader can have seen; null when that is not known. */
  readonly seen: bigint | null;
}

/** Behind every object of a version. */
export const behindVersion = 9;

const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The place behind everything that a snapshot of this version holds. */
export const placeBehind = (epoch: string, version: bigint, seen: bigint | null = version): ChangePlace => ({
  epoch,
  seen,
  version,
  kind: behindVersion,
  id: lastId,
});

/** Before everything: version 0 is that of objects that are older than the feed. */
export const placeOfStart: PlaceInFeed = {
  version: -1n,
  kind: behindVersion,
  id: lastId,
};

/** As cursors hold positions. */
export const toPosition = ({ epoch, seen, version, kind, id }: ChangePlace): Position => [
  [epoch, seen ?? '', version, kind].join(' '),
  id,
];

/** The position must come from `toPosition`: cursors are sealed. */
export function toPlace([text, id]: Position): ChangePlace {
  const [epoch = '', seen = '', version = '', kind = ''] = (text ?? '').split(' ');
  return { epoch, seen: seen === '' ? null : BigInt(seen), version: BigInt(version), kind: Number(kind), id };
}
