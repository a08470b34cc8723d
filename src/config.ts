import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { parseSigningKeySet, signingKeySetExpectation } from './auth/signing-key-set';
import type { ConnectionTargetError } from './database/connection-target';
import { parseConnectionTarget } from './database/connection-target';
import { readDocumentManifest } from './graph/limits/document-manifest';
import type { MisspeltSetting } from './misspelt-settings';
import { findMisspeltSettings } from './misspelt-settings';
import { maskText } from './privacy/masked-line';
import { ownSegments, pathPrefixOf } from './public-url';

/** The directory in which the process was started: `catalog` may change to another. */
const startDirectory = process.cwd();
const fromStart = (path: string): string => resolve(startDirectory, path);

/**
 * The directory in which a person typed `npm run catalog`: npm first changes to that of package.json. Returns undefined
 * when npm did not start this very command.
 */
export function findCallerDirectory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const { npm_lifecycle_event: script, INIT_CWD: directory } = environment;
  return script === 'catalog' && directory !== undefined && existsSync(directory) ? directory : undefined;
}

/**
 * An absolute http or https URL with nothing after its authority but a slash or a path of plain segments. Input that
 * URL parsers would silently correct is refused.
 */
const publicUrl = z
  .string()
  .regex(
    /^https?:\/\/[^\s/\\?#@]+(?:\/|(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)?$/i,
    'an http or https URL without credentials, query, fragment or a slash after its path, such as https://api.example.com or https://shop.example/catalog',
  )
  .refine((text) => URL.canParse(text), 'a host and at most a port after http:// or https://')
  .transform((text) => `${new URL(text).origin}${pathPrefixOf(text)}`)
  .refine(
    (text) => !/\/v1$/.test(text) && !ownSegments.includes(pathPrefixOf(text).split('/')[1] ?? ''),
    "an http or https URL whose path neither begins with one of the service's own, such as /graphql, nor ends with /v1, which the service adds",
  );

const oneOf = <const Word extends string>(...words: readonly Word[]) =>
  z.enum(words, { error: `one of ${words.join(', ')}` });

const wholeNumber = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/^\d+$/, `a whole number from ${minimum} to ${maximum}`)
    .transform(Number)
    .refine((value) => value >= minimum && value <= maximum, `a whole number from ${minimum} to ${maximum}`);

const commaList = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

const postgresUrl = z.string().check(({ value, issues }) => {
  try {
    parseConnectionTarget(value);
  } catch (error) {
    issues.push({ code: 'custom', input: value, message: (error as ConnectionTargetError).message });
  }
});

const postgresUrls = commaList.refine(
  (urls) => urls.every((url) => postgresUrl.safeParse(url).success),
  'postgresql:// URLs, separated by commas',
);

/** `name=url,name=url`: the names under which other teams' subgraphs are composed. */
const subgraphList = commaList
  .transform((items) =>
    items.map((item) => ({ name: item.slice(0, item.indexOf('=')), url: item.slice(item.indexOf('=') + 1) })),
  )
  .refine(
    (subgraphs) => subgraphs.every(({ name, url }) => /^[a-z][a-z0-9_-]{0,63}$/.test(name) && isHttpUrl(url)),
    'name=url pairs, separated by commas: names of lowercase letters, digits, - and _, http or https URLs',
  )
  .refine(
    (subgraphs) => new Set(['catalog', 'nodes', ...subgraphs.map(({ name }) => name)]).size === subgraphs.length + 2,
    'names that differ from each other; catalog and nodes are reserved',
  );

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The parts of redis and rediss URLs that the client uses: a host, and the number of a database as the path. */
const isRedisUrl = (text: string): boolean =>
  /^rediss?:\/\/[^/?#]/.test(text) && URL.canParse(text) && /^\/?\d*$/.test(new URL(text).pathname);

const isHost = (text: string): boolean => isIPv6(text) || /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.?$/.test(text);

/** A file that the process reads later. `check` throws an error that describes its defect. */
const usableFile = (what: string, check: (path: string) => unknown) =>
  z.string().check(({ value, issues }) => {
    try {
      check(fromStart(value));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      issues.push({ code: 'custom', input: value, message: `${what} (${code ?? message})` });
    }
  });

function checkReadable(path: string): void {
  accessSync(path, constants.R_OK);
  if (!statSync(path).isFile()) throw new Error('not a file');
}

/** Whether this path is a directory or one can be created there. Creates nothing. */
function mayBeDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return dirname(path) === path || mayBeDirectory(dirname(path));
  }
}

const headerNames = commaList.refine(
  (names) => names.every((name) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)),
  'names of headers, separated by commas',
);

/**
 * `name=secret,name=secret`, or one per line: the secret that each subgraph accepts. A comma is not part of a secret.
 */
const routerSecrets = z
  .string()
  .transform((text) =>
    text
      .split(/[,\n]/)
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map((item): [string, string] => {
        const at = Math.max(0, item.indexOf('='));
        return [item.slice(0, at), item.slice(at + 1)];
      }),
  )
  .refine(
    (secrets) =>
      secrets.every(([name, secret]) => /^[A-Za-z_][\w-]{0,63}$/.test(name) && /^[!-~](?:[ -~]*[!-~])?$/.test(secret)),
    'name=secret pairs of printable ASCII characters, separated by commas or line ends: a subgraph, and the secret it accepts',
  )
  .refine((secrets) => new Set(secrets.map(([name]) => name)).size === secrets.length, 'one secret for each name')
  .transform((secrets): Readonly<Record<string, string>> => Object.fromEntries(secrets));

const settings = z.object({
  NODE_ENV: oneOf('development', 'test', 'production').default('development'),
  PORT: wholeNumber(0, 65_535).default(4000),
  HOST: z.string().refine(isHost, 'an IP address or the name of a host, without scheme and port').default('127.0.0.1'),
  PUBLIC_URL: publicUrl.optional(),
  TRUST_PROXY: wholeNumber(0, 32).default(0),
  MAX_CONNECTIONS: wholeNumber(1, 1_000_000).default(10_000),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_POOL_SIZE: wholeNumber(1, 1000).default(10),
  DATABASE_QUEUE_SIZE: wholeNumber(1, 1_000_000).default(1000),
  DATABASE_CONNECTION_TIMEOUT_MS: wholeNumber(1, 600_000).default(1200),
  DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, 600_000).default(1200),
  DATABASE_REPLICA_URLS: postgresUrls.default([]),
  DATABASE_REPLICA_TIMEOUT_MS: wholeNumber(1, 600_000).default(300),
  REQUEST_TIMEOUT_MS: wholeNumber(1, 600_000).default(1300),
  SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000).optional(),
  MAX_EXPORTS: wholeNumber(0, 1000).default(2),
  METRICS_PORT: wholeNumber(0, 65_535).optional(),
  METRICS_ON_API_PORT: oneOf('true', 'false').optional(),
  REFERENCE_PAGES: oneOf('true', 'false').default('true'),
  DATA_DIR: z
    .string()
    .refine((path) => mayBeDirectory(fromStart(path)), 'a directory, or a path at which one can be created')
    .default('./.data'),
  REDIS_URL: z.string().refine(isRedisUrl, 'a redis:// URL').optional(),
  RATE_LIMIT_REQUESTS: wholeNumber(1, 1_000_000_000).default(120),
  TOKEN_SIGNING_KEYS: z
    .string()
    .refine((text) => parseSigningKeySet(text) !== undefined, signingKeySetExpectation)
    .optional(),
  CURSOR_SECRET: commaList
    .refine(
      (secrets) => secrets.length > 0 && secrets.every((secret) => secret.length >= 32),
      'one or more secrets of at least 32 characters, separated by commas',
    )
    .optional(),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'up to 16 lowercase letters and digits, starting with a letter')
    .default('ck'),
  TRUSTED_DOCUMENTS_FILE: usableFile('a manifest of GraphQL documents', (path) =>
    readDocumentManifest(readFileSync(path, 'utf8')),
  ).optional(),
  TRUSTED_DOCUMENTS_MODE: oneOf('only', 'also').default('only'),
  SUBGRAPHS: subgraphList.default([]),
  SUPERGRAPH_FILE: usableFile('a file that can be read', checkReadable).optional(),
  SUBGRAPH_POLL_SECONDS: wholeNumber(1, 86_400).default(10),
  SUBGRAPH_TIMEOUT_MS: wholeNumber(1, 600_000).default(1000),
  SUBGRAPH_HEADERS: headerNames.default([]),
  SUBGRAPH_SECRET: z.string().min(32, 'at least 32 characters').optional(),
  ROUTER_SECRETS: routerSecrets.default({}),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  LOG_FORMAT: oneOf('pretty', 'json').optional(),
});

/**
 * Settings whose value may be in a file, identified by NAME_FILE: the environment, which other programs can read, then
 * contains no secret.
 */
export const settingsFromFiles = [
  'DATABASE_URL',
  'DATABASE_REPLICA_URLS',
  'REDIS_URL',
  'TOKEN_SIGNING_KEYS',
  'CURSOR_SECRET',
  'SUBGRAPH_SECRET',
  'ROUTER_SECRETS',
] as const satisfies readonly (keyof typeof settings.shape)[];

const settingNames = [...Object.keys(settings.shape), ...settingsFromFiles.map((name) => `${name}_FILE`)];

/** All settings, validated once. Nothing else in the code reads the environment. */
export interface Config {
  readonly environment: 'development' | 'test' | 'production';
  readonly production: boolean;
  readonly http: {
    /** 0 picks a free port. */
    readonly port: number;
    readonly host: string;
    /** Origin in metadata, challenges and links (D17). Unset: http://localhost:PORT, known once the port is bound. */
    readonly publicUrl: string | undefined;
    /** Number of trusted proxies in front: that many entries of X-Forwarded-For are used. */
    readonly trustedProxies: number;
    /** Per process; further connections are closed on arrival. */
    readonly maximumConnections: number;
    /** A request without an answer by then gets 503. */
    readonly requestTimeoutMilliseconds: number;
    /** The drain delay: how long a stopping process still takes requests, so that proxies notice. */
    readonly shutdownDelayMilliseconds: number;
    /** Exports at once per process, each with a connection to the database of its own; 0 closes GET /export. */
    readonly maximumExports: number;
  };
  readonly database: {
    /** Unset: the embedded PostgreSQL in `dataDirectory`. */
    readonly url: string | undefined;
    readonly poolSize: number;
    /** Limits for answering requests; the command line has none. */
    readonly queueSize: number;
    readonly connectionTimeoutMilliseconds: number;
    readonly statementTimeoutMilliseconds: number;
    /** Copies that follow by physical replication and may answer reads in place of the database. */
    readonly replicaUrls: readonly string[];
    /** Short enough that the database itself can still be queried within the request's time. */
    readonly replicaTimeoutMilliseconds: number;
  };
  /** When set, /metrics has its own port; 0 picks a free one. */
  readonly metricsPort: number | undefined;
  /**
   * Whether the port for clients serves /metrics too: outside production, unless it has its own port or a setting
   * decides.
   */
  readonly metricsOnApiPort: boolean;
  /** Whether `/`, `/reference` and their Markdown are served. */
  readonly referencePages: boolean;
  readonly dataDirectory: string;
  readonly redisUrl: string | undefined;
  /** Requests per 60 seconds and key, or IP address (D18, D19). */
  readonly rateLimitRequests: number;
  /** A JSON Web Key Set as text; src/auth/ parses it. */
  readonly tokenSigningKeys: string | undefined;
  /** The first one signs, all of them verify. */
  readonly cursorSecrets: readonly string[] | undefined;
  readonly keyPrefix: string;
  /** A manifest of the GraphQL documents that may be run by identifier. In mode `only` no others may be run. */
  readonly trustedDocuments: { readonly file: string; readonly mode: 'only' | 'also' } | undefined;
  readonly federation: {
    /** Other teams' subgraphs, polled for their SDL. */
    readonly subgraphs: readonly { readonly name: string; readonly url: string }[];
    /** A supergraph composed elsewhere, read repeatedly; used instead of `subgraphs`. */
    readonly supergraphFile: string | undefined;
    readonly pollMilliseconds: number;
    /** The fields of a subgraph that has not responded by then fail. */
    readonly timeoutMilliseconds: number;
    /** Client headers that are forwarded to subgraphs. */
    readonly forwardedHeaders: readonly string[];
    /** The secret with which a router opens /subgraph. Unset: closed. */
    readonly subgraphSecret: string | undefined;
    /** The secrets that other teams' subgraphs accept, by subgraph name. */
    readonly routerSecrets: Readonly<Record<string, string>>;
  };
  readonly logLevel: string;
  /** Unset: pretty on a terminal, else JSON. */
  readonly logFormat: 'pretty' | 'json' | undefined;
  /** Variables whose names are almost those of settings: a start reports them. */
  readonly misspelt: readonly MisspeltSetting[];
  /** Whether colours may be written to a terminal (https://no-color.org). */
  readonly colors: boolean;
}

/**
 * A missing or unusable setting. The message reports each bad setting on its own line, and no value that may be a
 * secret.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** Commands that do not serve need the database alone; what else one needs, it asks for itself. */
const requiredInProduction = (serves: boolean): readonly string[] =>
  serves ? ['PUBLIC_URL', 'DATABASE_URL', 'TOKEN_SIGNING_KEYS', 'CURSOR_SECRET'] : ['DATABASE_URL'];

/** URLs may contain credentials. */
const unshownSettings: ReadonlySet<string> = new Set([...settingsFromFiles, 'SUBGRAPHS']);

/**
 * Reads the settings (docs/operations.md) from the environment and from the files that it references; reads nothing
 * else.
 * @param options.serves Whether the process serves the API, which needs more settings in production.
 * @throws ConfigError that lists all problems at once.
 */
export function loadConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  { serves }: { readonly serves: boolean } = { serves: true },
): Config {
  const { given, present, result, problems, refuse } = readSettings(settings, environment);
  if (present['SUBGRAPHS'] !== undefined && present['SUPERGRAPH_FILE'] !== undefined) {
    // Whatever file it references.
    problems.set('SUPERGRAPH_FILE', 'expected nothing while SUBGRAPHS is set: use one or the other');
  }
  // Other settings that are empty count as absent. Here a slip would open what only development may show.
  if (environment['NODE_ENV'] === '') refuse('NODE_ENV', 'expected one of development, test, production, got ""');
  if (present['NODE_ENV'] === 'production') {
    for (const name of requiredInProduction(serves)) {
      if (present[name] === undefined && given[`${name}_FILE`] === undefined)
        refuse(name, 'expected a value, got none: it is required when NODE_ENV=production');
    }
  }
  if (present['DATABASE_REPLICA_URLS'] !== undefined && present['DATABASE_URL'] === undefined) {
    refuse('DATABASE_REPLICA_URLS', 'expected nothing without DATABASE_URL: the embedded server has no replica');
  }
  const { PORT = '4000', METRICS_PORT } = present;
  if (METRICS_PORT !== undefined && Number(METRICS_PORT) !== 0 && Number(METRICS_PORT) === Number(PORT)) {
    refuse('METRICS_PORT', `expected another port than PORT, got ${describeValue('METRICS_PORT', METRICS_PORT)}`);
  }
  if (!result.success || problems.size > 0) {
    throw unusable(problems);
  }
  const value = result.data;
  return Object.freeze({
    environment: value.NODE_ENV,
    production: value.NODE_ENV === 'production',
    http: Object.freeze({
      port: value.PORT,
      host: value.HOST,
      publicUrl: value.PUBLIC_URL,
      trustedProxies: value.TRUST_PROXY,
      maximumConnections: value.MAX_CONNECTIONS,
      requestTimeoutMilliseconds: value.REQUEST_TIMEOUT_MS,
      shutdownDelayMilliseconds: value.SHUTDOWN_DELAY_MS ?? (value.NODE_ENV === 'production' ? 1000 : 0),
      maximumExports: value.MAX_EXPORTS,
    }),
    database: Object.freeze({
      url: value.DATABASE_URL,
      poolSize: value.DATABASE_POOL_SIZE,
      queueSize: value.DATABASE_QUEUE_SIZE,
      connectionTimeoutMilliseconds: value.DATABASE_CONNECTION_TIMEOUT_MS,
      statementTimeoutMilliseconds: value.DATABASE_STATEMENT_TIMEOUT_MS,
      replicaUrls: value.DATABASE_REPLICA_URLS,
      replicaTimeoutMilliseconds: value.DATABASE_REPLICA_TIMEOUT_MS,
    }),
    metricsPort: value.METRICS_PORT,
    metricsOnApiPort:
      value.METRICS_ON_API_PORT === undefined
        ? value.NODE_ENV !== 'production' && value.METRICS_PORT === undefined
        : value.METRICS_ON_API_PORT === 'true',
    referencePages: value.REFERENCE_PAGES === 'true',
    dataDirectory: fromStart(value.DATA_DIR),
    redisUrl: value.REDIS_URL,
    rateLimitRequests: value.RATE_LIMIT_REQUESTS,
    tokenSigningKeys: value.TOKEN_SIGNING_KEYS,
    cursorSecrets: value.CURSOR_SECRET,
    keyPrefix: value.KEY_PREFIX,
    trustedDocuments:
      value.TRUSTED_DOCUMENTS_FILE === undefined
        ? undefined
        : Object.freeze({ file: fromStart(value.TRUSTED_DOCUMENTS_FILE), mode: value.TRUSTED_DOCUMENTS_MODE }),
    federation: Object.freeze({
      subgraphs: value.SUBGRAPHS,
      supergraphFile: value.SUPERGRAPH_FILE === undefined ? undefined : fromStart(value.SUPERGRAPH_FILE),
      pollMilliseconds: value.SUBGRAPH_POLL_SECONDS * 1000,
      timeoutMilliseconds: value.SUBGRAPH_TIMEOUT_MS,
      forwardedHeaders: value.SUBGRAPH_HEADERS,
      subgraphSecret: value.SUBGRAPH_SECRET,
      routerSecrets: value.ROUTER_SECRETS,
    }),
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT,
    misspelt: findMisspeltSettings(environment, settingNames),
    colors: present['NO_COLOR'] === undefined && present['TERM'] !== 'dumb',
  });
}

const routerSettings = settings.pick({
  SUBGRAPHS: true,
  SUBGRAPH_HEADERS: true,
  SUBGRAPH_TIMEOUT_MS: true,
  ROUTER_SECRETS: true,
});

/** The settings that a router over any subgraphs needs. */
export type RouterConfig = Pick<Config['federation'], 'subgraphs' | 'forwardedHeaders' | 'routerSecrets'> & {
  /** undefined unless it was set. */
  readonly timeoutMilliseconds: number | undefined;
};

/**
 * Reads only the settings of a router: no other setting has to be valid, not even in production.
 * @throws ConfigError that lists all problems at once.
 */
export function loadRouterConfig(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): RouterConfig {
  const names = Object.keys(routerSettings.shape);
  const { present, result, problems } = readSettings(
    routerSettings,
    Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name.replace(/_FILE$/, '')))),
  );
  if (!result.success || problems.size > 0) throw unusable(problems);
  const value = result.data;
  return {
    subgraphs: value.SUBGRAPHS,
    forwardedHeaders: value.SUBGRAPH_HEADERS,
    routerSecrets: value.ROUTER_SECRETS,
    timeoutMilliseconds: present['SUBGRAPH_TIMEOUT_MS'] === undefined ? undefined : value.SUBGRAPH_TIMEOUT_MS,
  };
}

/** Problems by name of the setting. */
type Problems = Map<string, string>;

/** Reads settings from the environment and the files that it references, and validates each separately. */
function readSettings<Schema extends z.ZodType>(
  schema: Schema,
  environment: Readonly<Record<string, string | undefined>>,
) {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const fromFiles = readFiles(given);
  const present: Readonly<Record<string, string | undefined>> = { ...given, ...fromFiles.values };
  const result = schema.safeParse(present);
  const problems: Problems = new Map();
  // Only the first problem of a setting is reported: the others follow from it.
  const refuse = (name: string, problem: string): void => {
    if (!problems.has(name)) problems.set(name, problem);
  };
  for (const { path, message } of result.error?.issues ?? []) {
    const name = String(path[0]);
    refuse(name, `expected ${message}, got ${describeValue(name, present[name] ?? '')}`);
  }
  for (const [name, problem] of fromFiles.problems) refuse(name, problem);
  return { given, present, result, problems, refuse };
}

const unusable = (problems: Problems): ConfigError =>
  new ConfigError(
    `These settings are not usable:\n${[...problems].map(([name, problem]) => `  ${name}: ${problem}`).join('\n')}`,
  );

/** A value for a message: on one line, truncated, and only if it cannot be a secret. */
function describeValue(name: string, value: string): string {
  // The part before an @ may be credentials, and a query or fragment a token.
  const mayHoldLogin = name === 'PUBLIC_URL' && /[@?#]|%40/.test(value);
  if (mayHoldLogin || unshownSettings.has(name)) return 'something else (not shown, as it may be secret)';
  const masked = maskText(value);
  return JSON.stringify(masked.length > longestShown ? `${masked.slice(0, longestShown)}…` : masked);
}

const longestShown = 60;

/** Reads settings from their files, without the final line break, and reports problems with files by name. */
function readFiles(given: Readonly<Record<string, string | undefined>>) {
  const values: Record<string, string> = {};
  const problems: Problems = new Map();
  for (const name of settingsFromFiles) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.set(`${name}_FILE`, `expected nothing while ${name} is set: use one or the other`);
      continue;
    }
    try {
      const text = readFileSync(fromStart(path), 'utf8').trimEnd();
      // An empty file is not the same as no file: a shared limit or a replica would be missing silently.
      if (text === '') problems.set(`${name}_FILE`, 'expected a file that is not empty');
      else values[name] = text;
    } catch (error) {
      problems.set(`${name}_FILE`, `expected a file that can be read (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { values, problems };
}
