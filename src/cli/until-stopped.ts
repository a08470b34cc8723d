import { constants } from 'node:os';
import { onStopSignals } from '../process/stop-signals';
import type { CliContext } from './command';

interface Interruptible {
  /** As of the context. From then on a signal ends the process only when the database has been closed. */
  readonly openDatabase: CliContext['database'];
  /** Called before everything is committed. */
  readonly onCommit: () => void;
}

/** Runs an import. A signal that ends the process says what became of it. */
export async function untilStopped<Result>(
  { log, database }: Pick<CliContext, 'log' | 'database'>,
  run: (interruptible: Interruptible) => Promise<Result>,
): Promise<Result> {
  const state = { isOpen: false, isCommitting: false };
  const ignoreSignals = onStopSignals({
    onFirst(signal) {
      log(state.isCommitting ? interruptedLate : interrupted);
      // An open database is closed first, and then ends the process.
      if (!state.isOpen) process.exit(128 + constants.signals[signal]);
    },
    onSecondSignal: () => undefined,
  });
  try {
    return await run({
      openDatabase() {
        state.isOpen = true;
        return database();
      },
      onCommit: () => (state.isCommitting = true),
    });
  } finally {
    ignoreSignals();
  }
}

const interrupted = 'Interrupted: nothing was written, the import is rolled back.';
const interruptedLate =
  'Interrupted while everything was being committed, so it may have been written: import the files again, which changes nothing that is.';
