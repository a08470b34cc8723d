import { once } from 'node:events';
import { createServer } from 'node:net';
import { InvalidArgumentError } from 'commander';
import { loadRouterConfig } from '../../config/config';
import { ApiError } from '../../errors/api-error';
import type { ReadCaller } from '../../federation/gateway/bearer-callers';
import { reasonOf } from '../../federation/reason-of';
import type { GatewayLimits } from '../../federation/gateway/serve-supergraph';
import { defaultLimits } from '../../graph/limits/limit-options';
import { toListenError } from '../../errors/listen-error';
import { onStopSignals } from '../../process/stop-signals';
import { stderr, stdout } from '../../common/terminal';
import type { CliCommand } from '../command';
import { UsageError } from '../usage-error';

interface GatewayOptions {
  readonly supergraph: string;
  readonly port: number;
  readonly host: string;
  readonly forwardHeader?: readonly ForwardedHeader[];
  readonly jwks?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly limit?: GatewayLimits;
}

/** The interval at which the file is read again. */
const intervalMilliseconds = 1000;

const write = (line: string): void => void stderr.write(`${line}\n`);

/** By the name on the command line: `root-fields` for `maxRootFields`. */
const limitsByName: ReadonlyMap<string, string> = new Map(
  [...Object.keys(defaultLimits), 'maxTokens']
    .filter((key) => key.startsWith('max') && key !== 'maxCost')
    .map((key) => [
      key.slice(3).replace(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`),
      key,
    ]),
);
const limitNames = [...limitsByName.keys()];
const maxLimit = 1_000_000;

export const gatewayCommand: CliCommand = {
  name: 'gateway',
  summary: 'serve a supergraph of any subgraphs, from any composer',
  details: `Takes a Federation 2 supergraph from a file and any composer, plans operations over its subgraphs and queries them over
HTTP at the addresses in it. A changed file is used within a second; an invalid one is rejected, and the last
good one stays. It needs no settings and no database, and listens on the loopback address only, unless --host is set.

It enforces @authenticated and @requiresScopes, and nobody passes a @policy. With --jwks, --issuer and --audience it verifies bearer tokens
(JWT, asymmetric signatures; scopes from the claim scope or scp): an invalid token is refused with 401. Everybody else is anonymous.
A supergraph that links a feature for SECURITY or EXECUTION that is not supported here is refused.

The catalog joins such a graph by /subgraph (SUBGRAPH_SECRET). SIGTERM or Ctrl-C ends it.`,
  examples: [
    'catalog gateway --supergraph supergraph.graphql',
    'catalog gateway --supergraph supergraph.graphql \\\n      --limit root-fields=200 --limit depth=20',
    'catalog gateway --supergraph supergraph.graphql \\\n      --jwks keys.json --issuer https://id.example/ --audience graph',
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
      .option('--jwks <url|file>', 'the keys that sign bearer tokens; needs --issuer and --audience')
      .option('--issuer <iss>', 'who issues the tokens')
      .option('--audience <aud>', 'the name of this graph in the tokens')
      .option('--limit <name=number>', `a limit of operations: ${limitNames.join(', ')}; may be repeated`, collectLimit)
      .action(serveUntilStopped);
  },
};

interface ForwardedHeader {
  /** undefined: all of them. */
  readonly subgraph: string | undefined;
  readonly name: string;
}

async function serveUntilStopped(options: GatewayOptions): Promise<void> {
  const { supergraph, port, host, forwardHeader = [], limit } = options;
  const { subgraphHeaders, routerSecrets, subgraphTimeoutMs } = loadRouterConfig();
  // Loaded here and not above: no other command needs Apollo Server and the query planner in its memory.
  const { serveSupergraph } = await import('../../federation/gateway/serve-supergraph.js');
  const { watchSupergraphFile } = await import('../../federation/supergraph/watch-supergraph-file.js');
  const { defaultForwardedHeaders } = await import('../../federation/transport/forwarded-headers.js');
  const { routerHeaders } = await import('../../federation/transport/router-secret.js');
  const log = { info: write, warn: write, error: write };
  const source = watchSupergraphFile({ path: supergraph, intervalMilliseconds, log });
  const remote = (name: string) => ({
    timeoutMilliseconds: subgraphTimeoutMs,
    headers: routerHeaders(name, routerSecrets),
    forwardHeaders: [
      ...defaultForwardedHeaders,
      ...subgraphHeaders,
      ...forwardHeader.filter(({ subgraph = name }) => subgraph === name).map((header) => header.name),
    ],
    onFailure: (_: string, { message }: Error) => write(`subgraph ${name}: ${message}`),
  });
  await checkAddress(host, port);
  const readCaller = await createReadCaller(options);
  const served = await serveSupergraph({ source, port, host, remote, readCaller, limits: limit }).catch(
    (cause: unknown) => {
      throw new ApiError('BAD_USER_INPUT', `${supergraph}: ${reasonOf(cause)}`, { cause });
    },
  );
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

/** Without --jwks every caller is anonymous. */
async function createReadCaller({ jwks, issuer, audience }: GatewayOptions): Promise<ReadCaller | undefined> {
  if (jwks === undefined && issuer === undefined && audience === undefined) return undefined;
  if (!jwks || !issuer || !audience) {
    throw new UsageError('--jwks, --issuer and --audience: expected all three, or none of them');
  }
  const { createBearerCallers } = await import('../../federation/gateway/bearer-callers.js');
  try {
    return await createBearerCallers({ jwks, issuer, audience, onKeyFailure: write });
  } catch (cause) {
    throw new ApiError('BAD_USER_INPUT', (cause as Error).message, { cause });
  }
}

function collectLimit(text: string, before: GatewayLimits = {}): GatewayLimits {
  const [, name = '', digits = ''] = /^([a-z-]+)=(\d{1,7})$/.exec(text) ?? [];
  const key = limitsByName.get(name);
  const limit = Number(digits);
  if (key === undefined || !(limit >= 1 && limit <= maxLimit)) {
    throw new InvalidArgumentError(
      `Expected name=number, such as depth=20: a number from 1 to ${maxLimit}, and one of ${limitNames.join(', ')}.`,
    );
  }
  return { ...before, [key]: limit };
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
