import type { CliCommand } from '../command';

export const serveCommand: CliCommand = {
  name: 'serve',
  summary: 'serve the API until it is stopped (as npm start does)',
  details: `Without DATABASE_URL it starts a PostgreSQL of its own in DATA_DIR, migrates it, loads the demo shop once
and prints a curl line that works. With DATABASE_URL it uses and migrates that database and never fills it.
SIGTERM or Ctrl-C ends it after the requests that are under way. Settings come from the environment only.`,
  examples: [
    'catalog serve',
    'PORT=8080 LOG_LEVEL=debug catalog serve',
    'DATABASE_URL=postgresql://catalog:secret@db.internal/catalog catalog serve',
  ],
  define(command, perform) {
    command.action(() =>
      perform(async ({ config }) => {
        // Loaded here and not above: no other command needs Express and Apollo Server in its memory.
        const { runServer } = await import('../../main.js');
        await runServer(config);
        return undefined;
      }),
    );
  },
};
