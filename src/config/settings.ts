import type { z } from 'zod';
import * as rules from './setting-rules';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What is known of a setting. The documents (docs/operations.md, README.md) and docker-compose.yml are generated from
 * it.
 */
interface Setting {
  /** Turns the text of a variable into its value, or says what it expects. */
  readonly rule: z.ZodType<unknown, string>;
  /** As one would type it; or a function of the variables that are set. Without a default the value is `undefined`. */
  readonly default?: string | ((given: Environment) => string);
  /** What documents say of the default where the text itself does not. */
  readonly defaultWords?: string;
  /** Which processes refuse to start without it in production: all of them, or those that serve. */
  readonly requiredInProduction?: 'always' | 'to serve';
  /** Recommended in production, unless it is required there. */
  readonly inProduction?: string;
  readonly meaning: string;
  /**
   * May be in a file named by NAME_FILE, so that the environment, which other programs can read, contains no secret.
   */
  readonly isSecret?: true;
  /** Decided by docker-compose.yml, or by the image; all others are passed on to the service. */
  readonly isDecidedByCompose?: true;
}

const isProduction = ({ NODE_ENV }: Environment): boolean => NODE_ENV === 'production';

/** Every setting, in the order of the documents: one line of the table is all that a new one needs. */
export const settings = {
  NODE_ENV: {
    rule: rules.oneOf('development', 'test', 'production'),
    default: 'development',
    inProduction: '`production`',
    meaning:
      '`development`, `test` or `production`; anything else, an empty value too, fails at startup. `production` requires PUBLIC_URL and the three secrets below, closes the explorer pages, removes `/metrics` from `PORT`, hides the schema from clients without a credential',
    isDecidedByCompose: true,
  },
  PORT: { rule: rules.port, default: '4000', meaning: '0 picks a free port', isDecidedByCompose: true },
  HOST: {
    rule: rules.host,
    default: '127.0.0.1',
    inProduction: 'as the proxy needs',
    meaning: 'the address to listen on',
    isDecidedByCompose: true,
  },
  PUBLIC_URL: {
    rule: rules.publicUrl,
    defaultWords: 'http://localhost:PORT',
    requiredInProduction: 'to serve',
    meaning:
      'address in metadata, challenges, links and tokens (`iss`, `aud`): an origin, or one with a path, such as `https://shop.example/catalog`, without `/v1`. Never taken from a request. Changing it invalidates all access tokens',
    isDecidedByCompose: true,
  },
  TRUST_PROXY: {
    rule: rules.wholeNumber(0, 32),
    default: '0',
    inProduction: 'number of proxies',
    meaning: 'number of trusted entries of X-Forwarded-For',
  },
  MAX_CONNECTIONS: {
    rule: rules.wholeNumber(1, 1_000_000),
    default: '10000',
    meaning:
      'concurrent connections of a process, 10 to 20 kB each; beyond, idle ones are closed and new ones refused (`http_connections_lost_total`). The limit of open files must be higher',
  },
  DATABASE_URL: {
    rule: rules.postgresUrl,
    defaultWords: 'embedded server',
    requiredInProduction: 'always',
    meaning:
      'PostgreSQL 15 to 18; of several hosts the primary is used ([Failover](docs/operations.md#failover)); a login of `catalog_reader`',
    isSecret: true,
  },
  DATABASE_POOL_SIZE: { rule: rules.wholeNumber(1, 1000), default: '10', meaning: 'connections per process' },
  DATABASE_QUEUE_SIZE: {
    rule: rules.wholeNumber(1, 1_000_000),
    default: '1000',
    meaning:
      'statements that may wait for a connection of a process; beyond, the newest of the shop that has most waiting gets 503 at once',
  },
  DATABASE_CONNECTION_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1200',
    meaning: 'the longest wait for a connection, when serving requests; the command line waits 10 s',
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1200',
    meaning:
      'the longest statement, when serving requests; the command line has five minutes, imports a quarter of an hour',
  },
  DATABASE_REPLICA_URLS: {
    rule: rules.postgresUrls,
    default: '',
    inProduction: 'with read replicas',
    meaning:
      'comma-separated: physical replicas of DATABASE_URL that serve its reads where that makes no difference ([Read replicas](docs/operations.md#read-replicas))',
    isSecret: true,
  },
  DATABASE_REPLICA_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '300',
    inProduction: 'well below REQUEST_TIMEOUT_MS',
    meaning: 'the longest wait for a connection to a replica, and for its result; then the primary is queried',
  },
  REQUEST_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1300',
    meaning: 'a request without a response by then gets 503; statements of a GraphQL operation are canceled',
  },
  SHUTDOWN_DELAY_MS: {
    rule: rules.wholeNumber(0, 600_000),
    default: (given) => (isProduction(given) ? '1000' : '0'),
    defaultWords: '0; in production 1000',
    inProduction: "longer than the interval of the proxy's health checks",
    meaning:
      'drain delay: how long a process still accepts requests after SIGTERM, with `/readyz` at 503; supervisors must allow 24 s more',
  },
  MAX_EXPORTS: {
    rule: rules.wholeNumber(0, 1000),
    default: '2',
    inProduction: 'below the connections that DATABASE_POOL_SIZE leaves free on the server',
    meaning:
      'exports per process that `GET /export` reads from the database at once, each with a connection to the primary of its own; others wait up to 5 s; 0 closes it',
  },
  MAX_TEMPORARY_MB: {
    rule: rules.wholeNumber(1, 1_000_000),
    default: '4096',
    inProduction: 'what the directory for temporary files has room for',
    meaning:
      'megabytes per process of temporary files that hold exports, and products beyond 8 MiB, until their clients have read them; beyond, the shop with most of it for longest loses its connection ([disk](#disk))',
  },
  MAX_WAITING_CLIENTS: {
    rule: rules.wholeNumber(0, 1_000_000),
    default: (given) => String(Math.floor(0.8 * (Number(given['MAX_CONNECTIONS']) || 10_000))),
    defaultWords: '0.8 × MAX_CONNECTIONS',
    inProduction: 'below MAX_CONNECTIONS',
    meaning:
      'clients of a process that wait in `GET /changes`; beyond, those of the shop with most of them are disconnected and reconnect; 0 closes it',
  },
  DATA_DIR: {
    rule: rules.directory,
    default: './.data',
    inProduction: 'not used',
    meaning: 'embedded database and generated secrets',
    isDecidedByCompose: true,
  },
  REDIS_URL: {
    rule: rules.redisUrl,
    inProduction: 'with more than one process',
    meaning: 'shared rate limit',
    isSecret: true,
  },
  RATE_LIMIT_REQUESTS: {
    rule: rules.wholeNumber(1, 1_000_000_000),
    default: '120',
    inProduction: '120',
    meaning: 'per 60 s and key; other values are for load tests',
  },
  TOKEN_SIGNING_KEYS: {
    rule: rules.signingKeySet,
    defaultWords: 'generated in DATA_DIR',
    requiredInProduction: 'to serve',
    meaning: 'JSON Web Key Set with private P-256 keys: the first signs, all verify',
    isSecret: true,
  },
  CURSOR_SECRET: {
    rule: rules.longSecrets,
    defaultWords: 'generated in DATA_DIR',
    requiredInProduction: 'to serve',
    meaning: 'comma-separated, 32 characters or more each: the first signs, all verify',
    isSecret: true,
  },
  KEY_PREFIX: { rule: rules.keyPrefix, default: 'ck', meaning: 'of new API keys; existing keys keep theirs' },
  API_KEY: {
    rule: rules.bearerToken,
    inProduction: 'not used by the service',
    meaning: 'the key with which `catalog mcp` calls a running service',
    isSecret: true,
    isDecidedByCompose: true,
  },
  SHOPIFY_TOKEN: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'of an app of the shop, with which `catalog pull shopify` reads',
    isSecret: true,
    isDecidedByCompose: true,
  },
  SHOPIFY_CLIENT_ID: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'of an app of the Dev Dashboard, which gets a token with it and `SHOPIFY_CLIENT_SECRET`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  SHOPIFY_CLIENT_SECRET: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'the secret of `SHOPIFY_CLIENT_ID`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  WOOCOMMERCE_KEY: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'a consumer key of the REST API that may read, for `catalog pull woocommerce`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  WOOCOMMERCE_SECRET: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'the consumer secret of `WOOCOMMERCE_KEY`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  METRICS_PORT: {
    rule: rules.port,
    inProduction: 'yes, or METRICS_ON_API_PORT',
    meaning: '`/metrics` on a dedicated port, on `HOST`; with `--workers` it reports on all workers together',
    isDecidedByCompose: true,
  },
  METRICS_ON_API_PORT: {
    rule: rules.flag,
    default: (given) => String(!isProduction(given) && given['METRICS_PORT'] === undefined),
    defaultWords: 'true outside production without METRICS_PORT',
    inProduction: 'false',
    meaning: '`true` or `false`: whether `/metrics` is on `PORT`. Only behind a proxy that does not pass the path on',
  },
  REFERENCE_PAGES: {
    rule: rules.flag,
    default: 'true',
    meaning:
      '`true` or `false`: whether `/`, `/reference`, their Markdown and `/dashboard` are served. In production they contain no key; they describe the API to anyone who can reach it. The operations of the dashboard are then known documents (`TRUSTED_DOCUMENTS_FILE`), too',
  },
  KEY_USAGE: {
    rule: rules.flag,
    default: 'true',
    meaning:
      '`true` or `false`: whether requests are counted by key and day (`catalog key usage`), with one write a minute',
  },
  MCP: {
    rule: rules.flag,
    default: 'true',
    meaning:
      '`true` or `false`: whether `/mcp` is served, the Model Context Protocol for programs with language models',
  },
  SUBGRAPHS: {
    rule: rules.subgraphList,
    default: '',
    meaning: "other teams' subgraphs, `name=url,name=url`; polled, and composed with the catalog",
  },
  SUPERGRAPH_FILE: {
    rule: rules.readableFile,
    meaning:
      'instead of SUBGRAPHS: a supergraph composed elsewhere, with this service in it as `catalog`; read again when it changes',
  },
  SUBGRAPH_POLL_SECONDS: {
    rule: rules.wholeNumber(1, 86_400),
    default: '10',
    meaning: 'pause between two polls of subgraphs, or checks of the file',
  },
  SUBGRAPH_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1000',
    inProduction: 'below REQUEST_TIMEOUT_MS',
    meaning:
      'a subgraph that has not responded by then, retries included, costs its fields; an operation that may query subgraphs has this on top of REQUEST_TIMEOUT_MS',
  },
  SUBGRAPH_HEADERS: {
    rule: rules.headerNames,
    default: '',
    meaning:
      'comma-separated client headers that are forwarded to subgraphs, such as `accept-language`; listing `authorization` passes credentials for this shop to them',
  },
  SUBGRAPH_SECRET: {
    rule: rules.longSecret,
    inProduction: 'with a router elsewhere',
    meaning: '32 characters or more: opens `POST /subgraph` to the router that sends it in `Router-Authorization`',
    isSecret: true,
  },
  ROUTER_SECRETS: {
    rule: rules.routerSecrets,
    default: '',
    inProduction: 'with subgraphs that only open to routers',
    meaning: '`name=secret,…`: sent in Router-Authorization to the subgraph of that name',
    isSecret: true,
  },
  TRUSTED_DOCUMENTS_FILE: {
    rule: rules.documentManifestFile,
    inProduction: 'if all clients are your own',
    meaning:
      "manifest of GraphQL documents that run by their identifier (Apollo's persisted query manifest, or identifier → text)",
  },
  TRUSTED_DOCUMENTS_MODE: {
    rule: rules.oneOf('only', 'also'),
    default: 'only',
    inProduction: 'only',
    meaning: '`only`: no other document runs; `also`: others run too',
  },
  LOG_LEVEL: {
    rule: rules.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    inProduction: 'info',
    meaning: '`debug` adds the details of unexpected errors',
  },
  LOG_FORMAT: {
    rule: rules.oneOf('pretty', 'json'),
    defaultWords: 'pretty on a terminal, else json',
    meaning: '`pretty`: text for people, `json`: one JSON object a line',
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof settings;

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

type ValueOf<One extends Setting> =
  z.output<One['rule']> | (One extends { readonly default: unknown } ? never : undefined);

/** The value of each setting, under its name in camel case: REQUEST_TIMEOUT_MS is `requestTimeoutMs`. */
export type SettingValues = {
  readonly [Name in SettingName as CamelCase<Name>]: ValueOf<(typeof settings)[Name]>;
};

export const settingEntries = Object.entries(settings) as unknown as readonly (readonly [SettingName, Setting])[];

type SecretName = {
  [Name in SettingName]: (typeof settings)[Name] extends { readonly isSecret: true } ? Name : never;
}[SettingName];

/** Settings whose value may be in a file. */
export const settingsFromFiles = settingEntries
  .filter(([, { isSecret }]) => isSecret)
  .map(([name]) => name) as readonly SecretName[];
