import type { SubgraphExecutor } from '../subgraph-executor';
import type { RemoteExecutorOptions } from './remote-executor';
import { createRemoteExecutor } from './remote-executor';

/**
 * Creates executors of remote subgraphs, for createGatewayExecutor's `executorFor`. A subgraph keeps its executor, and
 * with it the state of its circuit breaker, when the supergraph is reloaded.
 * @param optionsOf options for requests to a subgraph; the same for all, or by name.
 */
export function createRemoteExecutors(
  optionsOf: (name: string) => Omit<RemoteExecutorOptions, 'name' | 'url'>,
): (name: string, url: string) => SubgraphExecutor {
  const executors = new Map<string, SubgraphExecutor>();
  return (name, url) => {
    const key = `${name} ${url}`;
    const known = executors.get(key);
    if (known !== undefined) return known;
    const executor = createRemoteExecutor({ ...optionsOf(name), name, url });
    executors.set(key, executor);
    return executor;
  };
}
