import type { CliCommand } from '../command';
import { parseWorkers } from '../option-values';

export const serveCommand: CliCommand = {
  name: 'serve',
  login: 'catalog_reader',
  summary: 'serve the API until it is stopped (as npm start does)',
  details: `Without DATABASE_URL it starts its own PostgreSQL in DATA_DIR, migrates it, loads the demo shop once
and prints a curl line that works. With DATABASE_URL it uses and migrates that database and never fills it.
SIGTERM or Ctrl-C ends it after the requests in flight. Settings come from the environment only.
With --workers that many processes share the port and the rate limit; one that dies is replaced.`,
  examples: [
    'catalog serve',
    'catalog serve --workers 4',
    'PORT=8080 LOG_LEVEL=debug catalog serve',
    'DATABASE_URL=postgresql://catalog:secret@db.internal/catalog catalog serve',
  ],
  define(command, perform) {
    command
      .option('--workers <n>', 'processes that answer requests, one for each core to use', parseWorkers, 1)
      .action(({ workers }: { workers: number }) =>
        perform(
          async ({ config }) => {
            // Loaded here and not above: no other command needs Express and Apollo Server in its memory.
            if (workers > 1) await (await import('../../process/run-workers.js')).runCatalogWorkers(config, workers);
            else await (await import('../../main.js')).runServer(config);
            return undefined;
          },
          { serves: true },
        ),
      );
  },
};
