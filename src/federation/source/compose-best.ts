import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import { UnaffordableComposition } from '../supergraph/compose-subgraphs';
import type { Offer } from './supergraph-source';
import { describeSdlFailure } from '../../common/serve-requests';

interface ComposeBestOptions {
  /** Subgraphs of every supergraph. */
  readonly base: readonly SubgraphDefinition[];
  /** The other subgraphs of the supergraph in use; undefined while there is none. */
  readonly used: readonly SubgraphDefinition[] | undefined;
  /** The other subgraphs that the next supergraph should have. */
  readonly current: readonly SubgraphDefinition[];
  /** @returns the supergraph. @throws UnaffordableComposition for subgraphs that must not be tried again unchanged. */
  readonly compose: (subgraphs: readonly SubgraphDefinition[]) => string | Promise<string>;
  readonly offer: Offer;
}

interface ComposeBestResult {
  /** The subgraphs of the supergraph now in use, besides the base. */
  readonly subgraphs: readonly SubgraphDefinition[];
  readonly isChanged: boolean;
  /** Subgraphs whose current SDL could not be used. */
  readonly refused: readonly RefusedSubgraph[];
}

interface RefusedSubgraph {
  readonly name: string;
  readonly problem: string;
  /** Must not be tried again unchanged, not even with other subgraphs. */
  readonly isUnaffordable: boolean;
}

/**
 * Takes into use as many of the current subgraphs as compose together. Normally that is all of them. If they do not
 * compose, adds them sequentially to those in use, as long as any still composes: one subgraph may need what another
 * defines.
 * @throws Error when no supergraph was in use and not even the base composes.
 */
export async function composeBest(options: ComposeBestOptions): Promise<ComposeBestResult> {
  const { base, used, current, compose, offer } = options;
  let wasUnaffordable = false;
  const attempt = async (subgraphs: readonly SubgraphDefinition[]): Promise<string | undefined> => {
    wasUnaffordable = false;
    try {
      await offer(await compose([...base, ...subgraphs]));
      return undefined;
    } catch (thrown) {
      wasUnaffordable = thrown instanceof UnaffordableComposition;
      return describeSdlFailure(thrown);
    }
  };
  const unaffordable = new Set<string>();
  const whole = await attempt(current);
  if (whole === undefined) return { subgraphs: current, isChanged: true, refused: [] };
  const isWholeUnaffordable = wasUnaffordable;

  let subgraphs = used;
  if (subgraphs === undefined && base.length > 0 && (await attempt([])) === undefined) subgraphs = [];
  const problems = new Map<string, string>();
  const isWorthAnotherTry = ({ name }: SubgraphDefinition) => problems.has(name) && !unaffordable.has(name);
  let pending = current.filter((subgraph) => !used?.some((other) => isSame(other, subgraph)));
  for (let progress = true; progress; pending = pending.filter(isWorthAnotherTry)) {
    progress = false;
    for (const subgraph of pending) {
      const candidate: readonly SubgraphDefinition[] = [
        ...(subgraphs ?? []).filter(({ name }) => name !== subgraph.name),
        subgraph,
      ];
      const isWhole = isSameSet(candidate, current);
      const problem = isWhole ? whole : await attempt(candidate);
      if (problem !== undefined) {
        problems.set(subgraph.name, problem);
        if (isWhole ? isWholeUnaffordable : wasUnaffordable) unaffordable.add(subgraph.name);
        continue;
      }
      problems.delete(subgraph.name);
      subgraphs = candidate;
      progress = true;
    }
  }
  if (subgraphs === undefined) throw new Error(whole);
  const refused = [...problems].map(([name, problem]) => ({ name, problem, isUnaffordable: unaffordable.has(name) }));
  return { subgraphs, isChanged: subgraphs !== used, refused };
}

const isSame = (left: SubgraphDefinition, right: SubgraphDefinition): boolean =>
  left.name === right.name && left.sdl === right.sdl;

const isSameSet = (some: readonly SubgraphDefinition[], others: readonly SubgraphDefinition[]): boolean =>
  some.length === others.length && some.every((one) => others.some((other) => isSame(one, other)));
