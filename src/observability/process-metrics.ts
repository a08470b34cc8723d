import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * What prom-client tells about the process itself: CPU, memory, event-loop lag, garbage collection. Once per process, however
 * many applications run in it: its observers cannot be taken back.
 */
export function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}
