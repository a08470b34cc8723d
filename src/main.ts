import './require-node.cjs';
import type { AddressInfo } from 'node:net';
import { createApp } from './app';
import type { Config } from './config/config';
import { loadConfig } from './config/config';
import { createLog } from './observability/log';
import { maskText } from './privacy/masked-line';
import { announceAddress, announceDemo } from './process/announce';
import { provideEverything } from './process/provide-everything';
import { describeRefusal } from './process/refusal';
import { stderr } from './common/terminal';
import { drainMilliseconds, drainDelayMilliseconds, installShutdownHandlers } from './process/shutdown-handlers';

/** Serves until SIGTERM or SIGINT, which end the process. Resolves when the process accepts requests. */
export async function runServer(config: Config): Promise<void> {
  const log = createLog(config);
  const { database, demoApiKey } = await provideEverything(config, log);
  // An open pool would keep alive a process that does not serve.
  const closeDatabase = async (failure: unknown): Promise<never> => {
    await database.close();
    throw failure;
  };
  const app = await createApp(config, { database, log, demoApiKey }).catch(closeDatabase);
  const origin = await app.listen().catch(async (failure: unknown) => {
    // The application holds connections to Redis and to subgraphs.
    await app.close(0);
    return closeDatabase(failure);
  });
  installShutdownHandlers({
    config,
    log,
    async stop(signal) {
      await app.close(drainMilliseconds, drainDelayMilliseconds(config, signal));
      await database.close();
    },
  });
  // Last, because a reader of this line may send a signal immediately.
  const { address, port } = app.server.address() as AddressInfo;
  announceAddress(address, port);
  announceDemo(origin, config, demoApiKey);
}

if (require.main === module) {
  void Promise.resolve()
    .then(() => runServer(loadConfig()))
    .catch((error: unknown) => {
      stderr.write(`${maskText(describeRefusal(error).text)}\n`);
      process.exitCode = 1;
    });
}
