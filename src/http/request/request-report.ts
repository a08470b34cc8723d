import type { Log } from '../../observability/log';
import type { ConnectionLoss, Metrics } from '../../observability/metrics';
import type { EndedRequest } from '../http-dependencies';

/**
 * Counts a completed request and writes its log line. Paths, query strings, headers and bodies are left out: they
 * contain what clients type, and ids of customers' data. Client and shop ids are not secret.
 */
export const createRequestReport =
  (log: Log, metrics: Pick<Metrics, 'requestEnded'>) =>
  ({ requestId, method, operation, status, seconds, principal, traceId, bytes, isCutOff }: EndedRequest): void => {
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
      bytes,
      cutOff: isCutOff === true ? true : undefined,
    };
    log.info(line, 'request');
  };

const warnings: Readonly<Record<ConnectionLoss, string>> = {
  stalled: 'a client that read too little was disconnected',
  evicted: 'all connections are in use: one that kept the service waiting was closed',
  dropped: 'all connections are in use: a new one was refused (MAX_CONNECTIONS)',
};

const pauseMilliseconds = 60_000;

/** Counts the connections that the server ended or refused, and logs it at most once a minute for each reason. */
export function createConnectionReport(
  log: Log,
  metrics: Pick<Metrics, 'connectionLost'>,
): (loss: ConnectionLoss) => void {
  const loggedAt: Partial<Record<ConnectionLoss, number>> = {};
  return (loss) => {
    metrics.connectionLost(loss);
    const now = performance.now();
    if (now - (loggedAt[loss] ?? -Infinity) < pauseMilliseconds) return;
    loggedAt[loss] = now;
    log.warn({ loss }, warnings[loss]);
  };
}
