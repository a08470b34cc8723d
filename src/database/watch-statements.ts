import { performance } from 'node:perf_hooks';
import type { Pool, QueryConfig, QueryResult } from 'pg';
import { traceCall } from '../observability/tracing';

/** Called once when a statement completes or fails; the wait for a connection is part of its time. */
export type StatementWatcher = (seconds: number) => void;

type RunStatement = (statement: QueryConfig) => Promise<QueryResult>;

/**
 * Times and traces the statements that the driver adapter sends to the pool. Statements inside a transaction bypass it:
 * requests have none.
 */
export function watchStatements(pool: Pool, watcher: () => StatementWatcher | undefined): void {
  const run = pool.query.bind(pool) as RunStatement;
  const watched: RunStatement = (statement) => {
    const startedAt = performance.now();
    const result = traceCall(
      () => describeStatement(statement.text),
      () => run(statement),
    );
    const ended = (): void => watcher()?.((performance.now() - startedAt) / 1000);
    result.then(ended, ended);
    return result;
  };
  pool.query = watched as Pool['query'];
}

/**
 * The service's tables: a list, because `FROM` precedes other things too, and so that nothing else can become part of a
 * name.
 */
const tableAfterKeyword =
  /\b(?:FROM|UPDATE|INTO)\s+(?:"?public"?\.)?"?(shops|products|variants|collections|orders|api_keys|_prisma_migrations)\b/gi;

/** The parts of a statement that a span may contain: its verb and its table, never a value. */
function describeStatement(text: string) {
  const verb = /\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';
  const tables = [...text.matchAll(tableAfterKeyword)].map(([, name]) => name);
  // The shop's row is read together with rows of other tables, for their version.
  const table = tables.find((name) => name !== 'shops') ?? tables[0];
  return {
    name: table === undefined ? verb : `${verb} ${table}`,
    attributes: {
      'db.system.name': 'postgresql',
      'db.operation.name': verb,
      ...(table !== undefined && { 'db.collection.name': table }),
    },
  };
}
