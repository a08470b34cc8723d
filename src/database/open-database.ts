import { PrismaPg } from '@prisma/adapter-pg';
import type { ArgType } from '@prisma/driver-adapter-utils';
import { BoundedPool } from './bounded-pool';
import type { Database, ShopVersion, TextRow } from './database';
import { parseConnectionTarget } from './connection-target';
import { closeStatements } from './close-statements';
import { endWhenSilent } from './end-when-silent';
import type { Prisma } from './generated/client';
import { PrismaClient } from './generated/client';
import { createHostChoice } from './host-choice';
import type { StatementAsker } from './statement-asker';
import type { StatementNameBounds } from './statement-names';
import { createStatementNames } from './statement-names';
import type { StatementRun } from './statement-run';
import { runWhileAwaited } from './statement-run';
import type { StatementWatcher } from './watch-statements';
import { watchStatements } from './watch-statements';

/** How long who asks may be kept waiting. Unset: generous enough for tools, too long for requests (src/config.ts has those). */
export interface DatabaseLimits {
  /** The longest a statement may take. */
  statementTimeoutMilliseconds?: number | undefined;
  /** The longest wait for a connection, new or free. */
  connectionTimeoutMilliseconds?: number | undefined;
  /** Statements that may wait for a connection; more are refused at once. */
  queueSize?: number | undefined;
}

interface OpenDatabaseOptions extends DatabaseLimits {
  url: string;
  /** Which host of the URL is tried first. */
  firstHost?: number | undefined;
  /** A replica is read although it is a standby. */
  isReplica?: boolean | undefined;
  /** Connections at most. */
  poolSize: number;
  /** How many statements have names. */
  statementNames?: StatementNameBounds | undefined;
  /** What goes wrong on a connection while no query is running on it. */
  onError?: ((error: unknown) => void) | undefined;
}

/** The server ends a statement itself, and says so, a little before the client gives its connection up. */
const serverHeadStartMilliseconds = 100;

/** Opens a pool of connections on which nothing waits for ever. Connects on first use. */
export function openDatabase({
  url,
  firstHost = 0,
  isReplica = false,
  poolSize,
  onError = () => undefined,
  statementTimeoutMilliseconds = 5_000,
  connectionTimeoutMilliseconds = 1_000,
  queueSize = 1_000,
  statementNames,
}: OpenDatabaseOptions): Database {
  const hosts = createHostChoice(parseConnectionTarget(url), firstHost, { statementTimeoutMilliseconds });
  const config = {
    Client: hosts.Client,
    ...(isReplica ? {} : { verify: hosts.verify }),
    max: poolSize,
    // Also the longest wait for a free connection of a full pool.
    connectionTimeoutMillis: connectionTimeoutMilliseconds,
    // Long, so that a burst of requests does not begin with a burst of connections.
    idleTimeoutMillis: 300_000,
    keepAlive: true,
  };
  const pool = new BoundedPool(config, queueSize);
  // While the pool asks a new connection whether it is the primary's, nobody else hears of its errors, and one would end the process.
  // Each is reported by the statement that it ends, or by the pool.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('connect', (client) => endWhenSilent(client, statementTimeoutMilliseconds + serverHeadStartMilliseconds));
  let watcher: StatementWatcher | undefined;
  watchStatements(pool, () => watcher);
  const names = createStatementNames(statementNames);
  pool.on('acquire', closeStatements(names));
  let isClosing = false;
  // A server that stops right after its last user says so on connections that are being closed.
  const report = (error: unknown): void => {
    if (!isClosing) onError(error);
  };
  const factory = new PrismaPg(pool, {
    onPoolError: report,
    onConnectionError: report,
    statementNameGenerator: ({ sql, client }: NamedQuery) => names.nameOf(sql, client),
    disposeExternalPool: true,
  });
  const prisma = new PrismaClient({ adapter: factory });
  // Opens no connection: the adapter hands statements to the pool.
  const adapter = factory.connect();
  return {
    prisma,
    url,
    readRows: async ({ text, values }: Prisma.Sql, asker?: StatementAsker, at?: readonly ShopVersion[]) => {
      // Only a client's operation has somebody who may stop waiting; REST's are the service's own (docs/decisions.md 23).
      const shopId = at?.[0]?.shopId;
      const client = asker && (shopId ?? '');
      const query = { sql: text, args: values, argTypes: values.map(toArgumentType), client };
      const connected = await adapter;
      const start = (run?: StatementRun) => pool.startFor(shopId, run, () => connected.queryRaw(query));
      const result = asker === undefined ? start() : runWhileAwaited(asker, start);
      const { rows } = await result.catch(tellWhatTheDatabaseSaid);
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

/** What the adapter is asked, and asks the name of. */
interface NamedQuery {
  readonly sql: string;
  /** The shop whose document made the statement; undefined for the service's own. */
  readonly client?: string | undefined;
}

/** The adapter's errors are named by their kind alone; for the log it matters which table, which column. */
function tellWhatTheDatabaseSaid(error: unknown): never {
  const { originalMessage } = ((error as Error).cause ?? {}) as { originalMessage?: unknown };
  if (error instanceof Error && typeof originalMessage === 'string') error.message += `: ${originalMessage}`;
  throw error;
}

/** Statements say the types of their parameters themselves (`$1::uuid`); the adapter only needs to know lists from single values. */
const toArgumentType = (value: unknown): ArgType => (Array.isArray(value) ? listOfText : singleText);
const singleText: ArgType = { scalarType: 'unknown', arity: 'scalar' };
const listOfText: ArgType = { scalarType: 'unknown', arity: 'list' };
