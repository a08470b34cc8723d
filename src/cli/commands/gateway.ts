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
    .filter((key) => key !== 'maxCost')
    .map((key) => [
      key.slice(3).replace(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '-'}${letter.toLowerCase()}`),
      key,
    ]),
);
const limitNames = [...limitsByName.keys()];
const maxLimit = 1_000_000;

const options = {
  supergraph: given('<file>', 'SDL file of the supergraph', String),
  subgraph: given('<name=url>', 'a subgraph to poll and compose with the others; can be repeated', collectRoutingUrl),
  port: usual('<number>', 'port to listen on; 0 picks a free port', parsePort, 4000),
  host: usual('<address>', 'IP address or host name to listen on', String, '127.0.0.1'),
  forwardHeader: given(
    '<[subgraph:]name>',
    'a client header to forward to all subgraphs, or to one; can be repeated',
    collectHeader,
  ),
  jwks: given('<url|file>', 'JSON Web Key Set that verifies bearer tokens; requires --issuer and --audience', String),
  issuer: given('<iss>', 'issuer of the tokens', String),
  audience: given('<aud>', 'audience of the tokens', String),
  limit: given('<name=number>', `an operation limit: ${limitNames.join(', ')}; can be repeated`, collectLimit),
  rateLimit: given(
    '<number>',
    'operations per minute per IP address (TRUST_PROXY, REDIS_URL); default: unlimited',
    parseRate,
  ),
  workers: usual('<n>', 'number of worker processes; use one per CPU core', parseWorkers, 1),
  introspection: flag('allow introspection, even in production'),
  noIntrospection: flag('disable introspection'),
};

export const gatewayCommand = command({
  name: 'gateway',
  summary: 'serve any subgraphs as one graph, without the catalog',
  details: `Serves a Federation 2 supergraph from a file made by any composer, or polls and composes the SDL of subgraphs
(SUBGRAPH_POLL_SECONDS). Plans operations across the subgraphs and queries them over HTTP. A changed file is reloaded within a
second; if it is invalid, it is rejected and the last good graph stays in use. Requires no settings and no database. Listens on
the loopback address only, unless --host is set.

Otherwise works like \`catalog serve\`, with the same settings: /livez, /readyz, /metrics (METRICS_PORT), logs, traces, request
IDs, CORS, time limits, draining and trusted documents. In production, subgraph error messages are hidden, and introspection is
disabled.

Enforces @authenticated and @requiresScopes; @policy always denies. With --jwks, --issuer and --audience, it verifies bearer
tokens (JWT with an asymmetric signature; scopes from the claim scope or scp) and rejects invalid ones with 401. All other
callers are anonymous. Supergraphs that link an unsupported feature for SECURITY or EXECUTION are rejected.

The catalog can join such a graph through /subgraph (SUBGRAPH_SECRET). Stop the gateway with SIGTERM or Ctrl-C.`,
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
    throw new UsageError('expected either --supergraph with a file, or --subgraph with the URL of each subgraph');
  }
  checkNames(subgraph, []);
  const hasTokens = jwks !== undefined || issuer !== undefined || audience !== undefined;
  if (hasTokens && (!jwks || !issuer || !audience)) {
    throw new UsageError('--jwks, --issuer and --audience must be set together');
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
      `Expected name=number, such as depth=20, with a number from 1 to ${maxLimit}. Names: ${limitNames.join(', ')}.`,
    );
  }
  return { ...before, [key]: limit };
}

function collectHeader(text: string, before: readonly ForwardedHeader[] = []): readonly ForwardedHeader[] {
  const [, subgraph, name] = /^(?:([A-Za-z_][\w-]*):)?([!#$%&'*+.^_`|~0-9A-Za-z-]+)$/.exec(text) ?? [];
  if (name === undefined) {
    throw new InvalidArgumentError('Expected a header name such as x-tenant, or catalog:authorization.');
  }
  return [...before, { subgraph, name }];
}
