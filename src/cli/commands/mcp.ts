import { stdout } from '../../common/terminal';
import type { CliCommand } from '../command';
import { runMcpBridge } from '../mcp-bridge';
import { parseHttpUrl } from '../option-values';
import { UsageError } from '../usage-error';

export const mcpCommand: CliCommand = {
  name: 'mcp',
  summary: 'the tools of a running service, over standard input',
  details: `For programs that start a server of the Model Context Protocol themselves, such as desktop assistants. Every message
goes to POST /mcp of the service, with the API key in API_KEY or in the file that API_KEY_FILE names: its scopes,
plan and rate limit hold. It ends with its input.`,
  examples: ['API_KEY_FILE=key.txt catalog mcp', 'API_KEY_FILE=key.txt catalog mcp --url https://api.shop.example'],
  define(command, perform) {
    command
      .option('--url <url>', 'of the service, without /mcp', parseHttpUrl, new URL('http://localhost:4000'))
      .action(({ url }: { url: URL }) =>
        perform(async ({ config: { apiKey } }) => {
          if (apiKey === undefined) throw new UsageError('API_KEY, or API_KEY_FILE: expected the API key of a shop');
          await runMcpBridge({ url, apiKey, input: process.stdin, output: stdout });
          return undefined;
        }),
      );
  },
};
