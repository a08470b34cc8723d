import type { Connection, ConnectionArguments, CursorCodec, Edge, PageInfo } from '../relay/connection';
import { connect } from '../relay/connection';
import type { Catalog } from './catalog';
import type { Projection, RawRow } from './rows/projection';
import type { RowList, ShopRows } from './rows/shop-rows';

/**
 * The text that binds a cursor to its list (D10): the same shop, resource, filters and order yield the same text, in both APIs. A condition
 * that does not restrict is ignored: absent, null, or an empty `query` (D5).
 */
export function toBinding(shopId: string, resource: string, filter: object, order: readonly unknown[]): string {
  const conditions = Object.entries(filter)
    .filter(([name, value]) => value !== null && value !== undefined && !(name === 'query' && value === ''))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([shopId, resource, conditions, ...order]);
}

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

/** Arguments of a field that lists the objects of the shop. */
export interface ListArguments<Filter, SortKey> extends RowConnectionArguments {
  readonly filter?: Filter | null;
  readonly sortKey: SortKey;
  readonly reverse: boolean;
}

/**
 * The resolver of a field that lists the objects of the shop.
 * @param resource The name that binds cursors to the list (see filter-binding).
 * @param toOrder The part of the arguments that the cursors depend on beside the filter.
 */
export const listResolver =
  <Filter extends object, SortKey, Row>(
    resource: string,
    list: (rows: ShopRows, filter: Filter, given: ListArguments<Filter, SortKey>) => RowList<Row>,
    toOrder = ({ sortKey, reverse }: ListArguments<Filter, SortKey>): readonly unknown[] => [sortKey, reverse],
  ) =>
  (_: unknown, given: ListArguments<Filter, SortKey>, { principal, rows, cursors }: Catalog) => {
    const filter = given.filter ?? ({} as Filter);
    const binding = toBinding(principal.shop.id, resource, filter, toOrder(given));
    return connectRows(list(rows, filter, given), given, cursors, binding);
  };

/** Every connection type resolves in the same way: see src/relay/connection.ts. */
const connection = {
  edges: <Item>(page: Connection<Item>) => page.edges(),
  totalCount: (page: Connection<unknown>) => page.totalCount(),
};

const edge = { cursor: (item: Edge<unknown>) => item.cursor() };

export const connectionResolvers = {
  ProductConnection: connection,
  ProductEdge: edge,
  VariantConnection: connection,
  VariantEdge: edge,
  CollectionConnection: connection,
  CollectionEdge: edge,
  OrderConnection: connection,
  OrderEdge: edge,
  PageInfo: {
    hasNextPage: (info: PageInfo) => info.hasNextPage(),
    hasPreviousPage: (info: PageInfo) => info.hasPreviousPage(),
    startCursor: (info: PageInfo) => info.startCursor(),
    endCursor: (info: PageInfo) => info.endCursor(),
  },
};
