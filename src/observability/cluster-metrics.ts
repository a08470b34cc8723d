import type { Registry } from 'prom-client';
import { AggregatorRegistry } from 'prom-client';

/** In a worker: gives its metrics to the primary whenever that asks. */
export function shareWithPrimary(registries: readonly Registry[]): void {
  AggregatorRegistry.setRegistries([...registries]);
  new AggregatorRegistry();
}

/**
 * In the primary: the metrics of all workers as one process's. They share a port, so asking at it would tell of another worker each
 * time, and counters that go up and down are no counters.
 */
export function createClusterMetrics(): { readonly contentType: string; readonly read: () => Promise<string> } {
  const registry = new AggregatorRegistry();
  return { contentType: registry.contentType, read: () => registry.clusterMetrics() };
}
