import { join } from 'node:path';
import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import { UnaffordableComposition } from '../supergraph/compose-subgraphs';
import type { RefusedReply } from '../../common/isolated-process';
import { createProcessOnDemand, ProcessDeath } from '../../common/isolated-process';
import { systemTimer } from '../../common/timer';
import type { CatalogRules } from './check-supergraph';

/** Sent to the composer's process, one at a time. */
export type ComposerRequest =
  | {
      readonly kind: 'Compose';
      readonly subgraphs: readonly SubgraphDefinition[];
      /** undefined: the subgraphs do not include a catalog. */
      readonly rules: CatalogRules | undefined;
      /** Whether to add a subgraph that finds nodes across them. It runs only in the service. */
      readonly findsNodes: boolean;
    }
  /** A supergraph that was composed elsewhere. */
  | { readonly kind: 'Check'; readonly supergraphSdl: string; readonly rules: CatalogRules };

/** Sent by the composer's process, one per request. */
export type ComposerReply =
  { readonly kind: 'Composed'; readonly supergraphSdl: string } | { readonly kind: 'Checked' } | RefusedReply;

/** Composes and checks supergraphs in a separate process, which exists only while it has work. */
export interface Composer {
  /**
   * @returns the supergraph of these subgraphs and, unless `findsNodes` is false, of one that finds nodes across them
   * @throws Error with the reason why there is none: SDL beyond the limits, subgraphs that do not fit together, or a
   * graph that breaks the rules; UnaffordableComposition when it takes too much time or memory.
   */
  compose(subgraphs: readonly SubgraphDefinition[]): Promise<string>;
  /** @throws Error with the reason why a supergraph from elsewhere cannot be used. */
  check(supergraphSdl: string): Promise<void>;
  /** Cancels the work in progress and starts no more. */
  stop(): void;
}

/** CPU time for one composition or check: ten times what the largest accepted SDL of one subgraph takes. */
const maxCpuMilliseconds = 20_000;
/** Elapsed time, since the machine may be busy with other work. */
const limitMilliseconds = 60_000;
const idleMilliseconds = 2000;
/** Enough for graphs of the accepted size; the process exits when it needs more. */
const maxHeapMegabytes = 512;

/**
 * The composer recurses from type to type. Four times the default, and half of what systems give a process: it is
 * enough for chains of all the types that one subgraph may have. Beyond it the composition is refused.
 */
const stackKilobytes = 3900;

/** @param rules undefined for graphs without a catalog */
export function createComposer(rules: CatalogRules | undefined, { findsNodes = true } = {}): Composer {
  let isStopped = false;
  let cancelStop: () => void = () => undefined;
  const composer = createProcessOnDemand<ComposerRequest, ComposerReply>(
    {
      name: 'The composition',
      module: join(__dirname, 'composer-process'),
      execArgv: [`--max-old-space-size=${maxHeapMegabytes}`, `--stack-size=${stackKilobytes}`],
      maxCpuMilliseconds,
    },
    () => (cancelStop = systemTimer.after(idleMilliseconds, composer.stop)),
  );

  async function ask(request: ComposerRequest) {
    cancelStop();
    try {
      return await composer.inTurn(async () => {
        if (isStopped) throw new UnaffordableComposition('The composition was stopped.');
        return composer.process.ask(request, limitMilliseconds);
      });
    } catch (thrown) {
      if (!(thrown instanceof ProcessDeath)) throw thrown;
      const reason = thrown.message.trim();
      throw thrown.isFromOutside && !isStopped ? new Error(reason) : new UnaffordableComposition(reason);
    }
  }

  return {
    async compose(subgraphs) {
      const reply = await ask({ kind: 'Compose', subgraphs, rules, findsNodes });
      if (reply.kind !== 'Composed') throw new Error('Expected a supergraph.');
      return reply.supergraphSdl;
    },
    async check(supergraphSdl) {
      if (rules === undefined) return;
      await ask({ kind: 'Check', supergraphSdl, rules });
    },
    stop() {
      isStopped = true;
      composer.stop();
    },
  };
}
