import { createRequire } from 'node:module';
import type { QueryPlanner } from '@graphql-hive/router-query-planner' with { 'resolution-mode': 'import' };

type QueryPlannerConstructor = new (supergraphSdl: string) => QueryPlanner;

/** The query planner is a native module that does not exist for this platform. */
export class QueryPlannerUnavailable extends Error {
  override readonly name = 'QueryPlannerUnavailable';

  constructor(cause: unknown) {
    super(
      `Federation needs the native module @graphql-hive/router-query-planner, which does not load on ` +
        `${process.platform}-${process.arch}. It exists for Linux with glibc (x64, arm64) and macOS (x64, arm64). ` +
        'Without subgraphs, everything else works.',
      { cause },
    );
  }
}

/**
 * Loads the planner only when there is a supergraph to plan for: a service without subgraphs runs on platforms that the
 * module was not built for.
 * @throws QueryPlannerUnavailable
 */
export function loadQueryPlanner(load: (name: string) => unknown = createRequire(__filename)): QueryPlannerConstructor {
  try {
    const module = load('@graphql-hive/router-query-planner') as { readonly QueryPlanner: QueryPlannerConstructor };
    return module.QueryPlanner;
  } catch (cause) {
    throw new QueryPlannerUnavailable(cause);
  }
}
