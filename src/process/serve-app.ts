import type { AddressInfo } from 'node:net';
import type { Config } from '../config/config';
import type { App } from '../http/server/open-server';
import type { Log } from '../observability/log';
import { announceAddress } from './announce';
import { drainMilliseconds, drainDelayMilliseconds, installShutdownHandlers } from './shutdown-handlers';

interface ServeOptions {
  readonly config: Config;
  readonly log: Log;
  /** Of the address that is announced. */
  readonly path?: string;
  /** Called before the address is announced, with the origin. */
  readonly prepare?: (origin: string) => Promise<unknown>;
  /** Closes what the application does not. */
  readonly close: () => Promise<void>;
}

/**
 * Serves until SIGTERM or SIGINT, which end the process.
 * @returns the origin, once the process accepts requests
 */
export async function serveApp(app: App, { config, log, path, prepare, close }: ServeOptions): Promise<string> {
  const listen = async (): Promise<string> => {
    const origin = await app.listen();
    await prepare?.(origin);
    return origin;
  };
  const origin = await listen().catch(async (failure: unknown) => {
    // The application holds connections to Redis and to subgraphs, and an open pool would keep alive a process that
    // does not serve.
    await app.close(0);
    await close();
    throw failure;
  });
  installShutdownHandlers({
    config,
    log,
    async stop(signal) {
      await app.close(drainMilliseconds, drainDelayMilliseconds(config, signal));
      await close();
    },
  });
  // Last, because a reader of this line may send a signal immediately.
  const { address, port } = app.server.address() as AddressInfo;
  announceAddress(config, address, port, path);
  return origin;
}
