import { systemClock } from '../clock';
import type { Config } from '../config';
import type { Database } from '../database/database';
import type { DatabaseLimits } from '../database/open-database';
import { provideDatabase } from '../database/provide-database';
import { ensureDemoShop } from '../demo/demo-shop';
import type { Log } from '../log';
import { reasonOf } from '../log';

/** What must stand before anything is served. */
export interface Provided {
  readonly database: Database;
  readonly demoApiKey: string | undefined;
}

/** The database, reachable and migrated, and with the embedded one the demo shop. */
export async function provideEverything(config: Config, log: Log): Promise<Provided> {
  const database = await provideDatabase(config, {
    log: (line) => log.info(line),
    onError: onConnectionError(log),
    ...requestLimits(config),
  });
  try {
    const demo = database.embedded ? await ensureDemoShop(database, config, systemClock) : undefined;
    await warmUp(database, config);
    return { database, demoApiKey: demo?.apiKey };
  } catch (error) {
    // An open pool would keep a process alive that does not serve.
    await database.close();
    throw error;
  }
}

/** The driver hangs the whole connection onto its errors; the log gets what they say. */
export const onConnectionError =
  (log: Log) =>
  (error: unknown): void =>
    log.warn(reasonOf(error), 'a database connection failed');

const warmConnections = 10;

/**
 * The first statement of a process compiles what later ones only run, and a connection costs more than a statement: no caller should
 * wait for that. A database that is away is the requests' concern.
 */
export async function warmUp(database: Database, { database: { poolSize } }: Config): Promise<void> {
  const connections = Array.from({ length: Math.min(poolSize, warmConnections) });
  await Promise.allSettled(connections.map(() => database.prisma.$queryRaw`SELECT 1`));
}

/** A request is answered in time or not at all. */
export const requestLimits = ({ database }: Config): DatabaseLimits => ({
  queueSize: database.queueSize,
  connectionTimeoutMilliseconds: database.connectionTimeoutMilliseconds,
  statementTimeoutMilliseconds: database.statementTimeoutMilliseconds,
});
