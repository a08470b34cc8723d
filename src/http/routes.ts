import { operations } from '../../rest/operations';

/** The surfaces of the service; each has its own error body. */
export type Surface = 'rest' | 'graphql' | 'oauth' | 'other';

/**
 * What a call draws on (D19), as implemented in `access/access-steps.ts`.
 * - `key`: the bucket of the caller's key; that of its address if the credential is refused
 * - `address`: without a credential the bucket of its address, which never refuses it
 * - `token`: only failed authentications count, in a bucket of the token endpoint (`auth/oauth/token-endpoint.ts`)
 * - `none`: nothing
 */
export type Charge = 'key' | 'address' | 'token' | 'none';

export interface Route {
  /** In OpenAPI's syntax; `{*name}` matches any number of segments. */
  readonly path: string;
  readonly surface: Surface;
  /** The name of the operation in metrics, log and traces. */
  readonly operation: string;
  /** As listed in the Allow header. */
  readonly methods: string;
  readonly charge: Charge;
  /** Scripts of other origins may read no response, errors included: metrics, and the pages with the demo key. */
  readonly isSameOriginOnly?: true;
  /** `catalog gateway`, which has no catalog, serves it too. */
  readonly isOfGateway?: true;
  /** How long a call can wait for other exports, or for a change, before its timeout starts. */
  readonly waitMilliseconds?: number;
}

/** How long an export waits until those of other shops are read. */
export const exportPatienceMilliseconds = 5_000;

/** Maximum `wait` of a client: less than the usual proxy timeout of a minute. */
export const longestWaitSeconds = 55;

const reads = 'GET, HEAD, OPTIONS';
const document = { surface: 'other', operation: 'reference', methods: reads, charge: 'none' } as const;
const health = { ...document, operation: 'health', isOfGateway: true } as const;
const page = { ...document, operation: 'explorer', isSameOriginOnly: true } as const;
const dashboard = { ...page, operation: 'dashboard' } as const;

/** The operations of rest/, in the order of the specification. */
export const restRoutes = operations.map((operation) => ({
  path: `/v1${operation.path}`,
  surface: 'rest' as const,
  operation: operation.operationId,
  methods: reads,
  charge: 'key' as const,
  rest: operation,
}));

const graphqlMethods = 'GET, HEAD, POST, OPTIONS';

/** Everything else that is served. */
export const routes = {
  openApi: { path: '/v1/openapi.json', surface: 'rest', operation: 'metadata', methods: reads, charge: 'address' },
  graphql: {
    path: '/graphql',
    surface: 'graphql',
    operation: 'graphql',
    methods: graphqlMethods,
    charge: 'key',
    isOfGateway: true,
  },
  subgraph: { path: '/subgraph', surface: 'graphql', operation: 'subgraph', methods: 'POST, OPTIONS', charge: 'key' },
  changes: {
    path: '/changes',
    surface: 'rest',
    operation: 'changes',
    methods: reads,
    charge: 'key',
    waitMilliseconds: longestWaitSeconds * 1000,
  },
  export: {
    path: '/export',
    surface: 'rest',
    operation: 'export',
    methods: reads,
    charge: 'key',
    waitMilliseconds: exportPatienceMilliseconds,
  },
  mcp: {
    path: '/mcp',
    surface: 'rest',
    operation: 'mcp',
    methods: 'POST, OPTIONS',
    charge: 'key',
    isSameOriginOnly: true,
  },
  token: { path: '/oauth/token', surface: 'oauth', operation: 'token', methods: 'POST, OPTIONS', charge: 'token' },
  wellKnown: { path: '/.well-known/{*name}', surface: 'other', operation: 'metadata', methods: reads, charge: 'none' },
  live: { path: '/livez', ...health },
  ready: { path: '/readyz', ...health },
  metrics: { path: '/metrics', ...health, isSameOriginOnly: true },
  explorer: { path: '/explorer', ...page },
  explorerFiles: { path: '/explorer/assets/{*file}', ...page },
  icon: { path: '/favicon.ico', ...page },
  index: { path: '/', ...document, isSameOriginOnly: true },
  reference: { path: '/reference', ...document, isSameOriginOnly: true },
  referenceFiles: { path: '/reference/assets/{*file}', ...document, isSameOriginOnly: true },
  referenceMarkdown: { path: '/reference.md', ...document },
  graphqlReference: { path: '/reference/graphql', ...document, isSameOriginOnly: true },
  graphqlReferenceMarkdown: { path: '/reference/graphql.md', ...document },
  changelog: { path: '/changelog', ...document, isSameOriginOnly: true },
  changelogMarkdown: { path: '/changelog.md', ...document },
  schema: { path: '/schema.graphql', ...document },
  demoPictures: { path: '/demo/{*file}', ...document },
  llms: { path: '/llms.txt', ...document },
  dashboard: { path: '/dashboard', ...dashboard },
  dashboardFiles: { path: '/dashboard/assets/{*file}', ...dashboard },
} as const satisfies Readonly<Record<string, Route>>;

/** Every path that is served, once: its surface, name, methods and charge. */
export const allRoutes: readonly Route[] = [...restRoutes, ...Object.values(routes)];

const exact = new Map(allRoutes.filter(({ path }) => !path.includes('{')).map((route) => [route.path, route]));
const patterns = allRoutes
  .filter(({ path }) => path.includes('{'))
  .map((route) => [toPattern(route.path), route] as const);

function toPattern(path: string): RegExp {
  const literal = path.replaceAll('.', '\\.');
  return new RegExp(`^${literal.replaceAll(/\{\*\w+\}/g, '.*').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** The path of a request target in origin form: everything before the query. */
export const pathOf = (target: string): string => target.split('?', 1)[0] as string;

/** The query of such a target, undecoded. */
export const queryOf = (target: string): string => target.slice(pathOf(target).length + 1);

/** Finds the route of a request target before any handler runs, so that earlier refusals know it too. */
export function findRoute(target: string): Route | undefined {
  const path = pathOf(target);
  return exact.get(path) ?? patterns.find(([pattern]) => pattern.test(path))?.[1];
}

/** A fixed word for log and metrics: it contains nothing that a client sends. */
export const operationOf = (route: Route | undefined): string => route?.operation ?? 'unknown';

/** `/v1` of `/v1/shop`: the common prefix of a surface's routes. */
const firstSegment = /^\/[^/]*/;
const surfaces = new Map(allRoutes.map(({ path, surface }) => [firstSegment.exec(path)?.[0], surface]));

/** The surface of a request target, whether or not its route exists. */
export const surfaceOf = (target: string): Surface => surfaces.get(firstSegment.exec(pathOf(target))?.[0]) ?? 'other';

/** The protected resource that a target belongs to, as a path: `/v1` of `/v1/shop`. Each has its metadata (D17). */
export const resourcePathOf = (target: string): string => firstSegment.exec(pathOf(target))?.[0] ?? '/v1';

/** The protected resources: everything that a credential opens. */
export const resourcePaths = [
  ...new Set(allRoutes.filter(({ charge }) => charge === 'key').map(({ path }) => resourcePathOf(path))),
];

const limitedSurfaces = new Set(allRoutes.filter(({ charge }) => charge === 'key').map(({ surface }) => surface));

/**
 * Whether every response of the target's surface carries the rate-limit headers, including those for unknown routes
 * (D19).
 */
export const isRateLimited = (target: string): boolean => limitedSurfaces.has(surfaceOf(target));

/** A path in Express's syntax: `/v1/products/:productId`. */
export const toExpressPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

const absoluteForm = /^https?:\/\/[^/?#]*/i;
const wellKnown = routes.wellKnown.path.replace('{*name}', '');

/**
 * Converts a request target to a path of routes.ts with its query. A server must accept the absolute form too (RFC 9112
 * 3.2.2); Host and authority are ignored, because links are made from PUBLIC_URL (D17). This happens before Express,
 * which rejects authorities that it cannot parse.
 * @param prefix The path of PUBLIC_URL, removed where it is present: proxies forward it or do not, and health checks do
 *   not know it. A well-known name goes before it (RFC 8414 3, RFC 9728 3.1).
 */
export function toOriginForm(target: string, prefix: string): string {
  const path = withoutAuthority(target);
  return prefix === '' ? path : withoutPrefix(path, prefix);
}

function withoutAuthority(target: string): string {
  if (target.startsWith('/') || !absoluteForm.test(target)) return target;
  return withSlash(target.replace(absoluteForm, ''));
}

function withoutPrefix(target: string, prefix: string): string {
  const at = target.startsWith(wellKnown) ? Math.max(0, pathOf(target).indexOf('/', wellKnown.length)) : 0;
  if (!target.startsWith(prefix, at)) return target;
  const rest = target.slice(at + prefix.length);
  // `/catalogue` does not begin with the segment `/catalog`.
  return rest === '' || rest.startsWith('/') || rest.startsWith('?')
    ? withSlash(`${target.slice(0, at)}${rest}`)
    : target;
}

const withSlash = (target: string): string => (target.startsWith('/') ? target : `/${target}`);
