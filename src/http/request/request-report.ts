import type { Log } from '../../log';
import type { ConnectionLoss, Metrics } from '../../observability/metrics';
import type { EndedRequest } from '../http-dependencies';

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

const told: Readonly<Record<ConnectionLoss, string>> = {
  stalled: 'a client that stopped reading was cut off',
  evicted: 'all connections are taken: an idle one was closed',
  dropped: 'all connections are taken: a new one was refused (MAX_CONNECTIONS)',
};

const pauseMilliseconds = 60_000;

/** Counts the connections that the server ended or refused, and says so at most once a minute for each reason. */
export function createConnectionReport(
  log: Log,
  metrics: Pick<Metrics, 'connectionLost'>,
): (loss: ConnectionLoss) => void {
  const toldAt: Partial<Record<ConnectionLoss, number>> = {};
  return (loss) => {
    metrics.connectionLost(loss);
    const now = performance.now();
    if (now - (toldAt[loss] ?? -Infinity) < pauseMilliseconds) return;
    toldAt[loss] = now;
    log.warn({ loss }, told[loss]);
  };
}
