import { isUrl } from '../common/is-url';

/** The target of DATABASE_URL: a server, several servers of which one is the primary, or a pooler in front of them. */
export interface ConnectionTarget {
  /** One URL per host, without the parameters that are parsed here. */
  readonly urls: readonly [string, ...string[]];
  /**
   * Behind PgBouncer in transaction mode (`pgbouncer=true`, as Prisma spells it): a connection belongs to a
   * transaction, not to a session, so the role of the login holds the settings (docs/decisions.md 59).
   */
  readonly isPooled: boolean;
}

/**
 * A URL that the driver could not use. The message says what was expected but never what was given, because URLs
 * contain passwords.
 */
export class ConnectionTargetError extends Error {
  override readonly name = 'ConnectionTargetError';
}

/** Keys are read from the primary, so only these values of libpq's `target_session_attrs` are accepted. */
const acceptedSessionAttributes = ['read-write', 'primary'];

/**
 * Parses a connection URL as libpq does:
 * `postgresql://user:password@host1:5432,host2:5432/name?target_session_attrs=primary`.
 * @throws ConnectionTargetError
 */
export function parseConnectionTarget(text: string): ConnectionTarget {
  const parts = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)([/?#].*)?$/.exec(text);
  if (parts === null) throw new ConnectionTargetError('a postgresql:// URL');
  const [, scheme = '', login = '', hosts = '', rest = ''] = parts;
  const urls = (hosts || (login && 'localhost')).split(',').map((host) => `${scheme}${login}${host}${rest}`);
  if (!urls.every((url) => isUrl(url))) throw new ConnectionTargetError('a postgresql:// URL');
  const { searchParams } = new URL(urls[0] as string);
  const attributes = searchParams.get('target_session_attrs');
  if (attributes !== null && !acceptedSessionAttributes.includes(attributes)) {
    throw new ConnectionTargetError(
      `target_session_attrs of ${acceptedSessionAttributes.join(' or ')} (replicas belong in DATABASE_REPLICA_URLS)`,
    );
  }
  const pooled = searchParams.get('pgbouncer');
  if (pooled !== null && pooled !== 'true' && pooled !== 'false') {
    throw new ConnectionTargetError('pgbouncer to be true or false');
  }
  return { urls: urls.map(withoutOurParameters) as [string, ...string[]], isPooled: pooled === 'true' };
}

function withoutOurParameters(text: string): string {
  const url = new URL(text);
  for (const name of ['target_session_attrs', 'pgbouncer']) url.searchParams.delete(name);
  // The driver verifies certificates in all of these modes, and warns in several lines that its next version will not.
  if (
    /^(?:prefer|require|verify-ca)$/.test(url.searchParams.get('sslmode') ?? '') &&
    !url.searchParams.has('uselibpqcompat')
  )
    url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** The hosts of a target for messages, without credentials, parameters and the name of the database. */
export const describeHosts = ({ urls }: ConnectionTarget): string => urls.map(describeHost).join(' or ');

/** The driver prefers the parameter, which may be a directory of sockets. */
function describeHost(url: string): string {
  const { host, searchParams } = new URL(url);
  return searchParams.get('host') || host || 'localhost';
}

/** The same with the name of the database, if the URL has one, for the start of a sentence. */
export const describeDatabase = (target: ConnectionTarget): string =>
  `The database${new URL(target.urls[0]).pathname.replace('/', ' ').trimEnd()} on ${describeHosts(target)}`;

export interface SessionOptions {
  /** The server ends a statement that takes longer. Behind a pooler the role's own limit applies. */
  readonly statementTimeoutMilliseconds?: number | undefined;
  /** The server ends a statement that waits longer for one lock. Unset: no limit but that of the statement. */
  readonly lockTimeoutMilliseconds?: number | undefined;
}

/**
 * The settings of every connection for requests.
 *
 * - adapter-pg drops the offset of a timestamp with time zone, so the server must always send UTC (D23).
 * - One plan per statement for all parameters: every statement is written so that one plan is good for all
 * (docs/decisions.md), while a plan made for the first shops that use it can be bad for a larger shop.
 * - Small tables get the plan for large ones from the first day, although reading all of a small table looks cheaper.
 * - Rows are read in the order of an index wherever one has it. A sort reads everything first, and the planner cannot
 * infer the size of a large shop from the average one.
 * - No JIT compilation and no parallel process for statements that take milliseconds.
 * - Memory for the bitmaps of searches: a bitmap that does not fit is checked page by page instead of row by row.
 */
export const sessionSettings: Readonly<Record<string, string>> = {
  TimeZone: 'UTC',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_sort: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  work_mem: '32MB',
};

/**
 * How values and statements are written, whatever the database or the role says: the driver reads timestamps as ISO
 * 8601 only, and texts of statements have backslashes. PostgreSQL's defaults; a pooler passes them on automatically.
 */
export const notationSettings: Readonly<Record<string, string>> = {
  DateStyle: 'ISO',
  standard_conforming_strings: 'on',
};

/**
 * A meaningless setting that only the startup options of a connection set. `requireStartupOptions` reads it: if it is
 * missing, the options were dropped, whatever the role's own settings are.
 */
export const arrivalMark = { 'catalog.startup_options': 'arrived' };

/**
 * The URL of one of the hosts, with the session settings added to its startup options. A pooler refuses such options.
 */
export function toSessionUrl(
  { isPooled }: ConnectionTarget,
  url: string,
  { statementTimeoutMilliseconds, lockTimeoutMilliseconds }: SessionOptions,
): string {
  if (isPooled) return url;
  const settings = {
    ...sessionSettings,
    ...notationSettings,
    ...(statementTimeoutMilliseconds !== undefined && { statement_timeout: String(statementTimeoutMilliseconds) }),
    ...(lockTimeoutMilliseconds !== undefined && { lock_timeout: String(lockTimeoutMilliseconds) }),
    ...arrivalMark,
  };
  const target = new URL(url);
  const given = target.searchParams.get('options');
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  target.searchParams.set('options', [...(given === null ? [] : [given]), ...options].join(' '));
  return target.href;
}
