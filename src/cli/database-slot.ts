import { constants } from 'node:os';
import type { Client } from 'pg';
import type { Config } from '../config/config';
import type { Database } from '../database/database';
import { DatabaseUnavailableError } from '../database/database-failure';
import type { LockWaits } from '../database/lock-waits';
import { watchLockWaits } from '../database/lock-waits';
import { provideDatabase } from '../database/provide-database';
import { AdministrationError } from '../errors/administration-error';
import { ImportError } from '../ingest/values/import-error';
import type { StopSignal } from '../process/shutdown-handlers';
import { onStopSignals } from '../process/shutdown-handlers';
import type { CliContext } from './command';

/** Generous: no client waits for a response, and a merge or a full listing may take long. */
const patience = { connectionTimeoutMilliseconds: 10_000, statementTimeoutMilliseconds: 10 * 60_000 };

/** At most one open database per command, opened on first use. */
interface DatabaseSlot extends Pick<CliContext, 'database' | 'databaseOrNew' | 'allowNewDatabase' | 'untilStopped'> {
  /** The error itself, or, after a lock timeout, an error that names the session holding the lock. */
  readonly explain: (thrown: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

interface DatabaseSlotOptions extends Pick<CliContext, 'log' | 'lockTimeoutMilliseconds'> {
  /** Undefined without a terminal to answer on. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** Announces that a new database is being created. */
  readonly tell: (line: string) => void;
  /** A signal ends the command. The message says what has become of an import. */
  readonly tellInterrupted: (message: string | undefined) => void;
}

export function createDatabaseSlot(
  config: Config,
  { log, lockTimeoutMilliseconds, ask, tell, tellInterrupted }: DatabaseSlotOptions,
): DatabaseSlot {
  const { dataDir } = config;
  const pids: number[] = [];
  let waits: LockWaits | undefined;
  let opened: Promise<Database> | undefined;
  let closed: Promise<void> | undefined;
  let ignoreSignals: (() => void) | undefined;
  let whenInterrupted: string | undefined;
  let isInterrupted = false;

  // The signals are handled until the database is closed. A failure to open it was reported where it was opened.
  const close = (): Promise<void> =>
    (closed ??= (opened ?? Promise.resolve(undefined))
      .then(async (database) => {
        await waits?.close();
        await database?.close();
      })
      .catch(() => undefined)
      .then(() => ignoreSignals?.()));

  const end = (signal: StopSignal): never => process.exit(128 + constants.signals[signal]);

  // An interrupted import is rolled back by PostgreSQL; an embedded server that only this process uses has to be
  // stopped.
  const watchSignals = (): void => {
    ignoreSignals ??= onStopSignals({
      onFirst(signal) {
        tellInterrupted(whenInterrupted);
        // Nothing is open that must be closed first.
        if (waits === undefined && config.databaseUrl !== undefined) end(signal);
        isInterrupted = true;
        void Promise.resolve(waits?.cancel())
          .catch(() => undefined)
          .then(close)
          .finally(() => end(signal));
      },
      onSecondSignal: end,
    });
  };

  function open(options?: { readonly mustExist: boolean }): Promise<Database> {
    if (opened === undefined) {
      watchSignals();
      const onConnect = ({ processID }: Client): void => void pids.push(processID);
      const limits = { ...patience, lockTimeoutMilliseconds };
      opened = provideDatabase(config, { log, onConnect, ...limits, ...options }).then((database) => {
        waits = watchLockWaits({ url: database.url, pids: () => pids, log });
        return database;
      });
      // A later run of `--every` tries again.
      opened.catch(() => (opened = undefined));
    }
    return opened;
  }

  async function isMissing(): Promise<boolean> {
    if (config.databaseUrl !== undefined) return false;
    const { hasEmbeddedDatabase } = await import('../database/embedded-postgres.js');
    return !(await hasEmbeddedDatabase(dataDir));
  }

  async function allowNewDatabase(): Promise<void> {
    if (!(await isMissing())) return;
    const answer = await ask?.(`There is no database in ${dataDir} yet. Create one there? [y/N] `);
    if (answer !== undefined && !/^y(es)?$/i.test(answer.trim()))
      throw new AdministrationError(
        'NOT_FOUND',
        'Nothing was created. To use another database, set DATA_DIR or DATABASE_URL.',
      );
    tell(`creating a new database in ${dataDir}`);
  }

  return {
    // Otherwise commands in another directory, or with a mistyped DATA_DIR, would create an empty database there.
    async database() {
      if (await isMissing()) {
        throw new AdministrationError(
          'NOT_FOUND',
          `There is no database in ${dataDir}. Set DATA_DIR to the service's data directory, or DATABASE_URL to its database. ` +
            'To create a new one, run `catalog serve` or `catalog shop create`.',
        );
      }
      return open({ mustExist: true });
    },
    async databaseOrNew() {
      await allowNewDatabase();
      return open();
    },
    allowNewDatabase,
    async untilStopped(run) {
      whenInterrupted = interrupted;
      watchSignals();
      try {
        return await run(() => (whenInterrupted = interruptedLate));
      } finally {
        whenInterrupted = undefined;
      }
    },
    async explain(thrown) {
      // The process ends as soon as the database is closed; a canceled statement is no news.
      if (isInterrupted) await new Promise(() => undefined);
      // Checks and imports watch their own connections and have already explained it.
      if (thrown instanceof DatabaseUnavailableError || thrown instanceof ImportError) return thrown;
      const said = await waits?.explain(thrown);
      if (said === undefined) return thrown;
      return new DatabaseUnavailableError(`The command ${said}, and run the command again.`, { cause: thrown });
    },
    close,
  };
}

const interrupted = 'Interrupted: nothing was imported.';
const interruptedLate =
  'Interrupted during the commit, so the import may have been committed. It is safe to run it again.';
