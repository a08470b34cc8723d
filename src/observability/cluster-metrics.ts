import type { Registry } from 'prom-client';
import { AggregatorRegistry } from 'prom-client';

/** In a worker: sends its metrics to the primary on request. */
export function shareWithPrimary(registries: readonly Registry[]): void {
  AggregatorRegistry.setRegistries([...registries]);
  new AggregatorRegistry();
}

/**
 * In the primary: aggregates the metrics of all workers into those of one process. Workers share a port, so each scrape
 * of that port would reach a different worker, and counters would go up and down.
 */
export function createClusterMetrics(): { readonly contentType: string; readonly read: () => Promise<string> } {
  const registry = new AggregatorRegistry();
  return { contentType: registry.contentType, read: () => registry.clusterMetrics() };
}
