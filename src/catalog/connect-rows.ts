import type { Connection } from '../relay/connection';
import { connect } from '../relay/connection';
import type { ConnectionArguments } from '../relay/connection-arguments';
import type { CursorCodec } from '../relay/cursor';
import type { Projection } from './projection';
import type { RowList } from './shop-rows';

/** Arguments of a field that is a page of rows. */
export interface RowConnectionArguments extends ConnectionArguments {
  /** What the nodes show, when they are nothing but columns (src/graph/finished-nodes.ts); no client can give it. */
  readonly projection?: Projection;
}

/** Reads the page that the arguments ask for: as rows, or as finished ones where nobody looks into them. */
export function connectRows<Row>(
  list: RowList<Row>,
  given: RowConnectionArguments,
  cursors: CursorCodec,
  binding: string,
): Promise<Connection<Row>> {
  if (given.projection === undefined) return connect(list, given, cursors, binding);
  // Who asks with a projection takes the nodes as what they are, and the resolvers of rows never see them.
  const finished: Promise<Connection<unknown>> = connect(list.finished(given.projection), given, cursors, binding);
  return finished as Promise<Connection<Row>>;
}
