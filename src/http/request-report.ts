import type { Log } from '../log';
import type { Metrics } from '../observability/metrics';
import type { EndedRequest } from './http-dependencies';

/**
 * Counts a request that is over and writes its line. Paths, query strings, headers and bodies stay out: they hold what clients
 * type, and ids of customers' things. Client and shop ids are no secrets.
 */
export const createRequestReport =
  (log: Log, metrics: Pick<Metrics, 'requestEnded'>) =>
  ({ requestId, method, operation, status, seconds, principal, traceId, isCutOff }: EndedRequest): void => {
    metrics.requestEnded(operation, method, status, seconds);
    if (!log.isLevelEnabled('info')) return;
    const line = {
      requestId,
      method,
      operation,
      status,
      durationMs: Math.round(seconds * 1e6) / 1000,
      clientId: principal?.clientId,
      shopId: principal?.shop.id,
      traceId,
      cutOff: isCutOff === true ? true : undefined,
    };
    log.info(line, 'request');
  };
