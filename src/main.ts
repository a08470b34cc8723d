import closeWithGrace from 'close-with-grace';
import { createApp } from './app';
import { ensureDemoShop } from './demo/demo-shop';
import { systemClock } from './clock';
import type { Config } from './config';
import { ConfigError, loadConfig } from './config';
import { provideDatabase } from './database/provide-database';
import type { Log } from './log';
import { createLog } from './log';

/** How long requests under way may still take once the process is told to stop. */
const drainMilliseconds = 10_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Serves until SIGTERM or SIGINT. Resolves when everything is closed. */
export async function runServer(config: Config): Promise<void> {
  const log = createLog(config.logLevel);
  const database = await provideDatabase(config, {
    log: (line) => log.info(line),
    onError: (error) => log.warn({ err: error }, 'a database connection failed'),
  });
  const demo = database.embedded ? await ensureDemoShop(database, config, systemClock) : undefined;
  const app = await createApp(config, { database, log, demoApiKey: demo?.apiKey });
  const origin = await app.listen();
  const { address, port } = app.server.address() as { address: string; port: number };
  print(`listening on http://${address.includes(':') ? `[${address}]` : address}:${port}`);
  if (demo !== undefined)
    print(
      `\nThe demo shop is ready. Try it:\n\n  curl -H 'Authorization: Bearer ${demo.apiKey}' '${origin}/v1/products?limit=2'\n`,
    );
  await untilToldToStop(log, async () => {
    await app.close(drainMilliseconds);
    await database.close();
  });
}

/** The second signal, or twice the time, ends the process at once. */
function untilToldToStop(log: Log, stop: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    closeWithGrace(
      { delay: 2 * drainMilliseconds, logger: { error: (text: unknown) => log.error({ text }, 'stopping') } },
      async ({ signal, err }) => {
        if (err !== undefined) log.fatal({ err }, 'an error nobody caught');
        else log.info({ signal }, 'stopping');
        await stop();
        resolve();
      },
    );
  });
}

if (require.main === module) {
  void Promise.resolve()
    .then(() => runServer(loadConfig()))
    .catch((error: unknown) => {
      const isForPeople = error instanceof ConfigError || (error as Error).name === 'DatabaseUnavailableError';
      process.stderr.write(`${isForPeople ? (error as Error).message : (error as Error).stack}\n`);
      process.exitCode = 1;
    });
}
