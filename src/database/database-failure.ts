import { parseConnectionTarget } from '../config/connection-target';
import { ApiError } from '../errors/api-error';

/** A statement that exceeded the time limit. */
const statementCanceled = '57014';

/** A lock that was not granted in time. */
const lockNotAvailable = '55P03';

/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention, system error. */
const outageStates = /^(08|53|57P0|58)/;

const words = (text: string): readonly string[] => text.split(' ');

/** Codes, and names and kinds of errors, for which the server is at fault, not the query. */
const outages: ReadonlySet<unknown> = new Set([
  statementCanceled,
  lockNotAvailable,
  // A deadlock with a session that locks whole tables; a statement that only reads never causes one.
  '40P01',
  // A database that accepts no connections; none of our statements depends on another prerequisite.
  '55000',
  // A replica that had to cancel a statement to continue replaying.
  '40001',
  // Prisma: not reachable, timed out, connection closed, pool timeout, no transaction in time, too many connections.
  ...words('P1001 P1002 P1008 P1017 P2024 P2028 P2037'),
  ...words('ConnectionClosed DatabaseNotReachable SocketTimeout TlsConnectionError TooManyConnections'),
  ...words(
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN',
  ),
  ...words('MovedShardsError PoolerError PoolOverloadError SilentConnectionError StandbyError'),
]);

/** Messages of plain driver errors without a code: timeouts, and use of a pool that is closing. */
const outageMessages = [
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Query read timeout/,
  /^Connection terminated/,
  /^Cannot use a pool after calling end/,
  /^Client has encountered a connection error/,
  /^Client was closed/,
  /Connection timeout/i,
];

/**
 * Returns SERVICE_UNAVAILABLE when the database could not be queried: no connection, a full pool, a timeout, a server
 * that shuts down. Returns undefined for any other error: then the query is at fault, not connectivity. The database's
 * message stays private.
 */
export function toDatabaseApiError(thrown: unknown): ApiError | undefined {
  const causes = [...causesOf(thrown)];
  if (!causes.some(isOutage)) return undefined;
  // Either too much data or an overloaded database: only a retry tells.
  const tookTooLong = causes.some((cause) => codesOf(cause).includes(statementCanceled));
  const message = tookTooLong
    ? 'Reading the data took too long. Try again in a moment; if it keeps failing, request less data, such as a shorter range.'
    : 'The service is temporarily unavailable. Try again in a moment.';
  return new ApiError('SERVICE_UNAVAILABLE', message, {
    cause: thrown,
    internal: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    headers: { 'Retry-After': '1' },
  });
}

/** Whether a lock was not granted in time (lock_not_available). */
export const isLockTimeout = (thrown: unknown): boolean =>
  [...causesOf(thrown)].some((cause) => codesOf(cause).includes(lockNotAvailable));

/** PostgreSQL's message when the role lacks a privilege (insufficient_privilege); undefined for any other error. */
function findInsufficientPrivilege(thrown: unknown): string | undefined {
  const refused = [...causesOf(thrown)].find((cause) => codesOf(cause).includes('42501'));
  const said = refused?.['originalMessage'] ?? refused?.['message'];
  return typeof said === 'string' ? said.split('\n')[0] : undefined;
}

type DriverError = Readonly<Record<string, unknown>>;

/** The error itself and those that Prisma and the driver adapter wrapped in it. */
function* causesOf(thrown: unknown, depth = 0): Generator<DriverError> {
  if (typeof thrown !== 'object' || thrown === null || depth > 5) return;
  const error = thrown as DriverError;
  yield error;
  const inner: unknown[] = [error['cause'], metaOf(error)['driverAdapterError']];
  if (Array.isArray(error['errors'])) inner.push(...(error['errors'] as unknown[]));
  for (const each of inner) yield* causesOf(each, depth + 1);
}

const metaOf = ({ meta }: DriverError): DriverError => (meta ?? {}) as DriverError;

const codesOf = (error: DriverError): readonly unknown[] => [
  ...['code', 'errorCode', 'originalCode'].map((name) => error[name]),
  metaOf(error)['code'],
];

const isOutage = (error: DriverError): boolean =>
  [...codesOf(error), error['kind'], error['name']].some((code) => outages.has(code)) ||
  codesOf(error).some((code) => typeof code === 'string' && outageStates.test(code)) ||
  outageMessages.some((pattern) => pattern.test(String(error['message'])));

/**
 * The message about a role that lacks a privilege; undefined for any other error.
 * @param needed who may do what was tried: `` `catalog key create` needs a login of catalog_admin ``
 */
export function describeMissingPrivilege(
  thrown: unknown,
  databaseUrl: string | undefined,
  needed: string,
): string | undefined {
  const said = findInsufficientPrivilege(thrown);
  if (said === undefined) return undefined;
  const login = databaseUrl === undefined ? '' : new URL(parseConnectionTarget(databaseUrl).urls[0]).username;
  return (
    `The DATABASE_URL role${login === '' ? '' : ` ${decodeURIComponent(login)}`} is missing a privilege: ${said}. ` +
    `${needed} (docs/deploy/roles.sql).`
  );
}

/** The server that responds is a standby, not the primary that DATABASE_URL must lead to. */
export class StandbyError extends Error {
  override readonly name = 'StandbyError';

  constructor() {
    super('this server is a standby. DATABASE_URL must point to the primary; list replicas in DATABASE_REPLICA_URLS');
  }
}

/** The server of DATABASE_URL cannot be used. The message is for the person who starts the service. */
export class DatabaseUnavailableError extends Error {
  override readonly name: string = 'DatabaseUnavailableError';
}
