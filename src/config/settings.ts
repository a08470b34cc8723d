import type { z } from 'zod';
import * as rules from './setting-rules';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting. The documents (docs/operations.md, README.md) and docker-compose.yml are generated from it. */
interface Setting {
  /** Parses the text of a variable, or reports what is expected. */
  readonly rule: z.ZodType<unknown, string>;
  /** As typed, or a function of the variables that are set. Without a default the value is `undefined`. */
  readonly default?: string | ((given: Environment) => string);
  /** Description of the default in documents, if it is not literal. */
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
      '`development`, `test` or `production`; any other value fails at startup. `production` requires PUBLIC_URL, DATABASE_URL, TOKEN_SIGNING_KEYS and CURSOR_SECRET, disables the explorer pages, removes `/metrics` from `PORT`, and rejects introspection queries without a credential',
    isDecidedByCompose: true,
  },
  PORT: {
    rule: rules.port,
    default: '4000',
    meaning: 'port to listen on; 0 picks a free port',
    isDecidedByCompose: true,
  },
  HOST: {
    rule: rules.host,
    default: '127.0.0.1',
    inProduction: 'as your proxy requires',
    meaning: 'IP address or host name to listen on',
    isDecidedByCompose: true,
  },
  PUBLIC_URL: {
    rule: rules.publicUrl,
    defaultWords: 'http://localhost:PORT',
    requiredInProduction: 'to serve',
    meaning:
      'public URL for metadata, challenges, links and tokens (`iss`, `aud`): an origin with an optional path, such as `https://shop.example/catalog`, without `/v1`. Never taken from a request. Changing it invalidates all access tokens',
    isDecidedByCompose: true,
  },
  TRUST_PROXY: {
    rule: rules.wholeNumber(0, 32),
    default: '0',
    inProduction: 'number of proxies',
    meaning: 'number of trusted proxies in front of the service (entries in X-Forwarded-For)',
  },
  MAX_CONNECTIONS: {
    rule: rules.wholeNumber(1, 1_000_000),
    default: '10000',
    meaning:
      'concurrent client connections per process, 10 to 20 kB each. Beyond that, idle ones are closed and new ones rejected (`http_connections_lost_total`). The open file limit must be higher',
  },
  DATABASE_URL: {
    rule: rules.postgresUrl,
    defaultWords: 'embedded server',
    requiredInProduction: 'always',
    meaning:
      'PostgreSQL 15 to 18, with a role that is a member of `catalog_reader`. With several hosts, the primary is used ([Failover](docs/operations.md#failover)). `sslmode=require` also verifies the certificate',
    isSecret: true,
  },
  DATABASE_POOL_SIZE: { rule: rules.wholeNumber(1, 1000), default: '10', meaning: 'database connections per process' },
  DATABASE_QUEUE_SIZE: {
    rule: rules.wholeNumber(1, 1_000_000),
    default: '1000',
    meaning:
      'statements per process that can wait for a database connection. Beyond that, the newest statement of the shop with the most waiting fails with 503',
  },
  DATABASE_CONNECTION_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1200',
    meaning: 'maximum wait for a connection while serving requests. The command line waits 10 s',
  },
  DATABASE_STATEMENT_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1200',
    meaning:
      'maximum duration of a statement while serving requests. Products beyond 8 MiB and the command line are allowed 10 minutes, imports 15 minutes, exports and `catalog check` 1 hour',
  },
  DATABASE_REPLICA_URLS: {
    rule: rules.postgresUrls,
    default: '',
    inProduction: 'with read replicas',
    meaning:
      'comma-separated physical replicas of DATABASE_URL that take over reads without changing results ([Read replicas](docs/operations.md#read-replicas))',
    isSecret: true,
  },
  DATABASE_REPLICA_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '300',
    inProduction: 'well below REQUEST_TIMEOUT_MS',
    meaning: 'maximum wait for a connection to a replica, and again for its result; then the primary is queried',
  },
  REQUEST_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1300',
    meaning: 'request timeout. On timeout the request fails with 503 and its GraphQL statements are canceled',
  },
  SHUTDOWN_DELAY_MS: {
    rule: rules.wholeNumber(0, 600_000),
    default: (given) => (isProduction(given) ? '1000' : '0'),
    defaultWords: '0; in production 1000',
    inProduction: "longer than the interval of the proxy's health checks",
    meaning:
      'drain delay: how long the process accepts requests after SIGTERM, with `/readyz` at 503. Supervisors must allow another 24 s',
  },
  MAX_EXPORTS: {
    rule: rules.wholeNumber(0, 1000),
    default: '2',
    inProduction: 'below the connections that DATABASE_POOL_SIZE leaves free on the server',
    meaning:
      'concurrent `GET /export` database reads per process, each with its own connection to the primary. Others wait up to 5 s. 0 disables the endpoint',
  },
  MAX_TEMPORARY_MB: {
    // Space is taken in steps of 8 MiB.
    rule: rules.wholeNumber(9, 1_000_000),
    default: '4096',
    inProduction: 'the free space of the temporary directory',
    meaning:
      'megabytes of temporary files per process for exports, and for products beyond 8 MiB, until clients have read them. Beyond that, responses of the shop with the highest disk use over time are cut off ([disk](#disk))',
  },
  MAX_WAITING_CLIENTS: {
    rule: rules.wholeNumber(0, 1_000_000),
    default: (given) => String(Math.floor(0.8 * (Number(given['MAX_CONNECTIONS']) || 10_000))),
    defaultWords: '0.8 × MAX_CONNECTIONS',
    inProduction: 'below MAX_CONNECTIONS',
    meaning:
      'clients per process that can wait in `GET /changes`. Beyond that, some clients of the shop with the most waiting clients stop waiting: long polls get an empty page, streams are closed. 0 disables the endpoint',
  },
  DATA_DIR: {
    rule: rules.directory,
    default: './.data',
    inProduction: 'not used',
    meaning: 'directory of the embedded database and generated secrets',
    isDecidedByCompose: true,
  },
  REDIS_URL: {
    rule: rules.redisUrl,
    inProduction: 'with more than one process',
    meaning: 'Redis for the rate limit shared by all processes',
    isSecret: true,
  },
  RATE_LIMIT_REQUESTS: {
    rule: rules.wholeNumber(1, 1_000_000_000),
    default: '120',
    inProduction: '120',
    meaning: 'requests per key per 60 s. Change it only for load tests',
  },
  TOKEN_SIGNING_KEYS: {
    rule: rules.signingKeySet,
    defaultWords: 'generated in DATA_DIR',
    requiredInProduction: 'to serve',
    meaning: 'JSON Web Key Set with private P-256 keys for access tokens: the first signs, all verify',
    isSecret: true,
  },
  CURSOR_SECRET: {
    rule: rules.longSecrets,
    defaultWords: 'generated in DATA_DIR',
    requiredInProduction: 'to serve',
    meaning: 'comma-separated secrets for cursors, 32 characters or more each: the first signs, all verify',
    isSecret: true,
  },
  KEY_PREFIX: { rule: rules.keyPrefix, default: 'ck', meaning: 'prefix of new API keys; existing keys keep theirs' },
  API_KEY: {
    rule: rules.bearerToken,
    inProduction: 'not used by the service',
    meaning: 'API key that `catalog mcp` uses to call a running service',
    isSecret: true,
    isDecidedByCompose: true,
  },
  SHOPIFY_TOKEN: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'access token of a Shopify app in the shop, for `catalog pull shopify`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  SHOPIFY_CLIENT_ID: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'client ID of a Dev Dashboard app; used with `SHOPIFY_CLIENT_SECRET` to request a token',
    isSecret: true,
    isDecidedByCompose: true,
  },
  SHOPIFY_CLIENT_SECRET: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'client secret for `SHOPIFY_CLIENT_ID`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  WOOCOMMERCE_KEY: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'consumer key of the WooCommerce REST API with read permission, for `catalog pull woocommerce`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  WOOCOMMERCE_SECRET: {
    rule: rules.headerToken,
    inProduction: 'not used by the service',
    meaning: 'consumer secret for `WOOCOMMERCE_KEY`',
    isSecret: true,
    isDecidedByCompose: true,
  },
  METRICS_PORT: {
    rule: rules.port,
    inProduction: 'yes, or METRICS_ON_API_PORT',
    meaning: 'dedicated port for `/metrics` on `HOST`. With `--workers`, it covers all workers',
    isDecidedByCompose: true,
  },
  METRICS_ON_API_PORT: {
    rule: rules.flag,
    default: (given) => String(!isProduction(given) && given['METRICS_PORT'] === undefined),
    defaultWords: 'true outside production without METRICS_PORT',
    inProduction: 'false',
    meaning: '`true` or `false`: serve `/metrics` on `PORT`. Set it to true only behind a proxy that blocks the path',
  },
  REFERENCE_PAGES: {
    rule: rules.flag,
    default: 'true',
    meaning:
      "`true` or `false`: serve `/`, `/reference`, `/changelog`, their Markdown, `/schema.graphql`, `/llms.txt`, `/.well-known/api-catalog`, `/dashboard` and, outside production, `/explorer` and the demo's images. In production they contain no key, but show the API to all visitors. The dashboard's operations become trusted documents too (`TRUSTED_DOCUMENTS_FILE`)",
  },
  KEY_USAGE: {
    rule: rules.flag,
    default: 'true',
    meaning:
      '`true` or `false`: count requests by key and day (`catalog key usage`), and record last uses, with one write per minute',
  },
  MCP: {
    rule: rules.flag,
    default: 'true',
    meaning: '`true` or `false`: serve `/mcp`, the Model Context Protocol for language models',
  },
  SUBGRAPHS: {
    rule: rules.subgraphList,
    default: '',
    meaning: "other teams' subgraphs, `name=url,name=url`. They are polled and composed with the catalog",
  },
  SUPERGRAPH_FILE: {
    rule: rules.readableFile,
    meaning:
      'instead of SUBGRAPHS: a supergraph file composed elsewhere that includes this service as `catalog`. Reloaded when it changes',
  },
  SUBGRAPH_POLL_SECONDS: {
    rule: rules.wholeNumber(1, 86_400),
    default: '10',
    meaning: 'interval between polls of the subgraphs, or checks of the file',
  },
  SUBGRAPH_TIMEOUT_MS: {
    rule: rules.milliseconds,
    default: '1000',
    inProduction: 'below REQUEST_TIMEOUT_MS',
    meaning:
      'subgraph timeout, including retries. On timeout its fields are null. Operations that may query subgraphs get this in addition to REQUEST_TIMEOUT_MS',
  },
  SUBGRAPH_HEADERS: {
    rule: rules.headerNames,
    default: '',
    meaning:
      "comma-separated client headers to forward to subgraphs, such as `accept-language`. `authorization` gives them the shop's credentials",
  },
  SUBGRAPH_SECRET: {
    rule: rules.longSecret,
    inProduction: 'with your own router',
    meaning:
      'secret of 32 characters or more that enables `POST /subgraph` for the router that sends it in `Router-Authorization`',
    isSecret: true,
  },
  ROUTER_SECRETS: {
    rule: rules.routerSecrets,
    default: '',
    inProduction: 'with subgraphs that require a router secret',
    meaning: '`name=secret,…`: secret to send to each subgraph in `Router-Authorization`',
    isSecret: true,
  },
  TRUSTED_DOCUMENTS_FILE: {
    rule: rules.documentManifestFile,
    inProduction: 'if you own all clients',
    meaning:
      "manifest of GraphQL documents that can be executed by identifier (Apollo's persisted query manifest, or identifier → text)",
  },
  TRUSTED_DOCUMENTS_MODE: {
    rule: rules.oneOf('only', 'also'),
    default: 'only',
    inProduction: 'only',
    meaning: '`only`: reject all other documents; `also`: accept others too',
  },
  LOG_LEVEL: {
    rule: rules.oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
    default: 'info',
    inProduction: 'info',
    meaning: 'log level. With `debug`, commands print the details of unexpected errors',
  },
  LOG_FORMAT: {
    rule: rules.oneOf('pretty', 'json'),
    defaultWords: 'pretty on a terminal, otherwise json',
    meaning: '`pretty`: readable text, `json`: one JSON object per line',
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
