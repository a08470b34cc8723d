import type { Registry } from 'prom-client';
import { Histogram } from 'prom-client';

type Observe = (seconds: number) => void;

/** Any other method is counted as `other`: methods that clients invent must not create series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/**
 * `http_request_duration_seconds`: the one instrument that every request updates, so its series are looked up and not
 * described again each time.
 */
export function createRequestDurations(registry: Registry) {
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of the request line to the last byte of the response handed over, by operation, method and status.',
    labelNames: ['operation', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const series = new Map<string, Map<string, Map<number, Observe>>>();

  const find = (operation: string, method: string, status: number): Observe => {
    const byMethod = getOrAdd(series, operation, () => new Map<string, Map<number, Observe>>());
    const byStatus = getOrAdd(byMethod, method, () => new Map<number, Observe>());
    return getOrAdd(byStatus, status, () => {
      const child = histogram.labels(operation, method, String(status));
      return (seconds) => child.observe(seconds);
    });
  };
  return (operation: string, method: string, status: number, seconds: number): void =>
    find(operation, methods.has(method) ? method : 'other', status)(seconds);
}

function getOrAdd<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
