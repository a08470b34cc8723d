import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * prom-client's metrics of the process itself: CPU, memory, event-loop lag, garbage collection. Registered once per
 * process, however many applications run in it, because its observers cannot be removed.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
