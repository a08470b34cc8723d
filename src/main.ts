import './require-node.cjs';
import { createApp } from './app';
import type { Config } from './config/config';
import { loadConfig } from './config/config';
import { placeDemoPictures } from './demo/demo-shop';
import { createLog } from './observability/log';
import { maskText } from './privacy/masked-line';
import { announceDemo, describeRefusal, serveApp } from './process/serve-app';
import { provideEverything, warmUp } from './process/provide-everything';
import { stderr } from './common/terminal';

/** Serves until SIGTERM or SIGINT, which end the process. Resolves when the process accepts requests. */
export async function runServer(config: Config): Promise<void> {
  const log = createLog(config);
  const { database, demoApiKey } = await provideEverything(config, log);
  await warmUp(database, config);
  const app = await createApp(config, { database, log, demoApiKey }).catch(async (failure: unknown) => {
    await database.close();
    throw failure;
  });
  const prepare = async (at: string) => demoApiKey && placeDemoPictures(database, at);
  const origin = await serveApp(app, { config, log, prepare, close: () => database.close() });
  announceDemo(origin, config, demoApiKey);
}

if (require.main === module) {
  // Keep serving when nobody reads the output, or the disk is full, as the log does.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  void Promise.resolve()
    .then(() => runServer(loadConfig()))
    .catch((error: unknown) => {
      stderr.write(`${maskText(describeRefusal(error).text)}\n`);
      process.exitCode = 1;
    });
}
