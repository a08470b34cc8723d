import { stdout } from '../../common/terminal';
import { command, usual, UsageError } from '../command';
import { runMcpBridge } from '../mcp-bridge';
import { parseHttpUrl, parseWorkers } from '../option-values';

export const serveCommand = command({
  name: 'serve',
  login: 'catalog_reader',
  summary: 'serve the API (same as npm start)',
  details: `Without DATABASE_URL, starts an embedded PostgreSQL in DATA_DIR, migrates it, loads the demo shop once
and prints a curl command to try. With DATABASE_URL, uses that database, migrates it if the role
owns the tables, and loads no demo data.
SIGTERM or Ctrl-C stops it once in-flight requests finish. Settings come only from the environment.
With --workers, several processes share the port and the rate limit; a process that dies is replaced.`,
  examples: [
    'catalog serve',
    'catalog serve --workers 4',
    'PORT=8080 LOG_LEVEL=debug catalog serve',
    'DATABASE_URL=postgresql://catalog:secret@db.internal/catalog catalog serve',
  ],
  options: { workers: usual('<n>', 'number of worker processes; use one per CPU core', parseWorkers, 1) },
  serves: true,
  async run({ config }, { workers }) {
    if (workers > 1) await (await import('../../process/run-workers.js')).runCatalogWorkers(config, workers);
    else await (await import('../../main.js')).runServer(config);
    return undefined;
  },
});

export const mcpCommand = command({
  name: 'mcp',
  summary: 'serve MCP over standard input for a running service',
  details: `For programs that start Model Context Protocol servers themselves, such as desktop assistants. Every message is sent to
POST /mcp of the service with the API key in API_KEY, or in the file named by API_KEY_FILE. The scopes, plan and rate limit
of the key apply. It exits when standard input ends.`,
  examples: ['API_KEY_FILE=key.txt catalog mcp', 'API_KEY_FILE=key.txt catalog mcp --url https://api.shop.example'],
  options: { url: usual('<url>', 'URL of the service, without /mcp', parseHttpUrl, new URL('http://localhost:4000')) },
  async run({ config: { apiKey } }, { url }) {
    if (apiKey === undefined) throw new UsageError('API_KEY, or API_KEY_FILE: expected the API key of a shop');
    await runMcpBridge({ url, apiKey, input: process.stdin, output: stdout });
    return undefined;
  },
});
