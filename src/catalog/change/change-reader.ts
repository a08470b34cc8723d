import { ApiError } from '../../errors/api-error';
import type { ShopRows } from '../rows/shop-rows';
import { withTypeName, factsOf } from '../rows/shop-tables';
import type { TypedObject, ObjectType } from '../rows/shop-tables';
import type { ChangePosition } from './change-position';
import { behindVersion, epochOf, noEpoch, positionBehind, positionOfStart } from './change-position';
import type { ChangeEntry, HistoryAnswer } from '../rows/feed-rows';

/** An object that changed. */
export interface ObjectChange {
  readonly type: ObjectType;
  readonly id: string;
  /** Null when it is deleted: the reader may never have been allowed to see the object. */
  readonly externalId: unknown;
  readonly deleted: boolean;
  /** Null when it is deleted. */
  readonly node: (TypedObject & { readonly id: string }) | null;
  readonly version: bigint;
}

/** A section of the feed and the positions in it. */
interface ChangePage {
  readonly changes: readonly ObjectChange[];
  /** Whether more changes follow. */
  readonly hasMore: boolean;
  readonly end: ChangePosition;
  positionOf(change: ObjectChange): ChangePosition;
}

interface ChangePageRequest {
  readonly types: readonly ObjectType[];
  readonly after: ChangePosition | undefined;
  readonly limit: number;
}

/**
 * Reads the changes after a position. Reads nothing if the position already includes the version of the caller's
 * authentication.
 * @throws ApiError RESYNC_REQUIRED when the shop's data was reset to an earlier state after the position was issued,
 *   or PostgreSQL restarted before a position of `after=now` was used
 */
export async function readChanges(rows: ShopRows, { types, after, limit }: ChangePageRequest): Promise<ChangePage> {
  if (after?.kind === behindVersion && after.seen !== null && rows.feed.isAtVersion(String(after.version))) {
    return { changes: [], hasMore: false, end: after, positionOf: () => after };
  }
  // The cursor does not show what the client has seen since; only the primary knows whether it was restored meanwhile.
  if (after?.seen === null) checkHistory(after, await rows.feed.primaryHistory(after.epoch));
  const read = await rows.feed.changes(
    { types, after: after ?? positionOfStart, limit: limit + 1 },
    after?.epoch ?? null,
  );
  if (after !== undefined) checkHistory(after, read);
  const epoch = epochOf(read.history);
  const changes = read.entries.slice(0, limit).map(toChange);
  const seen = read.version;
  const positionOf = ({ version, type, id }: ObjectChange): ChangePosition => ({
    epoch,
    seen,
    run: null,
    version,
    kind: factsOf[type].kind,
    id,
  });
  const hasMore = read.entries.length > limit || read.isShortened;
  const last = changes.at(-1);
  const end = !hasMore
    ? positionBehind(epoch, seen)
    : last
      ? positionOf(last)
      : (after ?? { epoch, seen, run: null, ...positionOfStart });
  return { changes, hasMore, end, positionOf };
}

/**
 * The position for a client that starts now: the version of its authentication. Changes that commit before its
 * first read are both in the data that it reads and after the position.
 */
export async function readEndOfChanges(rows: ShopRows, version: string): Promise<ChangePosition> {
  const { history } = await rows.feed.primaryHistory(null);
  const [, hasWitness, , , run] = history;
  return positionBehind(epochOf(history), BigInt(version), null, hasWitness === false ? run : null);
}

const toChange = ({ type, id, version, row }: ChangeEntry): ObjectChange => ({
  type,
  id,
  externalId: row?.externalId ?? null,
  deleted: row === null,
  node: row && withTypeName(factsOf[type].typename, row),
  version: BigInt(version),
});

interface HistoryRead {
  readonly history: HistoryAnswer;
  readonly version: bigint;
}

/**
 * A reader that has seen nothing beyond the version from which its shop's next epoch continued has missed nothing.
 *
 * If the cursor does not record what the reader has seen, it is accepted only if none of that can have been lost: the
 * epoch of the cursor is the latest and has a witness; or, if the shop has not been written since the server started,
 * the server still runs, and the next epoch, if any, continued from the reader's version.
 */
function checkHistory({ epoch, seen, run, version }: ChangePosition, { history, version: now }: HistoryRead): void {
  const [latest, hasWitness, asked, wentOnFrom, runNow] = history;
  const isKnown = asked !== null || (epoch === noEpoch && latest === null);
  const isBehindUs = (seen ?? version) <= now;
  const isOurs =
    seen !== null
      ? wentOnFrom === null || seen <= BigInt(wentOnFrom)
      : run === null
        ? wentOnFrom === null && hasWitness !== false
        : (runNow === null || runNow === run) && (wentOnFrom === null || BigInt(wentOnFrom) === version);
  if (isKnown && isBehindUs && isOurs) return;
  throw new ApiError('RESYNC_REQUIRED', `after: ${seen === null ? lostStart : lostPosition} ${howToStartAgain}`);
}

/** An unused `changesCursor` does not show which changes its client has read. */
const lostStart =
  'this `changesCursor` is no longer valid. PostgreSQL or the feed was restarted after it was issued, so changes may have been lost.';
const lostPosition =
  'this cursor is no longer valid. Changes that it covers were lost in a restore, a failover or a crash, or the feed was restarted.';
const howToStartAgain =
  'Start over: get a new `Shop.changesCursor` (REST: `GET /changes?after=now`), read all objects, then continue from that cursor.';
