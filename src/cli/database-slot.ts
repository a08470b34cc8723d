import { constants } from 'node:os';
import type { Config } from '../config/config';
import type { Database } from '../database/database';
import { DatabaseUnavailableError } from '../database/database-failure';
import type { LockWaits } from '../database/lock-waits';
import { serverProcessOf, watchLockWaits } from '../database/lock-waits';
import { provideDatabase } from '../database/provide-database';
import { ImportError } from '../ingest/values/import-error';
import type { StopSignal } from '../process/stop-signals';
import { onStopSignals } from '../process/stop-signals';

/** No client needs a response within a second here, and a merge or a list over everything may take long. */
const patience = { connectionTimeoutMilliseconds: 10_000, statementTimeoutMilliseconds: 10 * 60_000 };

/** At most one open database per command, opened on first use. */
export interface DatabaseSlot {
  readonly open: (options?: { readonly mustExist?: boolean }) => Promise<Database>;
  /**
   * The error itself; instead of a lock that was not granted in time, a sentence that names the session that holds it.
   */
  readonly explain: (thrown: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

interface DatabaseSlotOptions {
  readonly log: (line: string) => void;
  readonly lockTimeoutMilliseconds: number;
}

export function createDatabaseSlot(
  config: Config,
  { log, lockTimeoutMilliseconds }: DatabaseSlotOptions,
): DatabaseSlot {
  const pids: number[] = [];
  let waits: LockWaits | undefined;
  let opened: Promise<Database> | undefined;
  let closed: Promise<void> | undefined;
  let ignoreSignals: () => void = () => undefined;

  // The signals are handled until the database is closed. A failure to open it was reported where it was opened.
  const close = (): Promise<void> =>
    (closed ??= (opened ?? Promise.resolve(undefined))
      .then(async (database) => {
        await waits?.close();
        await database?.close();
      })
      .catch(() => undefined)
      .then(ignoreSignals));

  const end = (signal: StopSignal): never => process.exit(128 + constants.signals[signal]);

  return {
    open(options) {
      if (opened === undefined) {
        // An interrupted import is rolled back by PostgreSQL; an embedded server that only this process uses has to be
        // stopped.
        ignoreSignals = onStopSignals({
          onFirst: (signal) => void close().finally(() => end(signal)),
          onSecondSignal: end,
        });
        const onConnect = (client: object): void => void pids.push(serverProcessOf(client));
        const limits = { ...patience, lockTimeoutMilliseconds };
        opened = provideDatabase(config, { log, onConnect, ...limits, ...options }).then((database) => {
          waits = watchLockWaits({ url: database.url, pids: () => pids, log });
          return database;
        });
        // A later turn of `--every` tries again.
        opened.catch(() => {
          opened = undefined;
          ignoreSignals();
        });
      }
      return opened;
    },
    async explain(thrown) {
      // Checks and imports watch connections of their own, and have explained it already.
      if (thrown instanceof DatabaseUnavailableError || thrown instanceof ImportError) return thrown;
      const said = await waits?.explain(thrown);
      if (said === undefined) return thrown;
      return new DatabaseUnavailableError(`The command ${said}, and run the command again.`, { cause: thrown });
    },
    close,
  };
}
