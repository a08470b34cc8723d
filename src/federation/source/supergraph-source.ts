import { systemTimer } from '../../common/timer';
import type { SubgraphWatcher } from '../transport/observed-executors';

/** Takes a supergraph into use, or throws. */
export type Offer = (supergraphSdl: string) => void | Promise<void>;

/** A source of supergraphs. */
export interface SupergraphSource {
  /**
   * Offers the first supergraph, then every new one, until stopped. `offer` rejects when it cannot use one; then the
   * source keeps the last one that could be used, logs that, and tries again when something has changed.
   * @param onAnswered called when a subgraph stops returning its SDL, and when it returns it again
   * @throws Error when there is no usable supergraph at the start.
   */
  start(offer: Offer, onAnswered?: SubgraphWatcher): Promise<void>;
  /** Resolves when no work is in progress any longer. */
  stop(): Promise<void>;
}

/** The log of a source. */
export interface SourceLog {
  readonly info: (line: string) => void;
  readonly warn: (line: string) => void;
  readonly error: (line: string) => void;
}

/** A task that is repeated. */
export interface RepeatingTask {
  /** Resolves when the current run, if any, has ended. No further run follows. */
  stop(): Promise<void>;
}

/**
 * Runs a task repeatedly, each time `intervalMilliseconds` after its last run ended: runs never overlap, however slow
 * they are.
 */
export function repeat(task: () => Promise<void>, intervalMilliseconds: number): RepeatingTask {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancel = schedule();
  function schedule() {
    return systemTimer.after(intervalMilliseconds, () => {
      running = task().finally(() => {
        if (!isStopped) cancel = schedule();
      });
    });
  }
  return {
    stop() {
      isStopped = true;
      cancel();
      return running;
    },
  };
}
