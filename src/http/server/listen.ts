import type { Server } from 'node:http';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config';
import { toListenError } from '../../errors/listen-error';
import type { Log } from '../../observability/log';
import { routes } from '../routes';

/** A stopping process holds METRICS_PORT until its last request is over. */
const patienceMilliseconds = 20_000;

export interface NamesOfAddress {
  readonly host: string;
  readonly port: string;
}

/**
 * Listens on PORT or METRICS_PORT. A port that a stopping process of the service still holds is waited for: people and
 * supervisors start the next one as soon as npm, or a process manager, has exited.
 * @throws ListenError
 */
export async function listen(
  server: Server,
  setting: 'PORT' | 'METRICS_PORT',
  { host, port: apiPort, metricsPort = 0 }: Pick<Config, 'host' | 'port' | 'metricsPort'>,
  log: Log,
  names: NamesOfAddress = { host: 'HOST', port: setting },
): Promise<void> {
  const port = setting === 'PORT' ? apiPort : metricsPort;
  let deadline = 0;
  for (;;) {
    const error = await tryListen(server, port, host);
    if (error === undefined) return;
    const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    if (isTaken && (await isStopping(host, apiPort))) {
      if (deadline === 0) log.warn({ port }, 'waiting for the port: the process that uses it is shutting down');
      deadline = Date.now() + patienceMilliseconds;
    } else if (!isTaken || Date.now() > deadline) throw toListenError(error, { host, port }, names);
    await delay(50);
  }
}

const tryListen = (server: Server, port: number, host: string): Promise<Error | undefined> =>
  new Promise((resolve) => {
    server.once('error', resolve).listen(port, host, () => {
      server.off('error', resolve);
      resolve(undefined);
    });
  });

/** Checks which process holds the port. */
async function isStopping(host: string, port: number): Promise<boolean> {
  if (port === 0) return false;
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  try {
    const response = await fetch(`http://${isIPv6(name) ? `[${name}]` : name}:${port}${routes.ready.path}`, {
      signal: AbortSignal.timeout(1_000),
      redirect: 'error',
    });
    const report = (await response.json()) as { checks?: { draining?: unknown } } | null;
    return report?.checks?.draining === true;
  } catch {
    return false;
  }
}
