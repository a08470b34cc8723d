import cluster from 'node:cluster';
import type { Address, Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Config } from '../config/config';
import { ConfigError } from '../config/config-error';
import { placeDemoPictures } from '../demo/demo-shop';
import { ListenError } from '../errors/listen-error';
import { createMetricsServer } from '../http/server/open-server';
import type { Log } from '../observability/log';
import { createLog } from '../observability/log';
import { createClusterMetrics } from '../observability/metrics';
import { serveClusterRateLimiters } from '../rate-limit/cluster-rate-limiter';
import { announceAddress, announceDemo } from './serve-app';
import { provideEverything } from './provide-everything';
import { drainDelayMilliseconds, installShutdownHandlers } from './shutdown-handlers';
import type { StartOrder, StopOrder } from './worker-messages';
import { isRefusal } from './worker-messages';

const shortestBackoffMilliseconds = 100;
const longestBackoffMilliseconds = 5_000;
/** A worker that has lived this long did not fail at startup. */
const healthyMilliseconds = 10_000;

interface WorkersOptions {
  readonly count: number;
  readonly startOrder: StartOrder;
  /** Variables of the workers besides those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Of the address that is announced. */
  readonly path?: string;
  /** Called when all of them accept requests, before the address is announced and after it. */
  readonly prepare?: (port: number) => Promise<unknown>;
  readonly onListening?: (port: number) => void;
  /** Closes what the workers use. */
  readonly close: () => Promise<void>;
}

/**
 * Serves with several processes that share one port, and replaces workers that die. This process counts for all workers
 * when there is no Redis, and serves no requests itself.
 */
export async function runWorkers(config: Config, log: Log, options: WorkersOptions): Promise<void> {
  const { count, path, prepare, onListening = () => undefined, close } = options;
  serveClusterRateLimiters(config.rateLimitRequests);
  const crew = createCrew(config, log, options);
  const metricsServer = config.metricsPort === undefined ? undefined : createMetricsServer(createClusterMetrics());
  const { removeHandlers } = installShutdownHandlers({
    config,
    log,
    onSecondSignal: crew.kill,
    async stop(signal) {
      await crew.stop(drainDelayMilliseconds(config, signal));
      await metricsServer?.close();
      await close();
    },
  });
  try {
    const { address, port } = await crew.start(count);
    await metricsServer?.listen(config, log);
    await prepare?.(port);
    announceAddress(config, address, port, path);
    onListening(port);
  } catch (error) {
    // A shutdown during startup is already in progress.
    if (crew.isStopping()) return;
    removeHandlers();
    crew.kill();
    await close();
    throw error;
  }
}

/** As the catalog: this process prepares the database. */
export async function runCatalogWorkers(config: Config, count: number): Promise<void> {
  const log = createLog(config);
  const { database, demoApiKey } = await provideEverything(config, log);
  const originOf = (port: number) => config.publicUrl ?? `http://localhost:${port}`;
  await runWorkers(config, log, {
    count,
    startOrder: { type: 'start', kind: 'catalog', databaseUrl: database.url, demoApiKey },
    prepare: async (port) => demoApiKey && placeDemoPictures(database, originOf(port)),
    onListening: (port) => announceDemo(originOf(port), config, demoApiKey),
    close: () => database.close(),
  });
}

function createCrew(config: Config, log: Log, { startOrder, environment }: WorkersOptions) {
  let stopping = false;
  let hasStarted = false;
  let portSetting = config.port;
  let sharedPort = 0;
  let backoff = shortestBackoffMilliseconds;
  const pending = new Set<NodeJS.Timeout>();
  const listening = new WeakSet<Worker>();
  // Workers accept connections themselves. If the primary distributed them round robin, a connection on its way to a
  // worker that dies would be lost and its client would wait forever. A worker that hangs accepts none.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ exec: join(__dirname, 'worker.js'), args: [] });

  const fork = (): Worker => {
    const bornAt = Date.now();
    // Workers that listen on the same port share it, 0 included, until the last of them has exited. Then the port is
    // requested by its number, so that clients find the replacements.
    if (hasStarted && livingWorkers().length === 0) portSetting = sharedPort;
    const worker = cluster.fork({ ...environment, PORT: String(portSetting) });
    // A worker that has exited already reports that through its own event.
    worker.send(startOrder, () => undefined);
    worker.once('listening', () => listening.add(worker));
    worker.on('error', (error) => log.warn({ err: error }, 'cannot communicate with a worker'));
    let reason: string | undefined;
    worker.on('message', (message: unknown) => {
      if (isRefusal(message)) reason = message.reason;
    });
    worker.once('exit', (code, signal) => {
      if (stopping || !hasStarted) return;
      if (Date.now() - bornAt >= healthyMilliseconds) backoff = shortestBackoffMilliseconds;
      log.error({ pid: worker.process.pid, code, signal, reason, backoff }, 'a worker died; starting a replacement');
      const timer = setTimeout(() => {
        pending.delete(timer);
        fork();
      }, backoff);
      pending.add(timer);
      backoff = Math.min(backoff * 2, longestBackoffMilliseconds);
    });
    return worker;
  };

  return {
    isStopping: () => stopping,
    /** @returns The address that all workers share, once all of them accept requests. */
    async start(count: number): Promise<Address> {
      const shared = await untilListening(fork());
      sharedPort = shared.port;
      await Promise.all(Array.from({ length: count - 1 }, () => untilListening(fork())));
      hasStarted = true;
      return shared;
    },
    /** Resolves when the last worker has exited. */
    async stop(drainDelay: number): Promise<void> {
      stopping = true;
      for (const timer of pending) clearTimeout(timer);
      const order: StopOrder = { type: 'stop', drainDelayMilliseconds: drainDelay };
      await Promise.all(
        livingWorkers().map((worker) => {
          const gone = once(worker, 'exit');
          // A worker that is still starting reads no messages yet.
          if (listening.has(worker)) worker.send(order, () => undefined);
          else worker.process.kill('SIGTERM');
          return gone;
        }),
      );
    },
    /** Immediately and without replacement. */
    kill(): void {
      stopping = true;
      for (const timer of pending) clearTimeout(timer);
      for (const worker of livingWorkers()) worker.process.kill('SIGKILL');
    },
  };
}

const livingWorkers = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined && !worker.isDead()) as Worker[];

const untilListening = (worker: Worker): Promise<Address> =>
  new Promise((resolve, reject) => {
    worker.once('listening', resolve);
    worker.on('message', (message: unknown) => {
      if (!isRefusal(message)) return;
      reject(message.name === 'ConfigError' ? new ConfigError(message.reason) : new ListenError(message.reason));
    });
    worker.once('exit', (code, signal) => reject(new Error(`a worker exited with ${code ?? signal}`)));
  });
