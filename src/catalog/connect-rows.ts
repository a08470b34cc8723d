import type { Connection } from '../relay/connection';
import { connect } from '../relay/connection';
import type { ConnectionArguments } from '../relay/connection-arguments';
import type { CursorCodec } from '../relay/cursor';
import type { Projection, RawRow } from './rows/projection';
import type { RowList } from './rows/shop-rows';

/** Arguments of a field that is a page of rows. */
export interface RowConnectionArguments extends ConnectionArguments {
  /** What the nodes show, when they are column-only (passthrough/rewrite-document.ts); no client can give it. */
  readonly projection?: Projection;
}

/** Reads the page that the arguments ask for: as rows, or as the JSON texts that a projection asks for. */
export const connectRows = <Row>(
  list: RowList<Row>,
  given: RowConnectionArguments,
  cursors: CursorCodec,
  binding: string,
): Promise<Connection<Row | RawRow>> =>
  given.projection === undefined
    ? connect(list, given, cursors, binding)
    : connect(list.raw(given.projection), given, cursors, binding);
