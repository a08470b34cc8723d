import { ApiError } from '../errors/api-error';

/** Classes of SQLSTATE: connection exception, insufficient resources, operator intervention, system error. */
const outageStates = /^(08|53|57P0|58)/;

const furtherOutageStates = new Set([
  // A statement that ran into the time limit, a lock that was not granted in time.
  '57014',
  '55P03',
  // A deadlock with whoever locks whole tables; a statement that only reads is never the cause of one.
  '40P01',
  // A database that takes no connections; nothing that we ask has another prerequisite.
  '55000',
  // A replica that had to cancel a statement to go on replaying.
  '40001',
]);

/** Kinds of a driver adapter's error that say that the server, not the query, is the trouble. */
const outageKinds = new Set([
  'ConnectionClosed',
  'DatabaseNotReachable',
  'SocketTimeout',
  'TlsConnectionError',
  'TooManyConnections',
]);

/** Our own. */
const outageNames = new Set(['PoolOverloadError', 'SilentConnectionError', 'StandbyError']);

/** Prisma: server not reachable, timed out, connection closed, pool timeout, no transaction in time, too many connections. */
const outagePrismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037']);

const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
]);

/** What the driver throws as plain errors, without any code: its time-outs and what it says of a pool that ends. */
const outageMessages = [
  /^timeout exceeded when trying to connect/,
  /^Query read timeout/,
  /^Connection terminated/,
  /^Cannot use a pool after calling end/,
  /^Client has encountered a connection error/,
  /^Client was closed/,
  /Connection timeout/i,
];

/**
 * SERVICE_UNAVAILABLE when the database could not be asked: no connection, a full pool, a time-out, a server that shuts
 * down. Undefined for any other error: then the query is wrong, not the weather. What the database said stays inside.
 */
export function toDatabaseApiError(thrown: unknown): ApiError | undefined {
  if (!isOutage(thrown)) return undefined;
  return new ApiError('SERVICE_UNAVAILABLE', 'The service cannot reach its data right now. Try again in a moment.', {
    cause: thrown,
    internal: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown),
    headers: { 'Retry-After': '1' },
  });
}

/** The trouble may be the error itself or, under Prisma's and the driver adapter's wrapping, one of its causes. */
function isOutage(thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > 5) return false;
  const error = thrown as {
    code?: unknown;
    errorCode?: unknown;
    kind?: unknown;
    name?: unknown;
    originalCode?: unknown;
    message?: unknown;
    cause?: unknown;
    meta?: { code?: unknown; driverAdapterError?: unknown };
    errors?: unknown;
  };
  return (
    [error.code, error.errorCode, error.originalCode, error.meta?.code].some(isOutageCode) ||
    (typeof error.kind === 'string' && outageKinds.has(error.kind)) ||
    (typeof error.name === 'string' && outageNames.has(error.name)) ||
    (typeof error.message === 'string' && outageMessages.some((pattern) => pattern.test(error.message as string))) ||
    isOutage(error.cause, depth + 1) ||
    isOutage(error.meta?.driverAdapterError, depth + 1) ||
    (Array.isArray(error.errors) && error.errors.some((each) => isOutage(each, depth + 1)))
  );
}

function isOutageCode(code: unknown): boolean {
  if (typeof code !== 'string') return false;
  return (
    outageStates.test(code) || furtherOutageStates.has(code) || outagePrismaCodes.has(code) || socketCodes.has(code)
  );
}
