import { once } from 'node:events';
import { createServer } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { loadRouterConfig } from '../../config';
import { ApiError } from '../../errors/api-error';
import { toListenError } from '../../errors/listen-error';
import { onStopSignals } from '../../process/stop-signals';
import { stderr, stdout } from '../../terminal';
import type { CliCommand } from '../command';

interface GatewayOptions {
  readonly supergraph: string;
  readonly port: number;
  readonly host: string;
  readonly forwardHeader?: readonly ForwardedHeader[];
}

/** The interval at which the file is read again. */
const intervalMilliseconds = 1000;

const write = (line: string): void => void stderr.write(`${line}\n`);

export const gatewayCommand: CliCommand = {
  name: 'gateway',
  summary: 'serve a supergraph of any subgraphs, from any composer',
  details: `Takes a Federation 2 supergraph from a file and any composer, plans operations over its subgraphs and queries them over
HTTP at the addresses in it. A changed file is used within a second; an invalid one is rejected, and the last
good one stays. It needs no settings and no database, knows no credentials and listens on the loopback address only, unless --host is set.
The catalog joins such a graph by /subgraph (SUBGRAPH_SECRET). SIGTERM or Ctrl-C ends it.`,
  examples: [
    'catalog gateway --supergraph supergraph.graphql',
    'catalog gateway --supergraph supergraph.graphql --port 0',
  ],
  define(command) {
    command
      .requiredOption('--supergraph <file>', 'the SDL of the supergraph')
      .option('--port <number>', 'where to listen; 0 picks a free port', parsePort, 4000)
      .option('--host <address>', 'the address to listen on', '127.0.0.1')
      .option(
        '--forward-header <[subgraph:]name>',
        'a client header that is forwarded to all subgraphs, or to one; may be repeated',
        collectHeader,
      )
      .action(serveUntilStopped);
  },
};

interface ForwardedHeader {
  /** undefined: all of them. */
  readonly subgraph: string | undefined;
  readonly name: string;
}

async function serveUntilStopped({ supergraph, port, host, forwardHeader = [] }: GatewayOptions): Promise<void> {
  const { forwardedHeaders, routerSecrets, timeoutMilliseconds } = loadRouterConfig();
  // Loaded here and not above: no other command needs Apollo Server and the query planner in its memory.
  const { serveSupergraph } = await import('../../federation/gateway/serve-supergraph.js');
  const { watchSupergraphFile } = await import('../../federation/supergraph/watch-supergraph-file.js');
  const { defaultForwardedHeaders } = await import('../../federation/transport/forwarded-headers.js');
  const { routerHeaders } = await import('../../federation/transport/router-secret.js');
  const log = { info: write, warn: write, error: write };
  const source = watchSupergraphFile({ path: supergraph, intervalMilliseconds, log });
  const remote = (name: string) => ({
    timeoutMilliseconds,
    headers: routerHeaders(name, routerSecrets),
    forwardHeaders: [
      ...defaultForwardedHeaders,
      ...forwardedHeaders,
      ...forwardHeader.filter(({ subgraph = name }) => subgraph === name).map((header) => header.name),
    ],
    onFailure: (_: string, { message }: Error) => write(`subgraph ${name}: ${message}`),
  });
  await checkAddress(host, port);
  const served = await serveSupergraph({ source, port, host, remote }).catch((cause: unknown) => {
    throw new ApiError('BAD_USER_INPUT', `${supergraph}: ${(cause as Error).message}`, { cause });
  });
  const stopped = new Promise<void>((resolve) => {
    onStopSignals({ onFirst: () => resolve(), onSecondSignal: () => process.exit(1) });
  });
  // After the handlers, because a reader of this line may send a signal immediately.
  stdout.write(`listening on ${served.url}\n`);
  await stopped;
  await served.stop();
  // At once: while Node frees what it has, it no longer handles signals, and a repetition of the first one would kill it.
  process.exit();
}

/** Checks the address first: Apollo's own server ends the process with a stack trace when it cannot listen, and the error cannot be caught. */
async function checkAddress(host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(port, host), 'listening');
  } catch (error) {
    throw toListenError(error as Error, { host, port }, { host: '--host', port: '--port' });
  }
  await once(probe.close(), 'close');
}

function collectHeader(text: string, before: readonly ForwardedHeader[] = []): readonly ForwardedHeader[] {
  const [, subgraph, name] = /^(?:([A-Za-z_][\w-]*):)?([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError('Expected the name of a header, such as x-tenant, or catalog:authorization.');
  }
  return [...before, { subgraph, name }];
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError('Expected a port from 0 to 65535.');
  return port;
}
