import type { Connection, Edge, PageInfo } from '../relay/connection';

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
