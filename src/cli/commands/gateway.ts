import { InvalidArgumentError } from 'commander';
import type { GatewayLimits } from '../../gateway-app';
import { defaultLimits } from '../../graph/limits/limit-options';
import type { ForwardedHeader, GatewayOptions } from '../../process/open-gateway';
import { command, flag, given, usual, UsageError, type ValuesOf } from '../command';
import { parsePort, parseRate, parseWorkers } from '../option-values';
import { checkNames, collectRoutingUrl } from '../subgraph-sources';

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

const options = {
  supergraph: given('<file>', 'the SDL of the supergraph', String),
  subgraph: given(
    '<name=url>',
    'a subgraph, polled for its SDL and composed with the others; may be repeated',
    collectRoutingUrl,
  ),
  port: usual('<number>', 'where to listen; 0 picks a free port', parsePort, 4000),
  host: usual('<address>', 'the address to listen on', String, '127.0.0.1'),
  forwardHeader: given(
    '<[subgraph:]name>',
    'a client header that is forwarded to all subgraphs, or to one; may be repeated',
    collectHeader,
  ),
  jwks: given('<url|file>', 'the keys that sign bearer tokens; needs --issuer and --audience', String),
  issuer: given('<iss>', 'who issues the tokens', String),
  audience: given('<aud>', 'the name of this graph in the tokens', String),
  limit: given('<name=number>', `a limit of operations: ${limitNames.join(', ')}; may be repeated`, collectLimit),
  rateLimit: given(
    '<number>',
    'operations of one address in a minute (TRUST_PROXY, REDIS_URL); without it, any number',
    parseRate,
  ),
  workers: usual('<n>', 'processes that answer requests, one for each core to use', parseWorkers, 1),
  introspection: flag('let anyone ask for the schema, in production too'),
  noIntrospection: flag('answer no introspection'),
};

export const gatewayCommand = command({
  name: 'gateway',
  summary: 'serve any subgraphs as one graph, without a catalog',
  details: `Takes a Federation 2 supergraph from a file and any composer, or the addresses of subgraphs, whose SDL it polls and composes
(SUBGRAPH_POLL_SECONDS). It plans operations over the subgraphs and sends them there over HTTP. A changed file is used within a second;
what is invalid is rejected, and the last good graph stays. It needs no settings and no database, and listens on the loopback
address only, unless --host is set.

Around the graph it has what \`catalog serve\` has: /livez, /readyz, /metrics (METRICS_PORT), log lines, spans, request ids, CORS,
time limits, draining, trusted documents, and in production no messages of subgraphs and no introspection. The settings have the same names.

It enforces @authenticated and @requiresScopes, and no caller passes a @policy. With --jwks, --issuer and --audience it verifies bearer tokens
(JWT, asymmetric signatures; scopes from the claim scope or scp): an invalid token is refused with 401. Every other caller is anonymous.
A supergraph that links a feature for SECURITY or EXECUTION that is not supported here is refused.

The catalog joins such a graph by /subgraph (SUBGRAPH_SECRET). SIGTERM or Ctrl-C ends it.`,
  examples: [
    'catalog gateway --supergraph supergraph.graphql',
    'catalog gateway --subgraph reviews=http://localhost:4001/graphql \\\n      --subgraph stock=http://localhost:4002/graphql',
    'catalog gateway --supergraph supergraph.graphql \\\n      --limit root-fields=200 --limit depth=20 --rate-limit 600',
    'catalog gateway --supergraph supergraph.graphql \\\n      --jwks keys.json --issuer https://id.example/ --audience graph',
  ],
  options,
  async alone(given) {
    await serveUntilStopped(given);
    return undefined;
  },
});

async function serveUntilStopped({
  port,
  host,
  rateLimit,
  workers,
  jwks,
  issuer,
  audience,
  supergraph,
  subgraph = [],
  forwardHeader = [],
  limit = {},
  introspection,
  noIntrospection,
}: ValuesOf<typeof options>): Promise<void> {
  if ((supergraph === undefined) === (subgraph.length === 0)) {
    throw new UsageError('Expected --supergraph with a file, or --subgraph with an address for each subgraph.');
  }
  checkNames(subgraph, []);
  const hasTokens = jwks !== undefined || issuer !== undefined || audience !== undefined;
  if (hasTokens && (!jwks || !issuer || !audience)) {
    throw new UsageError('--jwks, --issuer and --audience: expected all three, or none of them');
  }
  const given = {
    PORT: String(port),
    HOST: host,
    ...(rateLimit !== undefined && { RATE_LIMIT_REQUESTS: String(rateLimit) }),
  };
  const { loadGatewayConfig } = await import('../../config/config.js');
  const { config, router } = loadGatewayConfig(given);
  const gateway: GatewayOptions = {
    from:
      supergraph === undefined
        ? { subgraphs: subgraph.map(({ name, from }) => ({ name, url: from })) }
        : { file: supergraph },
    forwardHeaders: forwardHeader,
    tokens: jwks && issuer && audience ? { jwks, issuer, audience } : undefined,
    limits: limit,
    limitsRate: rateLimit !== undefined,
    introspection: noIntrospection ? false : introspection || undefined,
    subgraphTimeoutMilliseconds: router.subgraphTimeoutMs,
  };
  // Loaded here and not above: no other command needs Apollo Server and the query planner in its memory.
  const { runGateway } = await import('../../process/run-gateway.js');
  await runGateway(config, gateway, { workers, given });
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

function collectHeader(text: string, before: readonly ForwardedHeader[] = []): readonly ForwardedHeader[] {
  const [, subgraph, name] = /^(?:([A-Za-z_][\w-]*):)?([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError('Expected the name of a header, such as x-tenant, or catalog:authorization.');
  }
  return [...before, { subgraph, name }];
}
