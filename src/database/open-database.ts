import { hash } from 'node:crypto';
import type { PoolClient, Pool, QueryConfig, QueryResult } from 'pg';
import { LRUCache } from 'lru-cache';
import type { Socket } from 'node:net';
import type { Cancellation } from '../common/cancellation';
import { PrismaPg } from '@prisma/adapter-pg';
import type { ArgType } from '@prisma/driver-adapter-utils';
import { performance } from 'node:perf_hooks';
import { parseConnectionTarget } from '../config/connection-target';
import { isTracingOn, traceCall } from '../observability/tracing';
import { BoundedPool, runUntilCanceled } from './bounded-pool';
import type { StatementRun } from './bounded-pool';
import type { Database, ShopVersions, StatementWatcher, TextRow } from './database';
import { PrismaClient } from './generated/client';
import { createHostChoice, keepAlive } from './host-choice';
import type { Sql } from './sql';

/**
 * Makes the server drop statements whose names were withdrawn, on each connection before its next use. If a statement
 * waited for its connection while its name was withdrawn, it is dropped the next time.
 */
function closeStatements(names: ReturnType<typeof createStatementNames>): (client: PoolClient) => void {
  const upTo = new WeakMap<PoolClient, number>();
  return (client) => {
    const { withdrawnCount } = names;
    if (upTo.get(client) === withdrawnCount) return;
    upTo.set(client, withdrawnCount);
    const { connection } = client;
    for (const name of Object.keys(connection.parsedStatements)) {
      if (!names.isWithdrawn(name)) continue;
      // The server responds, but without a separate round trip: the next statement follows immediately.
      connection.close({ type: 'S', name }, true);
      delete connection.parsedStatements[name];
    }
  };
}

/** For the statements that clients' documents produce. */
const mostOfClients = 300;
/** For those of the service: more come only from tools (MCP) that select other fields each time. */
const mostOwn = 100;

/** A plan takes about 100 bytes of each connection's memory for each character of its statement. */
const longestNamed = 6_000;

/**
 * A name makes the server keep a statement's plan: one name per text, the same on every connection, and never reused
 * for another text.
 *
 * The service's own statements, of which few exist, keep their names. A client's statement gets one on its second use,
 * so that a statement sent once takes none, and loses it when others were used later. A statement without a name is
 * planned on each execution, which costs less than a millisecond; so is a long one.
 */
export function createStatementNames(most = mostOfClients) {
  const own = new Map<string, string>();
  const live = new Set<string>();
  let given = 0;
  const ofClients = new LRUCache<string, string>({ max: most, dispose: (name) => live.delete(name) });
  const usedOnce = new LRUCache<string, true>({ max: 2_000 });
  return {
    /**
     * The name of a statement; empty for one that is planned on each execution.
     * @param isOwn Whether it is one of the service, for REST or authentication, and not of a client's document.
     */
    nameOf(text: string, isOwn: boolean): string {
      if (text.length > longestNamed) return '';
      const known = own.get(text) ?? ofClients.get(text);
      if (known !== undefined) return known;
      if (isOwn && own.size < mostOwn) {
        own.set(text, `s${own.size}`);
        return own.get(text) as string;
      }
      const digest = hash('sha256', text, 'base64url');
      if (!usedOnce.has(digest)) {
        usedOnce.set(digest, true);
        return '';
      }
      const name = `c${given}`;
      given += 1;
      live.add(name);
      ofClients.set(text, name);
      return name;
    },
    /** Number of names withdrawn so far. */
    get withdrawnCount() {
      return given - live.size;
    },
    /** Whether a name was assigned and withdrawn: no statement will have it again. */
    isWithdrawn: (name: string) => name.startsWith('c') && !live.has(name),
  };
}

/** The server, or the network path to it, disappeared silently. */
export class SilentConnectionError extends Error {
  override readonly name = 'SilentConnectionError';
}

/**
 * Closes a connection when a statement is in progress on it and nothing has arrived for this long: the server's own
 * limit for statements does not help when the server itself hangs. The socket already has a timer. pg's `query_timeout`
 * would start one per statement, with a closure that keeps the statement's rows alive until the next major garbage
 * collection.
 */
function endWhenSilent(client: PoolClient, milliseconds: number): void {
  const stream = client.connection.stream as Socket;
  stream.setTimeout(milliseconds);
  // Not as setTimeout's own listener, which is called only once: the connection may have been idle before.
  stream.on('timeout', () => {
    // An idle connection is expected to be silent.
    if (client.readyForQuery) return;
    stream.destroy(new SilentConnectionError(`PostgreSQL sent nothing for ${milliseconds} ms`));
  });
}

type RunStatement = (statement: QueryConfig) => Promise<QueryResult>;

/**
 * Times and traces the statements that the driver adapter sends to the pool. Statements inside a transaction bypass it:
 * requests have none.
 */
export function watchStatements(pool: Pool, watcher: () => StatementWatcher | undefined): void {
  const run = pool.query.bind(pool) as RunStatement;
  const isTraced = isTracingOn();
  const watched: RunStatement = (statement) => {
    const startedAt = performance.now();
    const start = () => run(statement);
    const result = isTraced ? traceCall(() => describeStatement(statement.text), start) : start();
    const ended = (): void => watcher()?.((performance.now() - startedAt) / 1000);
    result.then(ended, ended);
    return result;
  };
  pool.query = watched as Pool['query'];
}

/** The text names tables and columns, and has `$1` in place of a value. */
function describeStatement(text: string) {
  const name = /\w+/.exec(text)?.[0] ?? 'SQL';
  return { name, attributes: { 'db.system.name': 'postgresql', 'db.operation.name': name, 'db.query.text': text } };
}

/**
 * How long a caller may have to wait. Unset: generous enough for tools, too long for requests (src/config/config.ts has
 * their limits).
 */
export interface DatabaseLimits {
  /** The maximum duration of a statement. */
  statementTimeoutMilliseconds?: number | undefined;
  /** The longest wait for one lock. Unset: the maximum duration of a statement. */
  lockTimeoutMilliseconds?: number | undefined;
  /** The longest wait for a new or free connection. */
  connectionTimeoutMilliseconds?: number | undefined;
  /** Maximum number of statements that wait for a connection; further ones are refused immediately. */
  queueSize?: number | undefined;
}

interface OpenDatabaseOptions extends DatabaseLimits {
  url: string;
  /** Index of the host that is tried first. */
  firstHost?: number | undefined;
  /** Whether the target is a replica, which is read although it is a standby. */
  isReplica?: boolean | undefined;
  /** Maximum number of connections. */
  poolSize: number;
  /** How many statements of clients get names. */
  statementNames?: number | undefined;
  /** Called with errors on a connection while no query is running on it. */
  onError?: ((error: unknown) => void) | undefined;
  /** Called with each new connection. */
  onConnect?: ((client: PoolClient) => void) | undefined;
}

/** The server ends a statement itself, with an error, shortly before the client closes its connection. */
const serverHeadStartMilliseconds = 100;

/** Opens a pool of connections on which every wait is bounded. Connects on first use. */
export function openDatabase({
  url,
  firstHost = 0,
  isReplica = false,
  poolSize,
  onError = () => undefined,
  statementTimeoutMilliseconds = 5_000,
  connectionTimeoutMilliseconds = 1_000,
  queueSize = 1_000,
  lockTimeoutMilliseconds,
  statementNames,
  onConnect = () => undefined,
}: OpenDatabaseOptions): Database {
  const hosts = createHostChoice(parseConnectionTarget(url), firstHost, {
    statementTimeoutMilliseconds,
    lockTimeoutMilliseconds,
    isReplica,
  });
  const config = {
    Client: hosts.Client,
    verify: hosts.verify,
    max: poolSize,
    // Also the longest wait for a free connection of a full pool.
    connectionTimeoutMillis: connectionTimeoutMilliseconds,
    // Long, so that a burst of requests does not begin with a burst of new connections.
    idleTimeoutMillis: 300_000,
    ...keepAlive,
  };
  const pool = new BoundedPool(config, queueSize);
  // While the pool checks whether a new connection leads to the primary, nothing else listens for its errors, and an
  // unhandled one would end the process. Each error is reported by the statement that it ends, or by the pool.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', (client) => endWhenSilent(client, statementTimeoutMilliseconds + serverHeadStartMilliseconds));
  pool.on('connect', onConnect);
  let watcher: StatementWatcher | undefined;
  watchStatements(pool, () => watcher);
  const names = createStatementNames(statementNames);
  pool.on('acquire', closeStatements(names));
  let isClosing = false;
  // A server that stops right after its last user left reports that on connections that are being closed.
  const report = (error: unknown): void => {
    if (!isClosing) onError(error);
  };
  const factory = new PrismaPg(pool, {
    onPoolError: report,
    onConnectionError: report,
    statementNameGenerator: ({ sql, isOwn = true }: NamedQuery) => names.nameOf(sql, isOwn),
    disposeExternalPool: true,
  });
  const prisma = new PrismaClient({ adapter: factory });
  // Opens no connection: the adapter passes statements to the pool.
  const adapter = factory.connect();
  return {
    prisma,
    url,
    readRows: async ({ text, values }: Sql, cancellation?: Cancellation, at?: ShopVersions) => {
      // Only operations of GraphQL clients can be canceled here; REST's statements are the service's own
      // (docs/decisions.md 20).
      const shopId = at?.shopId;
      const isOwn = cancellation === undefined;
      const query = { sql: text, args: values, argTypes: values.map(toArgumentType), isOwn };
      const connected = await adapter;
      const start = (run?: StatementRun) => pool.startFor(shopId, run, () => connected.queryRaw(query));
      const result = cancellation === undefined ? start() : runUntilCanceled(cancellation, start);
      const { rows } = await result.catch(rethrowWithDatabaseMessage);
      return rows as TextRow[];
    },
    countConnections: () => ({ total: pool.totalCount, idle: pool.idleCount, waiting: pool.countWaiting() }),
    watchStatements(given) {
      watcher = given;
    },
    close: async () => {
      isClosing = true;
      await prisma.$disconnect();
      if (!pool.ended) await pool.end();
    },
  };
}

/** A query of the adapter, and what determines its name. */
interface NamedQuery {
  readonly sql: string;
  /** Whether it is one of the service, and not of a client's document. */
  readonly isOwn?: boolean;
}

/** The adapter's errors contain only their kind; the log needs the table and the column, too. */
function rethrowWithDatabaseMessage(error: unknown): never {
  const { originalMessage } = ((error as Error).cause ?? {}) as { originalMessage?: unknown };
  if (error instanceof Error && typeof originalMessage === 'string') error.message += `: ${originalMessage}`;
  throw error;
}

/**
 * Statements declare the types of their parameters (`$1::uuid`); the adapter only needs to distinguish lists from
 * single values.
 */
const toArgumentType = (value: unknown): ArgType => (Array.isArray(value) ? listOfText : singleText);
const singleText: ArgType = { scalarType: 'unknown', arity: 'scalar' };
const listOfText: ArgType = { scalarType: 'unknown', arity: 'list' };
