import { once } from 'node:events';
import type { Config } from '../config/config';
import { loadConfig, loadGatewayConfig } from '../config/config';
import { openDatabase } from '../database/open-database';
import type { App } from '../http/server/open-server';
import type { Log } from '../observability/log';
import { createLog, failureFields } from '../observability/log';
import type { GatewayOptions } from './open-gateway';
import { maskText } from '../privacy/masked-line';
import { createClusterRateLimiter } from '../rate-limit/cluster-rate-limiter';
import { onConnectionError, requestLimits, warmUp } from './provide-everything';
import { closeOnSignal } from './shutdown-handlers';
import { describeRefusal } from './serve-app';
import { stderr } from '../common/terminal';
import type { Refusal, StartOrder } from './worker-messages';

interface OpenApp {
  readonly app: App;
  readonly config: Config;
  readonly log: Log;
  readonly close: () => Promise<void>;
}

const createLocalRateLimiter = (config: Config, log: Log) =>
  createClusterRateLimiter({
    points: config.rateLimitRequests,
    onDegraded: (error) =>
      log.warn(
        failureFields(error),
        'the primary process is not responding; this worker enforces the rate limit on its own',
      ),
  });

/**
 * The primary has prepared the database. It may be unavailable when a worker is replaced: the new worker then answers
 * 503, as the others do.
 */
async function openCatalog(url: string, demoApiKey: string | undefined): Promise<OpenApp> {
  const config = loadConfig();
  const log = createLog(config);
  const database = openDatabase({
    url,
    poolSize: config.databasePoolSize,
    onError: onConnectionError(log),
    ...requestLimits(config),
  });
  const localRateLimiter = createLocalRateLimiter(config, log);
  const { createApp } = await import('../app.js');
  const app = await createApp(config, { database, log, localRateLimiter, demoApiKey });
  await warmUp(database, config);
  return { app, config, log, close: () => database.close() };
}

async function openGatewayWorker(options: GatewayOptions): Promise<OpenApp> {
  const { config } = loadGatewayConfig({});
  const log = createLog(config);
  const { openGateway } = await import('./open-gateway.js');
  const localRateLimiter = options.limitsRate ? createLocalRateLimiter(config, log) : undefined;
  const app = await openGateway(config, options, { log, localRateLimiter });
  return { app, config, log, close: () => Promise.resolve() };
}

/** Runs one of the processes of `--workers`. */
async function runWorker(order: StartOrder): Promise<void> {
  const opened =
    order.kind === 'gateway' ? openGatewayWorker(order.gateway) : openCatalog(order.databaseUrl, order.demoApiKey);
  const { app, config, log, close } = await opened;
  await app.listen();

  // A terminal and a supervisor signal all processes of a group, and the primary passes on the signal that it gets:
  // whichever arrives first starts the shutdown.
  closeOnSignal(app, { config, log, close });
}

/** The first message: others follow only once the worker listens. */
const startOrder = once(process, 'message') as Promise<[StartOrder]>;

void startOrder
  .then(([order]) => runWorker(order))
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
