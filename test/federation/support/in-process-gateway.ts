import type { ExecutionResult } from 'graphql';
import { execute, parse, validate } from 'graphql';
import { composeSubgraphs } from '../../../src/federation/supergraph/compose-subgraphs';
import { createGatewayExecutor } from '../../../src/federation/gateway/create-gateway-executor';
import type { GatewayExecutor, GatewayExecutorOptions } from '../../../src/federation/gateway/gateway-operation';
import type { SubgraphExecutor } from '../../../src/federation/subgraph-executor';
import type { SubgraphOptions } from './build-subgraph';
import type { ScalarParsers } from '../../../src/federation/supergraph/public-schema';
import { buildSubgraph } from './build-subgraph';
import { readSupergraphNow } from './read-supergraph';

const link = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [
  "@key", "@requires", "@provides", "@external", "@shareable", "@override", "@inaccessible", "@interfaceObject",
  "@requiresScopes", "@authenticated", "@policy", "@tag"
])`;

export interface TestGateway {
  readonly gateway: GatewayExecutor;
  /** The requests that the subgraphs received, in order: `name: document`, and the variables. */
  readonly calls: { readonly subgraph: string; readonly query: string; readonly variables: unknown }[];
  run(
    query: string,
    options?: { variables?: Record<string, unknown>; operationName?: string; context?: unknown },
  ): Promise<ExecutionResult>;
}

export type TestSubgraphs = Readonly<Record<string, SubgraphOptions>>;

/** An executor that runs a schema with graphql-js. */
export function schemaExecutor(schema: Parameters<typeof execute>[0]['schema']): SubgraphExecutor {
  return ({ document, variables, operationName, context }) =>
    execute({
      schema,
      document,
      variableValues: variables,
      contextValue: context,
      operationName: operationName ?? null,
    });
}

const gateways = new Set<GatewayExecutor>();
afterAll(() => {
  for (const gateway of gateways) gateway.retire();
});

/**
 * Composes subgraphs, with the federation link added to each, and runs them in this process. Only for valid operations.
 */
export function createTestGateway(
  subgraphs: TestSubgraphs,
  options: Partial<GatewayExecutorOptions> & { readonly local?: string; readonly scalars?: ScalarParsers } = {},
): TestGateway {
  const calls: TestGateway['calls'] = [];
  const built = Object.entries(subgraphs).map(
    ([name, subgraph]) => [name, buildSubgraph({ ...subgraph, typeDefs: `${link}\n${subgraph.typeDefs}` })] as const,
  );
  const executors = new Map(
    built.map(([name, { schema }]): [string, SubgraphExecutor] => {
      const run = schemaExecutor(schema);
      return [
        name,
        (request) => {
          calls.push({ subgraph: name, query: request.query, variables: request.variables });
          return run(request);
        },
      ];
    }),
  );
  const executorOf = (name: string) => {
    const executor = executors.get(name);
    if (executor === undefined) throw new Error(`no subgraph ${name}`);
    return executor;
  };
  const { local, scalars, ...rest } = options;
  const gateway = createGatewayExecutor({
    supergraph: readSupergraphNow(
      composeSubgraphs(built.map(([name, { sdl }]) => ({ name, url: `http://${name}.test`, sdl }))),
      scalars,
    ),
    executorFor: executorOf,
    ...(local !== undefined && { localSubgraph: { name: local, execute: executorOf(local) } }),
    ...rest,
  });
  gateways.add(gateway);
  return {
    gateway,
    calls,
    run(query, { variables = {}, operationName, context } = {}) {
      const document = parse(query);
      const errors = validate(gateway.schema, document);
      if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
      return gateway.execute({ document, source: query, variables, operationName, context });
    },
  };
}

/** As a client receives it: plain JSON. */
export const toJson = (result: ExecutionResult): unknown => JSON.parse(JSON.stringify(result));
