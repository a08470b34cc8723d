import { createLocalGateway } from '../../graph/graphql-server';
import { createOperationMaker } from '../../graph/operations';
import type { FederateCatalogOptions } from './catalog-gateway';
import { createCatalogGateway } from './catalog-gateway';
import { createCatalogSubgraph } from './catalog-subgraph';

/** Creates the catalog as a part of larger graphs. */
export function federateCatalog(options: FederateCatalogOptions) {
  const { graph, config } = options;
  const catalog = createCatalogSubgraph();
  const isGateway = config.supergraphFile !== undefined || config.subgraphs.length > 0;
  return {
    gateway: isGateway ? createCatalogGateway(catalog, options) : undefined,
    // Not cached: introspection of this schema would be stored as that of the schema for clients.
    subgraph:
      config.subgraphSecret === undefined
        ? undefined
        : createLocalGateway({
            schema: catalog.schema,
            toOperation: createOperationMaker(catalog.schema),
            execute: graph.executeWritten,
          }),
  };
}
