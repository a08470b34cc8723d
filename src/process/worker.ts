import { createApp } from '../app';
import type { Config } from '../config/config';
import { loadConfig } from '../config/config';
import { openDatabase } from '../database/open-database';
import { createLog, reasonOf } from '../observability/log';
import { maskText } from '../privacy/masked-line';
import { createClusterRateLimiter } from '../rate-limit/cluster-rate-limiter';
import { onConnectionError, requestLimits, warmUp } from './provide-everything';
import { drainMilliseconds, installShutdownHandlers } from './shutdown-handlers';
import { describeRefusal } from './refusal';
import { stderr } from '../common/terminal';
import type { Refusal, StartOrder } from './worker-messages';
import { isStartOrder, isStopOrder } from './worker-messages';

/**
 * Runs one of the processes that answer requests behind `serve --workers`. The primary has prepared the database. The
 * database may be unavailable when a worker is replaced: the new worker then answers 503, as the others do.
 */
async function runWorker(config: Config, { databaseUrl: url, demoApiKey }: StartOrder): Promise<void> {
  const log = createLog(config);
  const { databasePoolSize: poolSize } = config;
  const database = openDatabase({ url, poolSize, onError: onConnectionError(log), ...requestLimits(config) });
  const localRateLimiter = createClusterRateLimiter({
    points: config.rateLimitRequests,
    onDegraded: (error) => log.warn(reasonOf(error), 'the primary does not respond: this worker limits on its own'),
  });
  const app = await createApp(config, { database, log, localRateLimiter, demoApiKey });
  await warmUp(database, config);
  await app.listen();

  let drainDelay = config.shutdownDelayMs;
  // A terminal and a supervisor signal all processes of a group, and the primary sends its own order to stop. Whichever
  // arrives first starts the shutdown; none forces it.
  const { stopNow } = installShutdownHandlers({
    config,
    log,
    handlesSignals: false,
    async stop() {
      await app.close(drainMilliseconds, drainDelay);
      await database.close();
    },
  });
  let isStopping = false;
  const stopOnce = (drainDelayMilliseconds: number): void => {
    if (isStopping) return;
    isStopping = true;
    drainDelay = drainDelayMilliseconds;
    stopNow();
  };
  process.on('message', (message: unknown) => {
    if (isStopOrder(message)) stopOnce(message.drainDelayMilliseconds);
  });
  process.on('SIGTERM', () => stopOnce(config.shutdownDelayMs));
  process.on('SIGHUP', () => stopOnce(config.shutdownDelayMs));
  process.on('SIGINT', () => stopOnce(0));
}

const startOrder = new Promise<StartOrder>((resolve) => {
  const take = (message: unknown): void => {
    if (!isStartOrder(message)) return;
    process.off('message', take);
    resolve(message);
  };
  process.on('message', take);
});

void startOrder
  .then((order) => runWorker(loadConfig(), order))
  .catch((error: unknown) => {
    const { text, isForPeople } = describeRefusal(error);
    const reason = maskText(text);
    const end = (): never => process.exit(1);
    // Reported once: the primary ends with this message, or logs it when the worker is a replacement.
    if (isForPeople && process.send !== undefined) {
      process.send({ type: 'refusal', name: (error as Error).name, reason } satisfies Refusal, end);
      return;
    }
    stderr.write(`${reason}\n`);
    end();
  });
