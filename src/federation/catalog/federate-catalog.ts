import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { Config } from '../../config/config';
import type { LocalGraph } from '../../graph/create-graph';
import { createLocalGateway } from '../../graph/local-gateway';
import { createOperationMaker } from '../../graph/operations';
import type { SourceLog } from '../source/supergraph-source';
import type { Timer } from '../../common/timer';
import type { SubgraphWatcher } from '../transport/observed-executors';
import { createCatalogGateway } from './catalog-gateway';
import { createCatalogSubgraph } from './catalog-subgraph';

interface FederateCatalogOptions {
  readonly config: Config;
  readonly graph: LocalGraph;
  /** Documents that must stay valid, whatever other subgraphs add to the graph. */
  readonly documents: Readonly<Record<string, string>>;
  readonly log: SourceLog;
  readonly timer: Timer | undefined;
  readonly onSubgraphAnswered: SubgraphWatcher;
}

/** The parts that the settings enable, each for its own Apollo Server. */
export interface FederatedCatalog {
  /** The catalog with other teams' subgraphs, for clients. */
  readonly gateway: GatewayInterface | undefined;
  /** The catalog alone, for a router elsewhere. */
  readonly subgraph: GatewayInterface | undefined;
}

/** Creates the catalog as a part of larger graphs. */
export function federateCatalog({ config, graph, ...others }: FederateCatalogOptions): FederatedCatalog {
  const { subgraphs, supergraphFile, subgraphSecret, production, routerSecrets } = config;
  const catalog = createCatalogSubgraph();
  const from = supergraphFile === undefined ? { subgraphs } : { file: supergraphFile };
  const isGateway = supergraphFile !== undefined || subgraphs.length > 0;
  return {
    gateway: isGateway
      ? createCatalogGateway({
          graph,
          catalog,
          from,
          production,
          routerSecrets,
          pollMilliseconds: config.subgraphPollSeconds * 1000,
          timeoutMilliseconds: config.subgraphTimeoutMs,
          forwardedHeaders: config.subgraphHeaders,
          ...others,
        })
      : undefined,
    // Not cached: introspection of this schema would be stored as that of the schema for clients.
    subgraph:
      subgraphSecret === undefined
        ? undefined
        : createLocalGateway({
            schema: catalog.schema,
            toOperation: createOperationMaker(catalog.schema),
            execute: graph.executeWritten,
          }),
  };
}
