import type { Config } from '../config';
import type { Database } from '../database/database';
import { provideDatabase } from '../database/provide-database';

/** Nobody waits for an answer within a second here, and a merge or a list over everything may take its time. */
const patience = { connectionTimeoutMilliseconds: 10_000, statementTimeoutMilliseconds: 5 * 60_000 };

/** At most one open database per command, opened when it is first asked for. */
export interface DatabaseSlot {
  readonly open: () => Promise<Database>;
  readonly close: () => Promise<void>;
}

export function createDatabaseSlot(config: Config, log: (line: string) => void): DatabaseSlot {
  let opened: Promise<Database> | undefined;

  const close = async (): Promise<void> => {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    const closing = opened;
    opened = undefined;
    // A database that could not be opened was reported where it was asked for.
    await closing?.then((database) => database.close()).catch(() => undefined);
  };

  // An interrupted import is rolled back by PostgreSQL; an embedded server that only this process uses has to be stopped.
  const interrupt = (signal: NodeJS.Signals): void => {
    const exitCode = signal === 'SIGINT' ? 130 : 143;
    void close().finally(() => process.exit(exitCode));
  };

  return {
    open() {
      if (opened === undefined) {
        process.on('SIGINT', interrupt);
        process.on('SIGTERM', interrupt);
        opened = provideDatabase(config, { log, ...patience });
      }
      return opened;
    },
    close,
  };
}
