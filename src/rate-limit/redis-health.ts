import { type Redis, ReplyError } from 'ioredis';

const probeEveryMilliseconds = 250;
/**
 * A peer that disappears silently leaves a connection that looks open, and TCP would keep retrying for a quarter of an
 * hour. (The socketTimeout of ioredis does not help: its timer outlives the socket and closes the next one.)
 */
const failuresUntilReconnect = 4;

interface RedisHealthOptions {
  readonly client: Redis;
  /**
   * Runs the same command as calls do, with the same time limit: a server that answers PING but cannot write is of no
   * use.
   */
  readonly tryCommand: () => Promise<unknown>;
  readonly onDegraded: (error: unknown) => void;
  readonly onRestored: (() => void) | undefined;
}

/**
 * Tracks whether Redis can be used. Starts as degraded without reporting it. The first probes of a starting process may
 * run before the connection is open, so failures are reported only after several of them, or once the connection has
 * failed.
 */
export function watchRedis({ client, tryCommand, onDegraded, onRestored }: RedisHealthOptions) {
  let degraded = true;
  let announced = false;
  let isStarting = true;
  let stopped = false;
  let connectionError: unknown;
  let failures = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiting = new Set<() => void>();

  const announce = (error: unknown) => {
    if (announced || stopped) return;
    announced = true;
    onDegraded(connectionError ?? error);
  };
  const restore = () => {
    if (stopped) return;
    // A database that does not exist: the client reports it and uses database 0 instead.
    if (connectionError instanceof ReplyError) throw connectionError;
    degraded = false;
    isStarting = false;
    failures = 0;
    for (const wake of waiting) wake();
    if (announced) onRestored?.();
    announced = false;
  };
  const schedule = () => {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(probe, probeEveryMilliseconds).unref();
  };
  const probe = () => {
    tryCommand()
      .then(restore)
      .catch((error: unknown) => {
        failures += 1;
        if (!isStarting || connectionError !== undefined || failures >= failuresUntilReconnect) announce(error);
        if (failures % failuresUntilReconnect === 0 && client.status === 'ready') client.disconnect(true);
        schedule();
      });
  };

  // Contains more detail than the failure of a command. Without a listener, ioredis prints such errors itself.
  client.on('error', (error) => (connectionError = error));
  client.on('connect', () => (connectionError = undefined));
  client.on('ready', probe);
  // Degrades right away, so that the next call does not fail. A probe reports it unless the connection is back by then:
  // an idle one may have been closed.
  client.on('close', () => {
    if (degraded) return;
    degraded = true;
    schedule();
  });
  schedule();

  return {
    isDegraded: () => degraded,
    degrade(error: unknown) {
      if (degraded) return;
      degraded = true;
      announce(error);
      probe();
    },
    async waitForConnection(timeoutMilliseconds: number) {
      if (!degraded) return true;
      await new Promise<void>((resolve) => {
        const timeout = setTimeout(resolve, timeoutMilliseconds);
        waiting.add(() => {
          clearTimeout(timeout);
          resolve();
        });
      });
      return !degraded;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const wake of waiting) wake();
    },
  };
}
