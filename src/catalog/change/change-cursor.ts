import type { CursorCodec } from '../../relay/connection';
import { toBinding } from '../catalog';
import type { HistoryAnswer } from '../rows/change-statement';
import { epochOf, positionBehind, toKeyset } from './change-position';

/** Cursors of `changesCursor` are valid for any types: they mark a version. */
export const toStartBinding = (shopId: string): string => toBinding(shopId, 'changes', {}, []);

/** The cursor behind everything that a snapshot of this version holds. @param history Of the same snapshot. */
export const sealEndOfSnapshot = (
  cursors: CursorCodec,
  shopId: string,
  history: HistoryAnswer,
  version: string,
): string => cursors.seal(toStartBinding(shopId), toKeyset(positionBehind(epochOf(history), BigInt(version))));
