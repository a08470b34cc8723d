import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import { answerWithin } from '../../common/timer';
import type { SubgraphWatcher } from '../transport/observed-executors';
import type { RemoteSubgraph } from './load-subgraph-sdl';
import { loadSubgraphSdl } from './load-subgraph-sdl';
import { composeBest } from './compose-best';
import type { Offer, RepeatingTask, SourceLog, SupergraphSource } from './supergraph-source';
import { repeat } from './supergraph-source';
import { describeSdlFailure } from '../../common/serve-requests';

export interface PollOptions {
  /** Subgraphs whose SDL is known: the graph in this process. They are in every supergraph. */
  readonly local: readonly SubgraphDefinition[];
  readonly remotes: readonly RemoteSubgraph[];
  readonly compose: (subgraphs: readonly SubgraphDefinition[]) => string | Promise<string>;
  /** Composes only the subgraphs of this process, while a composition of all subgraphs takes too long for startup. */
  readonly composeLocal?: ((subgraphs: readonly SubgraphDefinition[]) => string | Promise<string>) | undefined;
  readonly intervalMilliseconds: number;
  readonly log: SourceLog;
  /** Requests the SDL of a subgraph. */
  readonly load?: ((subgraph: RemoteSubgraph) => Promise<string>) | undefined;
}

/** How long startup waits for other teams' subgraphs; they join when they are composed. */
export const startMilliseconds = 10_000;

/**
 * Polls subgraphs for their SDL and composes the answers. A subgraph that does not answer keeps its previous SDL. One
 * that never answered, or whose SDL does not compose, is left out and does not keep the others from starting or
 * reloading.
 */
export function pollSubgraphs(options: PollOptions): SupergraphSource {
  const { local, remotes, intervalMilliseconds, log, load = loadSubgraphSdl } = options;
  const { compose, composeLocal = compose } = options;
  /** The last answer of each subgraph, whether it composes or not. */
  const answers = new Map<string, SubgraphDefinition>();
  const silent = new Set<string>();
  /** The subgraphs of the supergraph in use. */
  let used: readonly SubgraphDefinition[] | undefined;
  let seen: string | undefined;
  /** SDL that exceeded the resources for composition, by subgraph name. Other subgraphs would not change that. */
  const unaffordable = new Map<string, string>();
  let polling: RepeatingTask | undefined;
  let isStopped = false;
  let onAnswered: SubgraphWatcher | undefined;
  /** The first composition, while it continues after startup. */
  let first: Promise<void> | undefined;

  const report = (thrown: unknown): void => log.error(`polling subgraphs: ${describeSdlFailure(thrown)}`);

  async function ask(remote: RemoteSubgraph): Promise<void> {
    try {
      const sdl = await load(remote);
      answers.set(remote.name, { name: remote.name, url: remote.url, sdl });
      if (!silent.delete(remote.name)) return;
      onAnswered?.(remote.name, 'ok', true);
      log.info(`subgraph ${remote.name}: SDL received`);
    } catch (thrown) {
      if (silent.has(remote.name)) return;
      silent.add(remote.name);
      onAnswered?.(remote.name, 'failed', true);
      const consequence = used?.some(({ name }) => name === remote.name)
        ? 'its last good SDL stays in use'
        : 'it is left out until it returns its SDL';
      log.warn(`subgraph ${remote.name}: ${describeSdlFailure(thrown)}; ${consequence}`);
    }
  }

  async function refresh(offer: Offer): Promise<void> {
    await Promise.all(remotes.map(ask));
    const current = remotes.flatMap(({ name }) => {
      const answer = answers.get(name);
      const isUnaffordable = answer !== undefined && unaffordable.get(name) === answer.sdl;
      return (isUnaffordable ? used?.find((one) => one.name === name) : answer) ?? [];
    });
    const fingerprint = JSON.stringify(current);
    // SDL that did not compose last time is neither composed nor reported again until it changes.
    if (fingerprint === seen) return;
    seen = fingerprint;
    const best = await composeBest({ base: local, used, current, compose, offer });
    if (isStopped) return;
    for (const { name, problem, isUnaffordable } of best.refused) {
      if (isUnaffordable) unaffordable.set(name, answers.get(name)?.sdl ?? '');
      const isUsed = best.subgraphs.some((subgraph) => subgraph.name === name);
      log.error(
        `subgraph ${name}: SDL rejected; ${isUsed ? 'its last good SDL stays in use' : 'it is left out'}: ${problem}`,
      );
    }
    if (best.isChanged)
      log.info(`composed the supergraph of ${[...local, ...best.subgraphs].map(({ name }) => name).join(', ')}`);
    used = best.subgraphs;
  }

  return {
    async start(offer, watcher) {
      onAnswered = watcher;
      const offers = inOrder(offer);
      const poll = () => refresh(offers.take).catch(report);
      const composed = refresh(offers.take);
      const isInTime = answerWithin(
        composed.catch(() => undefined),
        startMilliseconds,
      ).then(
        () => true,
        () => false,
      );
      if (local.length === 0 || (await isInTime)) {
        await composed;
      } else {
        first = composed.catch(report).then(() => void (first = undefined));
        await offers.takeUnlessTaken(async () => composeLocal(local));
        log.warn('starting without the subgraphs that are still being composed; they join once they are composed');
      }
      polling = repeat(() => first?.then(poll) ?? poll(), intervalMilliseconds);
    },
    async stop() {
      isStopped = true;
      await polling?.stop();
      await first;
    },
  };
}

/** Supergraphs are taken into use sequentially. */
function inOrder(offer: Offer) {
  let last: Promise<unknown> = Promise.resolve();
  let isTaken = false;
  const inTurn = (sdl: string, isWanted: () => boolean): Promise<void> => {
    const taken = last.then(async () => {
      if (!isWanted()) return;
      await offer(sdl);
      isTaken = true;
    });
    last = taken.catch(() => undefined);
    return taken;
  };
  return {
    take: (sdl: string) => inTurn(sdl, () => true),
    takeUnlessTaken: async (make: () => Promise<string>) => inTurn(await make(), () => !isTaken),
  };
}
