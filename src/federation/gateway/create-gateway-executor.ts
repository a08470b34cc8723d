import type { DocumentNode } from 'graphql';
import { parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { AuthorizedDocument } from '../authorization/authorize-document';
import { createDocumentAuthorizer } from '../authorization/document-authorizer';
import { readScopeRequirements } from '../authorization/scope-requirements';
import { createIsolatedPlanner } from '../plan/isolated-planner';
import { createQueryPlans } from '../plan/query-plans';
import type { SubgraphExecutor } from '../subgraph-executor';
import { readLocalFields } from '../supergraph/local-fields';
import { publicSchema } from '../supergraph/public-schema';
import type { SupergraphGraph } from '../supergraph/supergraph-graphs';
import { supergraphGraphs } from '../supergraph/supergraph-graphs';
import { createTypeCondition } from '../supergraph/type-conditions';
import { executeLocal } from './execute-local';
import { executePlanned } from './execute-planned';
import type { GatewayExecutor, GatewayExecutorOptions, GatewayOperation } from './gateway-operation';
import { createDocumentPreparer } from './prepared-document';
import type { PlannedEnvironment } from './prepared-operation';

/**
 * Makes any Federation 2 supergraph executable: operations that the subgraph in this process can answer alone go there,
 * all others are planned, run on the subgraphs, and their answers put together.
 * @throws Error when the SDL is no supergraph.
 */
export function createGatewayExecutor(options: GatewayExecutorOptions): GatewayExecutor {
  const { supergraphSdl, localSubgraph, callerOf, maxPlans = 1000, random = Math.random } = options;
  const supergraph = parse(supergraphSdl, { noLocation: true });
  const graphs = supergraphGraphs(supergraph);
  const schema = publicSchema(supergraph, options.scalars);
  const planner = createIsolatedPlanner(supergraphSdl);
  const overridePercentages = readOverridePercentages(supergraphSdl);
  const environment: PlannedEnvironment = {
    schema,
    plans: createQueryPlans({ planner, overridePercentages, maxPlans, random }),
    executors: executorsOf(graphs, options),
    localSubgraph: localSubgraph?.name,
    isOfType: createTypeCondition(schema),
    documentOf: createDocumentCache(maxPlans),
  };
  const localKey = graphs.find(({ name }) => name === localSubgraph?.name)?.key;
  const prepare = createDocumentPreparer(
    schema,
    localKey === undefined ? undefined : readLocalFields(supergraph, localKey),
  );
  const authorize = createDocumentAuthorizer(schema, readScopeRequirements(supergraph));

  return {
    schema,
    supergraphSdl,
    ready: () => planner.load(),
    retire: () => planner.retire(),
    async execute(client: GatewayOperation) {
      const { document, denied }: AuthorizedDocument =
        callerOf === undefined
          ? { document: client.document, denied: new Map() }
          : authorize(client.document, callerOf(client.context));
      const prepared = { client, original: prepare(client.document), asked: prepare(document), denied };
      return localSubgraph !== undefined && prepared.asked.isLocal
        ? executeLocal(localSubgraph, prepared, environment)
        : executePlanned(prepared, environment);
    },
  };
}

const executorsOf = (
  graphs: readonly SupergraphGraph[],
  { executorFor, localSubgraph }: GatewayExecutorOptions,
): ReadonlyMap<string, SubgraphExecutor> =>
  new Map(
    graphs.map(({ name, url }) => [
      name,
      name === localSubgraph?.name ? localSubgraph.execute : executorFor(name, url),
    ]),
  );

/** `@override(label: "percent(30)")`, as composers write it into a supergraph. */
const readOverridePercentages = (supergraphSdl: string): readonly number[] =>
  [...supergraphSdl.matchAll(/\boverrideLabel:\s*"percent\(([\d.]+)\)"/g)].map(([, share]) => Number(share));

/** Parses the documents of plans once each. Bounded like the plans that they come from, which hold a few each. */
function createDocumentCache(maxPlans: number): (source: string) => DocumentNode {
  const documents = new LRUCache<string, DocumentNode>({ max: maxPlans * 4 });
  return (source) => {
    const known = documents.get(source);
    if (known !== undefined) return known;
    const document = parse(source, { noLocation: true });
    documents.set(source, document);
    return document;
  };
}
