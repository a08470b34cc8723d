import type { DocumentNode } from 'graphql';
import { Kind, parse } from 'graphql';
import { LRUCache } from 'lru-cache';
import { createDocumentAuthorizer } from './authorize-document';
import { anonymous, readScopeRequirements } from '../supergraph/scope-requirements';
import { createIsolatedPlanner } from '../plan/isolated-planner';
import { createPlanKeys } from '../answer/plan-keys';
import { createQueryPlans } from '../plan/query-plans';
import type { SubgraphExecutor } from '../subgraph-executor';
import { readLocalFields } from '../supergraph/local-fields';
import type { SupergraphGraph } from '../supergraph/supergraph-graphs';
import { rootTypes, textOf } from '../sdl-nodes';
import { supergraphGraphs } from '../supergraph/supergraph-graphs';
import { executeLocal } from './execute-local';
import { executePlanned } from './execute-planned';
import type {
  GatewayExecutor,
  GatewayExecutorOptions,
  GatewayOperation,
  PlannedEnvironment,
} from './gateway-operation';
import { createDocumentPreparer } from './prepared-document';
import { getOrMake } from '../../common/once';

/**
 * Creates an executor for any Federation 2 supergraph. Operations that the subgraph in this process can answer alone
 * are sent to it. All others are planned and run on the subgraphs, and their results are merged.
 */
export function createGatewayExecutor(options: GatewayExecutorOptions): GatewayExecutor {
  const { localSubgraph, callerOf = () => anonymous, ownerOf = () => '', random = Math.random } = options;
  const { given, document: supergraph, sdl, schema, types } = options.supergraph;
  const graphs = supergraphGraphs(supergraph);
  const graphKeys = new Map(graphs.map(({ name, key }) => [name, key]));
  const planner = createIsolatedPlanner(sdl);
  const overridePercentages = readOverridePercentages(supergraph);
  const planKey = createPlanKeys(supergraph);
  const environment: PlannedEnvironment = {
    schema,
    planKey,
    plans: createQueryPlans({ planner, overridePercentages, random, customRoots: customRoots(supergraph) }),
    executors: executorsOf(graphs, options),
    localSubgraph: localSubgraph?.name,
    types,
    documentOf: createDocumentCache(),
    ownerOf,
    graphKeyOf: (name) => graphKeys.get(name),
    onMalformedAnswer: options.onMalformedAnswer,
  };
  const localKey = graphs.find(({ name }) => name === localSubgraph?.name)?.key;
  const prepare = createDocumentPreparer(
    schema,
    planKey,
    localKey === undefined ? undefined : readLocalFields(supergraph, localKey),
  );
  const authorize = createDocumentAuthorizer(schema, readScopeRequirements(supergraph));

  return {
    schema,
    supergraphSdl: given,
    ready: () => planner.load(),
    retire: () => planner.retire(),
    async execute(client: GatewayOperation) {
      const { document, denied } = authorize(client.document, callerOf(client.context));
      const prepared = { client, original: prepare(client.document), permitted: prepare(document), denied };
      return localSubgraph !== undefined && prepared.permitted.isLocal
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

function customRoots(supergraph: DocumentNode): ReadonlySet<string> {
  const usual = ['Query', 'Mutation', 'Subscription'];
  return new Set([...rootTypes(supergraph).values()].filter((name) => !usual.includes(name)));
}

/** `@override(label: "percent(30)")`, as composers write it into a supergraph. */
function readOverridePercentages(supergraph: DocumentNode): readonly number[] {
  const percentages: number[] = [];
  for (const definition of supergraph.definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    for (const join of definition.fields?.flatMap(({ directives }) => directives ?? []) ?? []) {
      const share = /^percent\(([\d.]{1,20})\)$/.exec(textOf(join, 'overrideLabel') ?? '')?.[1];
      if (share !== undefined) percentages.push(Number(share));
    }
  }
  return percentages;
}

/** Total characters of the texts whose documents are cached. A document takes some 60 bytes per character. */
const maxDocumentCharacters = 256 * 1024;

/**
 * Parses the documents of plans and caches the most recently used ones. Parsing one again costs less than its fetch.
 */
function createDocumentCache(): (source: string) => DocumentNode {
  const documents = new LRUCache<string, DocumentNode>({
    maxSize: maxDocumentCharacters,
    sizeCalculation: (_, source) => source.length,
  });
  return (source) => getOrMake<string, DocumentNode>(documents, source, () => parse(source, { noLocation: true }));
}
