import type { Config } from '../config/config';
import { ConfigError } from '../config/config-error';
import type { ReadCaller } from '../federation/gateway/bearer-callers';
import { createBearerCallers } from '../federation/gateway/bearer-callers';
import { createComposer } from '../federation/catalog/composer';
import { describeSdlFailure } from '../common/serve-requests';
import { pollSubgraphs } from '../federation/source/poll-subgraphs';
import type { SourceLog, SupergraphSource } from '../federation/source/supergraph-source';
import { watchSupergraphFile } from '../federation/source/watch-supergraph-file';
import { routerHeaders } from '../federation/transport/forwarded-headers';
import type { GatewayLimits } from '../gateway-app';
import { createGatewayApp } from '../gateway-app';
import type { App } from '../http/server/open-server';
import type { Log } from '../observability/log';
import { toLineLog } from '../observability/log';
import type { RateLimiter } from '../rate-limit/rate-limiter';

/** Options of `catalog gateway`. Can be sent to a worker as a message. */
export interface GatewayOptions {
  /** A file, or subgraphs that are polled. */
  readonly from:
    { readonly file: string } | { readonly subgraphs: readonly { readonly name: string; readonly url: string }[] };
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly tokens: { readonly jwks: string; readonly issuer: string; readonly audience: string } | undefined;
  readonly limits: GatewayLimits;
  /** Whether each IP address is limited to RATE_LIMIT_REQUESTS per minute. */
  readonly limitsRate: boolean;
  /** Default: outside production. */
  readonly introspection: boolean | undefined;
  readonly subgraphTimeoutMilliseconds: number | undefined;
}

export interface ForwardedHeader {
  /** Default: all subgraphs. */
  readonly subgraph?: string | undefined;
  readonly name: string;
}

interface GatewayProcess {
  readonly log: Log;
  readonly localRateLimiter?: RateLimiter | undefined;
}

/** The interval at which the file is read again. */
const fileMilliseconds = 1000;

/** @throws ConfigError when the supergraph, the token settings or a header's subgraph cannot be used */
export async function openGateway(
  config: Config,
  options: GatewayOptions,
  { log, localRateLimiter }: GatewayProcess,
): Promise<App> {
  const { from, forwardHeaders, limits, limitsRate } = options;
  const prefix = 'file' in from ? `${from.file}: ` : '';
  const readCaller = await readCallerOf(options, (problem) => log.warn(problem));
  // Those of a file are known once it is read.
  const names = new Set('file' in from ? [] : from.subgraphs.map(({ name }) => name));
  const [unknown] = 'file' in from ? [] : describeUnknown(forwardHeaders, names);
  if (unknown !== undefined) throw new ConfigError(unknown);
  const app = await createGatewayApp(config, {
    source: createSource(options, config, toLineLog(log)),
    log,
    limits,
    readCaller,
    forwardedTo(subgraph) {
      names.add(subgraph);
      return forwardHeaders.filter((header) => (header.subgraph ?? subgraph) === subgraph).map(({ name }) => name);
    },
    introspection: options.introspection ?? !config.production,
    limitsRate,
    localRateLimiter,
    subgraphTimeoutMilliseconds: options.subgraphTimeoutMilliseconds,
  }).catch((cause: unknown) => {
    throw new ConfigError(`${prefix}${describeSdlFailure(cause)}`, { cause });
  });
  // A supergraph may lose a subgraph, which must not keep a process from starting.
  if ('file' in from) for (const problem of describeUnknown(forwardHeaders, names)) log.warn(problem);
  return app;
}

const describeUnknown = (headers: readonly ForwardedHeader[], names: ReadonlySet<string>): readonly string[] =>
  headers.flatMap(({ subgraph, name }) =>
    subgraph === undefined || names.has(subgraph)
      ? []
      : [`--forward-header ${subgraph}:${name}: expected the name of a subgraph (${[...names].join(', ')})`],
  );

function createSource(
  { from }: GatewayOptions,
  { routerSecrets, subgraphPollSeconds }: Config,
  log: SourceLog,
): SupergraphSource {
  if ('file' in from) return watchSupergraphFile({ path: from.file, intervalMilliseconds: fileMilliseconds, log });
  const composer = createComposer(undefined, { findsNodes: false });
  const polled = pollSubgraphs({
    local: [],
    remotes: from.subgraphs.map((subgraph) => ({ ...subgraph, headers: routerHeaders(subgraph.name, routerSecrets) })),
    compose: (subgraphs) => composer.compose(subgraphs),
    intervalMilliseconds: subgraphPollSeconds * 1000,
    log,
  });
  return {
    start: (...given) => polled.start(...given),
    stop() {
      composer.stop();
      return polled.stop();
    },
  };
}

/** Without tokens every caller is anonymous. */
async function readCallerOf(
  { tokens }: GatewayOptions,
  onKeyFailure: (problem: string) => void,
): Promise<ReadCaller | undefined> {
  if (tokens === undefined) return undefined;
  try {
    return await createBearerCallers({ ...tokens, onKeyFailure });
  } catch (cause) {
    throw new ConfigError((cause as Error).message, { cause });
  }
}
