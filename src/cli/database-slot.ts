import { constants } from 'node:os';
import type { Config } from '../config';
import type { Database } from '../database/database';
import { provideDatabase } from '../database/provide-database';
import type { StopSignal } from '../process/stop-signals';
import { onStopSignals } from '../process/stop-signals';

/** No client needs a response within a second here, and a merge or a list over everything may take long. */
const patience = { connectionTimeoutMilliseconds: 10_000, statementTimeoutMilliseconds: 5 * 60_000 };

/** At most one open database per command, opened on first use. */
export interface DatabaseSlot {
  readonly open: (options?: { readonly mustExist?: boolean }) => Promise<Database>;
  readonly close: () => Promise<void>;
}

export function createDatabaseSlot(config: Config, log: (line: string) => void): DatabaseSlot {
  let opened: Promise<Database> | undefined;
  let closed: Promise<void> | undefined;
  let ignoreSignals: () => void = () => undefined;

  // The signals are handled until the database is closed. A failure to open it was reported where it was opened.
  const close = (): Promise<void> =>
    (closed ??= (opened ?? Promise.resolve(undefined))
      .then((database) => database?.close())
      .catch(() => undefined)
      .then(ignoreSignals));

  const end = (signal: StopSignal): never => process.exit(128 + constants.signals[signal]);

  return {
    open(options) {
      if (opened === undefined) {
        // An interrupted import is rolled back by PostgreSQL; an embedded server that only this process uses has to be stopped.
        ignoreSignals = onStopSignals({
          onFirst: (signal) => void close().finally(() => end(signal)),
          onSecondSignal: end,
        });
        opened = provideDatabase(config, { log, ...patience, ...options });
      }
      return opened;
    },
    close,
  };
}
