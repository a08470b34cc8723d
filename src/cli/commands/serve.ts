import { stdout } from '../../common/terminal';
import { command, usual, UsageError } from '../command';
import { runMcpBridge } from '../mcp-bridge';
import { parseHttpUrl, parseWorkers } from '../option-values';

export const serveCommand = command({
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
  options: { workers: usual('<n>', 'processes that answer requests, one for each core to use', parseWorkers, 1) },
  serves: true,
  async run({ config }, { workers }) {
    if (workers > 1) await (await import('../../process/run-workers.js')).runCatalogWorkers(config, workers);
    else await (await import('../../main.js')).runServer(config);
    return undefined;
  },
});

export const mcpCommand = command({
  name: 'mcp',
  summary: 'the tools of a running service, over standard input',
  details: `For programs that start a server of the Model Context Protocol themselves, such as desktop assistants. Every message
goes to POST /mcp of the service, with the API key in API_KEY or in the file that API_KEY_FILE names: its scopes,
plan and rate limit hold. It ends with its input.`,
  examples: ['API_KEY_FILE=key.txt catalog mcp', 'API_KEY_FILE=key.txt catalog mcp --url https://api.shop.example'],
  options: { url: usual('<url>', 'of the service, without /mcp', parseHttpUrl, new URL('http://localhost:4000')) },
  async run({ config: { apiKey } }, { url }) {
    if (apiKey === undefined) throw new UsageError('API_KEY, or API_KEY_FILE: expected the API key of a shop');
    await runMcpBridge({ url, apiKey, input: process.stdin, output: stdout });
    return undefined;
  },
});
