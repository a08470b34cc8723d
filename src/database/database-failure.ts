import { parseConnectionTarget } from '../config/connection-target';
import { ApiError } from '../errors/api-error';

/** A statement that exceeded the time limit. */
const statementCanceled = '57014';

/** A lock that was not granted in time. */
const lockNotAvailable = '55P03';

/**
 * Classes of SQLSTATE: connection exception, refused login, unknown database, insufficient resources, operator
 * intervention, system error.
 */
const outageStates = /^(08|28|3D|53|57P0|58)/;

/** Short for an array of texts without spaces. */
const words = (text: string): readonly string[] => text.split(' ');

/** Codes, kinds and names of errors for which the server is at fault, not the query. */
const outages: ReadonlySet<unknown> = new Set([
  statementCanceled,
  lockNotAvailable,
  // A deadlock: reads deadlock only with sessions that lock whole tables, such as migrations, so a retry helps.
  // object_not_in_prerequisite_state: for these statements only a database that accepts no connections.
  // serialization_failure: a replica canceled the statement to apply changes of the primary.
  // read_only_sql_transaction: some platforms make a database read-only when its disk is almost full.
  ...words('40P01 55000 40001 25006'),
  // Prisma: not reachable, timed out, connection closed, pool timeout, no transaction in time, too many connections.
  ...words('P1001 P1002 P1008 P1017 P2024 P2028 P2037'),
  ...words('ConnectionClosed DatabaseNotReachable SocketTimeout TlsConnectionError TooManyConnections'),
  ...words(
    'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH ENETDOWN',
  ),
  ...words('MovedShardsError PoolerError PoolOverloadError SilentConnectionError StandbyError'),
]);

/** Messages of driver errors that have no code: timeouts, and use of a closed connection or pool. */
export const outageMessages =
  /^(timeout exceeded when trying to connect|timeout expired|Query read timeout|Connection terminated|Cannot use a pool after calling end|Client has encountered a connection error|Client was closed)|Connection timeout/i;

/**
 * Returns SERVICE_UNAVAILABLE when the database could not be queried: no connection, a full pool, a timeout, a server
 * that shuts down. Returns undefined for any other error: then the query is at fault, not connectivity. The database's
 * message stays private.
 */
export function toDatabaseApiError(thrown: unknown): ApiError | undefined {
  const causes = [...causesOf(thrown)];
  if (!causes.some(isOutage)) return undefined;
  // Too much data or an overloaded database: a retry shows which, so the message suggests both.
  const tookTooLong = causes.some((cause) => codesOf(cause).includes(statementCanceled));
  const message = tookTooLong
    ? 'Reading the data took too long. Try again in a moment; if it keeps failing, request less data, such as a shorter range.'
    : 'The service is temporarily unavailable. Try again in a moment.';
  return new ApiError('SERVICE_UNAVAILABLE', message, { cause: thrown });
}

/** Whether a lock was not granted in time (lock_not_available). */
export const isLockTimeout = (thrown: unknown): boolean =>
  [...causesOf(thrown)].some((cause) => codesOf(cause).includes(lockNotAvailable));

type DriverError = Readonly<Record<string, unknown>>;

/** The error itself and those that Prisma, its driver adapter or an AggregateError wraps. */
export function* causesOf(thrown: unknown, depth = 0): Generator<DriverError> {
  // The depth is limited because causes may be cyclic.
  if (typeof thrown !== 'object' || thrown === null || depth > 5) return;
  const error = thrown as DriverError;
  yield error;
  const inner: unknown[] = [error['cause'], metaOf(error)['driverAdapterError']];
  if (Array.isArray(error['errors'])) inner.push(...(error['errors'] as unknown[]));
  for (const each of inner) yield* causesOf(each, depth + 1);
}

/** Prisma puts details of the driver's error into `meta`. */
const metaOf = ({ meta }: DriverError): DriverError => (meta ?? {}) as DriverError;

/** SQLSTATEs and codes of Node and Prisma, under the names that pg, Prisma and its driver adapter use. */
export const codesOf = (error: DriverError): readonly unknown[] => [
  ...['code', 'errorCode', 'originalCode'].map((name) => error[name]),
  metaOf(error)['code'],
];

const isOutage = (error: DriverError): boolean =>
  [...codesOf(error), error['kind'], error['name']].some((code) => outages.has(code)) ||
  codesOf(error).some((code) => typeof code === 'string' && outageStates.test(code)) ||
  outageMessages.test(String(error['message']));

/**
 * The error message for a role that lacks a privilege; undefined for any other error.
 * @param needed A sentence without its period: `` `catalog key create` must connect as a member of catalog_admin ``
 */
export function describeMissingPrivilege(
  thrown: unknown,
  databaseUrl: string | undefined,
  needed: string,
): string | undefined {
  // insufficient_privilege
  const refused = [...causesOf(thrown)].find((cause) => codesOf(cause).includes('42501'));
  const message = refused?.['originalMessage'] ?? refused?.['message'];
  if (typeof message !== 'string') return undefined;
  const login = databaseUrl === undefined ? '' : new URL(parseConnectionTarget(databaseUrl).urls[0]).username;
  return (
    `The DATABASE_URL role${login === '' ? '' : ` ${decodeURIComponent(login)}`} is missing a privilege: ${message.split('\n')[0]}. ` +
    `${needed} (docs/deploy/roles.sql).`
  );
}

/** The server is a standby. DATABASE_URL must point to the primary. */
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
