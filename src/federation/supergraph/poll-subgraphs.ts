import type { SubgraphDefinition } from '../composition/compose-subgraphs';
import { composeSubgraphs } from '../composition/compose-subgraphs';
import type { Timer } from '../timer';
import { systemTimer } from '../timer';
import type { RemoteSubgraph } from './load-subgraph-sdl';
import { loadSubgraphSdl } from './load-subgraph-sdl';
import { repeat } from './repeating-task';
import type { RepeatingTask } from './repeating-task';
import { composeBest } from './compose-best';
import type { Offer, SourceLog, SupergraphSource } from './supergraph-source';

export interface PollOptions {
  /** Subgraphs whose SDL is known here: the graph in this process. They are in every supergraph. */
  readonly local: readonly SubgraphDefinition[];
  readonly remotes: readonly RemoteSubgraph[];
  /**
   * Makes further subgraphs out of those that are composed, such as one that finds nodes across them.
   * They stand and fall with the rest.
   */
  readonly derive?: ((subgraphs: readonly SubgraphDefinition[]) => readonly SubgraphDefinition[]) | undefined;
  /** How subgraphs are composed; in this process unless it is given. */
  readonly compose?: ((subgraphs: readonly SubgraphDefinition[]) => string | Promise<string>) | undefined;
  readonly intervalMilliseconds: number;
  readonly log: SourceLog;
  readonly timer?: Timer | undefined;
  /** How a subgraph is asked for its SDL. */
  readonly load?: ((subgraph: RemoteSubgraph) => Promise<string>) | undefined;
}

/**
 * Polls subgraphs for their SDL and composes what they answer. A subgraph that does not answer keeps the SDL it had; one
 * that never answered, or whose SDL does not fit, is left out, and does not keep the others from starting or reloading.
 */
export function pollSubgraphs(options: PollOptions): SupergraphSource {
  const { local, remotes, intervalMilliseconds, log, timer = systemTimer, load = loadSubgraphSdl } = options;
  const { derive = () => [], compose = composeSubgraphs } = options;
  /** The last answer of each subgraph, fitting or not. */
  const answers = new Map<string, SubgraphDefinition>();
  const silent = new Set<string>();
  /** What the supergraph in use is made of. */
  let used: readonly SubgraphDefinition[] | undefined;
  let seen: string | undefined;
  let polling: RepeatingTask | undefined;

  async function ask(remote: RemoteSubgraph): Promise<void> {
    try {
      const sdl = await load(remote);
      answers.set(remote.name, { name: remote.name, url: remote.url, sdl });
      if (silent.delete(remote.name)) log.info(`subgraph ${remote.name}: answers again`);
    } catch (thrown) {
      if (silent.has(remote.name)) return;
      silent.add(remote.name);
      const consequence = answers.has(remote.name) ? 'its last SDL stays in use' : 'it is left out until it answers';
      log.warn(`subgraph ${remote.name}: ${thrown instanceof Error ? thrown.message : String(thrown)}; ${consequence}`);
    }
  }

  async function refresh(offer: Offer): Promise<void> {
    await Promise.all(remotes.map(ask));
    const current = remotes.flatMap(({ name }) => answers.get(name) ?? []);
    const fingerprint = JSON.stringify(current);
    // What did not fit the last time is not composed, and not complained of, again before it changes.
    if (fingerprint === seen) return;
    seen = fingerprint;
    const best = await composeBest({ base: local, used, current, derive, compose, offer });
    for (const { name, problem } of best.refused) {
      const isUsed = best.subgraphs.some((subgraph) => subgraph.name === name);
      log.error(
        `subgraph ${name}: its SDL is refused; ${isUsed ? 'its last good SDL stays in use' : 'it is left out'}: ${problem}`,
      );
    }
    if (best.isChanged) log.info(`supergraph of ${[...local, ...best.subgraphs].map(({ name }) => name).join(', ')}`);
    used = best.subgraphs;
  }

  return {
    async start(offer) {
      await refresh(offer);
      polling = repeat(
        () =>
          refresh(offer).catch((thrown: unknown) => {
            log.error(`polling subgraphs: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
          }),
        intervalMilliseconds,
        timer,
      );
    },
    async stop() {
      await polling?.stop();
    },
  };
}
