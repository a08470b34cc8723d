import { constants } from 'node:os';
import type { Config } from '../config';
import type { Database } from '../database/database';
import { provideDatabase } from '../database/provide-database';
import type { StopSignal } from '../process/stop-signals';
import { onStopSignals } from '../process/stop-signals';

/** Nobody waits for an answer within a second here, and a merge or a list over everything may take its time. */
const patience = { connectionTimeoutMilliseconds: 10_000, statementTimeoutMilliseconds: 5 * 60_000 };

/** At most one open database per command, opened when it is first asked for. */
export interface DatabaseSlot {
  readonly open: (options?: { readonly mustExist?: boolean }) => Promise<Database>;
  readonly close: () => Promise<void>;
}

export function createDatabaseSlot(config: Config, log: (line: string) => void): DatabaseSlot {
  let opened: Promise<Database> | undefined;
  let closed: Promise<void> | undefined;
  let ignoreSignals: () => void = () => undefined;

  // The signals stay answered until the database is closed. One that could not be opened was reported where it was asked for.
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
