import type { SubgraphOutcome } from '../../observability/metrics';
import { traceCall } from '../../observability/tracing';
import type { SubgraphExecutor, SubgraphResult } from '../subgraph-executor';
import { TransportError } from './transport-error';

/** Called for every request to a subgraph, by its configured name, and when polling its SDL starts or stops failing. */
export type SubgraphWatcher = (name: string, outcome: SubgraphOutcome, isPoll?: boolean) => void;

/** Creates executors that report the outcome of each request, and run it inside its own span. */
export const observeExecutors =
  <Arguments extends readonly unknown[]>(
    executorFor: (name: string, ...others: Arguments) => SubgraphExecutor,
    watcher: SubgraphWatcher,
  ): ((name: string, ...others: Arguments) => SubgraphExecutor) =>
  (name, ...others) => {
    const execute = executorFor(name, ...others);
    return (request) =>
      traceCall(
        () => ({ name: `subgraph ${name}`, attributes: { 'graphql.operation.type': request.operationKind } }),
        async () => {
          const result = await execute(request);
          // A disconnected client is not an outcome of the subgraph.
          if (request.cancellation?.endReason === undefined) watcher(name, toOutcome(result));
          return result;
        },
      );
  };

function toOutcome({ errors }: SubgraphResult): SubgraphOutcome {
  if (errors === undefined || errors.length === 0) return 'ok';
  return errors.some(({ originalError }) => originalError instanceof TransportError) ? 'failed' : 'errors';
}
