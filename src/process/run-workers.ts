import cluster from 'node:cluster';
import type { Address, Worker } from 'node:cluster';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Config } from '../config/config';
import { ConfigError } from '../config/config-error';
import { startDirectory } from '../config/start-directory';
import { placeDemoPictures } from '../demo/demo-shop';
import { ListenError } from '../errors/listen-error';
import { createMetricsServer } from '../http/server/open-server';
import type { Log } from '../observability/log';
import { createLog } from '../observability/log';
import { createClusterMetrics } from '../observability/metrics';
import { serveClusterRateLimiters } from '../rate-limit/cluster-rate-limiter';
import { announceAddress, announceDemo } from './serve-app';
import { provideEverything } from './provide-everything';
import { installShutdownHandlers } from './shutdown-handlers';
import type { StartOrder } from './worker-messages';
import { isRefusal } from './worker-messages';

const shortestBackoffMilliseconds = 100;
const longestBackoffMilliseconds = 5_000;
/** A worker that has lived this long did not fail at startup. */
const healthyMilliseconds = 10_000;

interface WorkersOptions {
  readonly count: number;
  readonly startOrder: StartOrder;
  /** Environment variables of the workers, in addition to those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Path of the announced URL. */
  readonly path?: string;
  /** Called once all workers accept requests, before the URL is announced. */
  readonly prepare?: (port: number) => Promise<unknown>;
  /** Called after the URL is announced. */
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
      await crew.stop(signal === 'SIGTERM' ? signal : 'SIGINT');
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
    await metricsServer?.close();
    await close();
    throw error;
  }
}

/** Runs the catalog in workers; this process prepares the database. */
export async function runCatalogWorkers(config: Config, count: number): Promise<void> {
  const log = createLog(config);
  const { database, demoApiKey } = await provideEverything(config, log);
  const originOf = (port: number) => config.publicUrl ?? `http://localhost:${port}`;
  await runWorkers(config, log, {
    count,
    startOrder: { kind: 'catalog', databaseUrl: database.url, demoApiKey },
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
  let backoffMs = shortestBackoffMilliseconds;
  const pending = new Set<NodeJS.Timeout>();
  const handOver = createHandovers(log);
  // If workers accept connections themselves, some get several times as many as others.
  cluster.schedulingPolicy = cluster.SCHED_RR;
  // See docs/scaling.md, processes.
  const execArgv = [...process.execArgv, '--max-semi-space-size=16', '--v8-pool-size=1'];
  // Paths in catalog settings are relative to the start directory, paths in gateway options to the current one.
  const cwd = startOrder.kind === 'catalog' ? startDirectory : process.cwd();
  cluster.setupPrimary({ exec: join(__dirname, 'worker.js'), args: [], execArgv, cwd });

  const fork = (): Worker => {
    const bornAt = Date.now();
    // Workers that listen on the same port share it, 0 included, until the last of them has exited. Then the port is
    // requested by its number, so that clients find the replacements.
    if (hasStarted && livingWorkers().length === 0) portSetting = sharedPort;
    const worker = cluster.fork({ ...environment, PORT: String(portSetting) });
    // A worker that has exited already reports that through its own event.
    worker.send(startOrder, () => undefined);
    handOver(worker);
    worker.on('error', (error) => log.warn({ err: error }, 'cannot communicate with a worker'));
    let reason: string | undefined;
    worker.on('message', (message: unknown) => {
      if (isRefusal(message)) reason = message.reason;
    });
    worker.once('exit', (code, signal) => {
      if (stopping || !hasStarted) return;
      if (Date.now() - bornAt >= healthyMilliseconds) backoffMs = shortestBackoffMilliseconds;
      log.error({ pid: worker.process.pid, code, signal, reason, backoffMs }, 'a worker died; starting a replacement');
      const timer = setTimeout(() => {
        pending.delete(timer);
        fork();
      }, backoffMs);
      pending.add(timer);
      backoffMs = Math.min(backoffMs * 2, longestBackoffMilliseconds);
    });
    return worker;
  };

  return {
    isStopping: () => stopping,
    /** @returns the address that the workers share, once all of them accept requests */
    async start(count: number): Promise<Address> {
      const shared = await untilListening(fork());
      sharedPort = shared.port;
      await Promise.all(Array.from({ length: count - 1 }, () => untilListening(fork())));
      if (livingWorkers().length < count) throw new Error('a worker exited during startup');
      hasStarted = true;
      return shared;
    },
    /** Passes the signal on. Resolves when the last worker has exited. */
    async stop(signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
      stopping = true;
      for (const timer of pending) clearTimeout(timer);
      await Promise.all(
        livingWorkers().map((worker) => {
          const gone = once(worker, 'exit');
          worker.process.kill(signal);
          return gone;
        }),
      );
    },
    /** Kills the workers without replacing them. */
    kill(): void {
      stopping = true;
      for (const timer of pending) clearTimeout(timer);
      for (const worker of livingWorkers()) worker.process.kill('SIGKILL');
    },
  };
}

/** A connection as Node passes it on; `fd` is negative once the worker has taken it. */
interface Handle {
  readonly fd: number;
  close(): void;
}

/** A worker's share of the connections. */
interface Share {
  passed: number;
  handle?: Handle;
  /** Consecutive checks that found the connection not taken. */
  missedChecks: number;
}

const checkMilliseconds = 1_000;
/** Checks instead of time, so that no worker is killed because the machine was suspended. */
const maxMissedChecks = 10;
/** A worker with more than this multiple of the mean waits for the others, up to `maxWaits` times. */
const maxShareOfMean = 1.2;
const maxWaits = 40;
const waitMilliseconds = 5;

/**
 * Node passes a worker one connection at a time, and the next once that is taken. With few processors, the worker that
 * is running would get most of them, so it waits for the others. Node also drops a connection whose worker dies before
 * taking it: it is closed here, or the client would wait forever. A worker that takes no connections is killed.
 */
function createHandovers(log: Log): (worker: Worker) => void {
  const shares = new Set<Share>();
  /** The worker that has to take each connection. A stopping worker returns it, and another one gets it. */
  const takers = new WeakMap<Handle, Share>();
  const isWaiting = (share: Share): boolean =>
    (share.handle?.fd ?? -1) >= 0 && takers.get(share.handle as Handle) === share;
  const mean = (): number => {
    const timely = [...shares].filter(({ missedChecks }) => missedChecks === 0);
    return timely.reduce((sum, { passed }) => sum + passed, 0) / timely.length;
  };
  return ({ process: child }) => {
    const share: Share = { passed: Math.floor(mean() || 0), missedChecks: 0 };
    shares.add(share);
    const send = child.send.bind(child) as (...given: unknown[]) => boolean;
    const sendFairly = (message: unknown, handle?: unknown, ...rest: unknown[]): boolean => {
      // This argument may also be a callback.
      if (typeof handle !== 'object' || handle === null) return send(message, handle, ...rest);
      share.handle = handle as Handle;
      share.missedChecks = 0;
      takers.set(share.handle, share);
      const pass = (waits: number): boolean => {
        if (!isWaiting(share)) return false;
        if (waits < maxWaits && share.passed > maxShareOfMean * mean())
          return setTimeout(pass, waitMilliseconds, waits + 1) !== undefined;
        share.passed += 1;
        return send(message, handle, ...rest);
      };
      return pass(0);
    };
    child.send = sendFairly;
    const timer = setInterval(() => {
      share.missedChecks = isWaiting(share) ? share.missedChecks + 1 : 0;
      if (share.missedChecks !== maxMissedChecks) return;
      log.error({ pid: child.pid }, 'a worker is not responding and will be killed');
      child.kill('SIGKILL');
    }, checkMilliseconds).unref();
    child.once('exit', () => {
      clearInterval(timer);
      shares.delete(share);
      if (isWaiting(share)) share.handle?.close();
    });
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
    worker.once('exit', (code, signal) =>
      reject(new Error(`a worker exited with ${code === null ? signal : `code ${code}`}`)),
    );
  });
