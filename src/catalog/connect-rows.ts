import type { Connection } from '../relay/connection';
import { connect } from '../relay/connection';
import type { ConnectionArguments } from '../relay/connection-arguments';
import type { CursorCodec } from '../relay/cursor';
import type { Projection, RawRow } from './rows/projection';
import type { RowList } from './rows/shop-rows';

/** Arguments of a field that is a page of rows. */
export interface RowConnectionArguments extends ConnectionArguments {
  /** The projection of the nodes, when they are column-only (passthrough/rewrite-document.ts); clients cannot set it. */
  readonly projection?: Projection;
}

/** Reads the page for the arguments: as rows, or as the JSON texts of a projection. */
export const connectRows = <Row>(
  list: RowList<Row>,
  given: RowConnectionArguments,
  cursors: CursorCodec,
  binding: string,
): Promise<Connection<Row | RawRow>> =>
  given.projection === undefined
    ? connect(list, given, cursors, binding)
    : connect(list.raw(given.projection), given, cursors, binding);
