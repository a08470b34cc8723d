import { readFileSync } from 'node:fs';
import { shorten } from '../common/one-line';
import { ConfigError } from './config-error';
import { findMisspelledSettings } from './misspelled-settings';
import { fromStart } from './setting-rules';
import type { Environment, SettingName, SettingValues } from './settings';
import { settingEntries, settingsFromFiles } from './settings';
import { maskText } from '../privacy/masked-line';

/** All settings (src/config/settings.ts), validated once. Nothing else in the code reads the environment. */
export interface Config extends SettingValues {
  readonly production: boolean;
  /** Warnings about misspelled settings, reported at startup. */
  readonly misspelled: readonly string[];
  /** Whether colors may be written to a terminal (https://no-color.org). */
  readonly colors: boolean;
}

/**
 * Reads the settings from the environment and from the files that it references; reads nothing else.
 * @param options.serves Whether the process serves the API, which needs more settings in production.
 * @param options.hasDatabase Whether it uses the catalog's database.
 * @throws ConfigError that lists all problems at once.
 */
export function loadConfig(
  environment: Environment = process.env,
  { serves, hasDatabase = true }: { readonly serves: boolean; readonly hasDatabase?: boolean } = { serves: true },
): Config {
  const { given, present, values, problems, refuse } = readSettings(settingEntries, environment);
  if (present['SUBGRAPHS'] !== undefined && present['SUPERGRAPH_FILE'] !== undefined) {
    // Whatever file it references.
    problems.set('SUPERGRAPH_FILE', 'expected no value while SUBGRAPHS is set: use one or the other');
  }
  // Other settings that are empty count as absent. Here an oversight would expose what only development may show.
  if (environment['NODE_ENV'] === '') refuse('NODE_ENV', 'expected one of development, test, production, got ""');
  if (present['NODE_ENV'] === 'production') {
    for (const [name, { requiredInProduction }] of settingEntries) {
      const isRequired =
        (requiredInProduction === 'always' && hasDatabase) || (requiredInProduction === 'to serve' && serves);
      if (isRequired && present[name] === undefined && given[`${name}_FILE`] === undefined)
        refuse(name, 'expected a value, got none; it is required when NODE_ENV=production');
    }
  }
  const hasUrl = present['DATABASE_URL'] !== undefined || given['DATABASE_URL_FILE'] !== undefined;
  if (present['DATABASE_REPLICA_URLS'] !== undefined && !hasUrl) {
    refuse('DATABASE_REPLICA_URLS', 'expected no value without DATABASE_URL: the embedded server has no replicas');
  }
  const { PORT = '4000', METRICS_PORT } = present;
  if (METRICS_PORT !== undefined && Number(METRICS_PORT) !== 0 && Number(METRICS_PORT) === Number(PORT)) {
    refuse('METRICS_PORT', `expected a port other than PORT, got ${describeValue('METRICS_PORT', METRICS_PORT)}`);
  }
  throwIfAny(problems, environment);
  return Object.freeze({
    ...(values as SettingValues),
    production: present['NODE_ENV'] === 'production',
    misspelled: findMisspelledSettings(environment, settingNames),
    colors: present['NO_COLOR'] === undefined && present['TERM'] !== 'dumb',
  });
}

const settingNames = [...settingEntries.map(([name]) => name), ...settingsFromFiles.map((name) => `${name}_FILE`)];

const routerSettings: readonly SettingName[] = [
  'SUBGRAPHS',
  'SUBGRAPH_HEADERS',
  'SUBGRAPH_TIMEOUT_MS',
  'ROUTER_SECRETS',
];

/** The settings that a router over any subgraphs needs. */
export type RouterConfig = Pick<SettingValues, 'subgraphs' | 'subgraphHeaders' | 'routerSecrets'> & {
  /** undefined unless set: the service's default is too short for a separate router. */
  readonly subgraphTimeoutMs: number | undefined;
};

/**
 * Reads only the settings of a router: no other setting has to be valid, not even in production.
 * @throws ConfigError that lists all problems at once.
 */
export function loadRouterConfig(environment: Environment = process.env): RouterConfig {
  const entries = settingEntries.filter(([name]) => routerSettings.includes(name));
  const { present, values, problems } = readSettings(entries, environment);
  throwIfAny(problems, environment);
  const { subgraphTimeoutMs, ...others } = values as SettingValues;
  return {
    ...others,
    subgraphTimeoutMs: present['SUBGRAPH_TIMEOUT_MS'] === undefined ? undefined : subgraphTimeoutMs,
  };
}

/**
 * The settings of a gateway without a catalog, which needs none of them. Options of its command replace variables.
 * @throws ConfigError that lists all problems at once.
 */
export function loadGatewayConfig(options: Readonly<Record<string, string>>): {
  readonly config: Config;
  readonly router: RouterConfig;
} {
  const given = { ...process.env, ...options };
  return { config: loadConfig(given, { serves: false, hasDatabase: false }), router: loadRouterConfig(given) };
}

/** Problems by name of the setting. */
type Problems = Map<string, string>;

const toCamelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Reads these settings from the environment and the files that it references, and validates each separately. */
function readSettings(entries: typeof settingEntries, environment: Environment) {
  const given: Environment = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const fromFiles = readFiles(
    given,
    entries.flatMap(([name, { isSecret }]) => (isSecret ? [name] : [])),
  );
  const present: Environment = { ...given, ...fromFiles.values };
  const values: Record<string, unknown> = {};
  const problems: Problems = new Map();
  // Only the first problem of a setting is reported: the others follow from it.
  const refuse = (name: string, problem: string): void => {
    if (!problems.has(name)) problems.set(name, problem);
  };
  for (const [name, setting] of entries) {
    const byDefault = typeof setting.default === 'function' ? setting.default(present) : setting.default;
    const text = present[name] ?? byDefault;
    if (text === undefined) {
      values[toCamelCase(name)] = undefined;
      continue;
    }
    const { data, error } = setting.rule.safeParse(text);
    values[toCamelCase(name)] = data;
    if (error !== undefined) refuse(name, `expected ${error.issues[0]?.message}, got ${describeValue(name, text)}`);
  }
  for (const [name, problem] of fromFiles.problems) refuse(name, problem);
  return { given, present, values, problems, refuse };
}

/** @throws ConfigError */
function throwIfAny(problems: Problems, environment: Environment): void {
  if (problems.size === 0) return;
  const lines = [...problems].map(([name, problem]) => `${name}: ${problem}`);
  const all = [...lines, ...findMisspelledSettings(environment, settingNames)];
  throw new ConfigError(['Invalid settings:', ...all].join('\n  '));
}

/** URLs may contain credentials. */
const unshownSettings: ReadonlySet<string> = new Set([...settingsFromFiles, 'SUBGRAPHS']);

/** A value for a message: on one line, truncated, and only if it cannot be a secret. */
function describeValue(name: string, value: string): string {
  // The part before an @ may be credentials, and a query or fragment a token.
  const mayHoldLogin = name === 'PUBLIC_URL' && /[@?#]|%40/.test(value);
  if (mayHoldLogin || unshownSettings.has(name)) return 'another value (hidden because it may be secret)';
  return JSON.stringify(shorten(maskText(value), 60));
}

/** Reads settings from their files, without the final line break, and reports problems with files by name. */
function readFiles(given: Environment, names: readonly SettingName[]) {
  const values: Record<string, string> = {};
  const problems: Problems = new Map();
  for (const name of names) {
    const path = given[`${name}_FILE`];
    if (path === undefined) continue;
    if (given[name] !== undefined) {
      problems.set(`${name}_FILE`, `expected no value while ${name} is set: use one or the other`);
      continue;
    }
    try {
      const text = readFileSync(fromStart(path), 'utf8').trimEnd();
      // An empty file is not the same as no file: a shared limit or a replica would be missing silently.
      if (text === '') problems.set(`${name}_FILE`, 'expected a non-empty file');
      else values[name] = text;
    } catch (error) {
      problems.set(`${name}_FILE`, `expected a readable file (${(error as NodeJS.ErrnoException).code})`);
    }
  }
  return { values, problems };
}
