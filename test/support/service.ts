import type { Server } from 'node:http';
import type { Clock } from '../../src/common/clock';
import type { DatabaseLimits } from '../../src/database/open-database';
import { openDatabase } from '../../src/database/open-database';
import { startApp } from './app';
import type { LogLine } from './memory-log';
import type { RestClient } from './rest-client';
import { createRestClient } from './rest-client';
import type { Sql, TestDatabase } from './test-database';
import { useOpened } from './opened';
import { startTcpProxy } from './tcp-proxy';
import { createTestDatabase, patientLimits } from './test-database';

export interface ServiceOptions {
  readonly clock?: Clock;
  /** Calls per window; by default 120 as specified; tests that send more calls set it. */
  readonly rateLimit?: number;
  /** Further settings (docs/operations.md). */
  readonly settings?: Readonly<Record<string, string>>;
  /** Connections of the service to its database. */
  readonly poolSize?: number;
  readonly databaseLimits?: DatabaseLimits;
}

/** The whole service over a separate database, on a separate port. */
export interface Service {
  /** The origin it is reached at. */
  readonly origin: string;
  /** The origin in its links. */
  readonly publicUrl: string;
  readonly server: Server;
  readonly database: TestDatabase;
  readonly sql: Sql;
  readonly log: readonly LogLine[];
  /** While `work` runs, the service cannot reach the database. */
  duringOutage<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Holds back what the database sends after the first megabyte of a connection. @returns a function that releases it
   */
  holdExports(): () => void;
  /** A client that checks every response against the OpenAPI document. */
  client(credential?: string): RestClient;
  /** Stops serving, as SIGTERM does. */
  stop(deadlineMilliseconds?: number): Promise<void>;
  /** Stops serving and removes the database. */
  close(): Promise<void>;
}

/** Builds the service as main.ts does, over a fresh database. */
export async function startService({
  clock = Date.now,
  rateLimit = 120,
  settings = {},
  poolSize = 10,
  databaseLimits = patientLimits,
}: ServiceOptions = {}): Promise<Service> {
  const testDatabase = await createTestDatabase();
  const direct = new URL(testDatabase.url);
  const proxy = await startTcpProxy({ host: direct.hostname, port: Number(direct.port || 5432) });
  const url = Object.assign(new URL(direct), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
  const database = openDatabase({ url, poolSize, ...databaseLimits });
  const release = async (): Promise<void> => {
    await database.close();
    await proxy.cut();
    await testDatabase.drop();
  };
  const { app, log, origin, publicUrl } = await startApp(
    { database, clock },
    { RATE_LIMIT_REQUESTS: String(rateLimit), ...settings },
  ).catch(async (refusal: unknown) => {
    await release();
    throw refusal;
  });
  return {
    origin,
    publicUrl,
    server: app.server,
    database: testDatabase,
    sql: testDatabase.sql,
    log,
    async duringOutage(work) {
      await proxy.cut();
      return work().finally(() => proxy.mend());
    },
    holdExports: () => proxy.holdLong(),
    client: (credential) => createRestClient(origin, credential),
    stop: (deadlineMilliseconds) => app.close(deadlineMilliseconds),
    async close() {
      await app.close(0).finally(release);
    },
  };
}

/** The same for all tests of a file. */
export const useService = (options: ServiceOptions = {}): Service =>
  useOpened(
    () => startService(options),
    (service) => service.close(),
  );
