import type { GraphQLSchema } from 'graphql';
import { getIntrospectionQuery, parse } from 'graphql';
import { maxTokens } from '../../../src/graph/limits/limit-options';
import { createOperationLimits, validateDocument } from '../../../src/graph/limits/limits';
import { seededNumbers } from '../../support/random';
import type { Document, Selection } from './document-families';
import { families, leaf, repeat, toText } from './document-families';

export interface WorstDocument {
  readonly text: string;
  /** CPU time for checking and validating it, as a multiple of the reference document's. */
  readonly ratio: number;
  readonly milliseconds: number;
  /** The family it is derived from. */
  readonly origin: string;
}

interface SearchOptions {
  readonly schema: GraphQLSchema;
  readonly seed: number;
  /** How many changes to try, in addition to the largest of each family. */
  readonly changes: number;
}

/**
 * Searches for the document within the limits that takes longest to check and validate: the largest of each family,
 * then hill climbing by changes to the slowest ones (repeat, wrap, merge two, move into a fragment). Times are the
 * thread's CPU time, the least of several runs, compared with a fixed document in the same process.
 */
export function findWorstDocument({ schema, seed, changes }: SearchOptions): WorstDocument {
  const random = seededNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const limits = createOperationLimits();
  const isWithin = (document: Document): boolean => isAllowed(limits, toText(document));
  const measure = (document: Document) => measureValidation(schema, limits, toText(document));

  // So that V8 has compiled these functions before anything is measured.
  const reference = getIntrospectionQuery();
  for (let run = 0; run < 20; run += 1) measureValidation(schema, limits, reference);

  interface Candidate {
    readonly document: Document;
    readonly milliseconds: number;
    readonly origin: string;
  }
  let best: Candidate[] = Object.entries(families).map(([origin, family]) => {
    const document = family(largest((n) => isWithin(family(n))));
    return { document, origin, milliseconds: measure(document) };
  });
  const slowestFirst = (all: readonly Candidate[]) => all.toSorted((a, b) => b.milliseconds - a.milliseconds);
  best = slowestFirst(best).slice(0, 12);
  for (let change = 0; change < changes; change += 1) {
    const parent = pick(best);
    const document = alter(parent.document, pick(best).document, random);
    if (!isWithin(document)) continue;
    best = slowestFirst([...best, { document, origin: parent.origin, milliseconds: measure(document) }]).slice(0, 12);
  }
  const [worst] = best as [Candidate];
  // Again with more runs, to exclude accidentally long times.
  const again = Math.min(...repeat(5, () => measure(worst.document)), worst.milliseconds);
  const unit = Math.min(...repeat(20, () => measureValidation(schema, limits, reference)));
  return { text: toText(worst.document), ratio: again / unit, milliseconds: again, origin: worst.origin };
}

/** The largest request body (src/http/endpoints/graphql/graphql-handler.ts). */
const maximumCharacters = 256 * 1024;

function isAllowed(limits: ReturnType<typeof createOperationLimits>, text: string): boolean {
  if (text.length > maximumCharacters) return false;
  try {
    limits.checkDocument(parse(text, { maxTokens }));
    return true;
  } catch {
    return false;
  }
}

/**
 * The largest allowed n, if all smaller ones are allowed too. Evaluates as few refused documents as possible, because
 * they are the long ones.
 */
function largest(isAllowedAt: (n: number) => boolean): number {
  let low = 1;
  while (isAllowedAt(2 * low)) low *= 2;
  for (let step = low / 2; step >= 1; step /= 2) if (isAllowedAt(low + step)) low += step;
  return low;
}

/**
 * Milliseconds of CPU time: the least of three runs on three documents, because the measures of a document are cached.
 */
function measureValidation(
  schema: GraphQLSchema,
  limits: ReturnType<typeof createOperationLimits>,
  text: string,
): number {
  let least = Infinity;
  for (let run = 0; run < 3; run += 1) {
    const document = parse(text, { maxTokens });
    const before = process.cpuUsage();
    validateDocument(schema, document, limits);
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** One random change somewhere in the document. */
function alter(document: Document, other: Document, random: () => number): Document {
  const below = (count: number) => Math.floor(random() * count);
  const times = [2, 3, 5, 10, 30, 100][below(6)] ?? 2;
  const kind = below(7);
  if (kind === 0) return [...document, ...renamed(other, below(1_000))];
  if (kind === 1) {
    const fragment = `G${below(100_000)}`;
    let moved: readonly Selection[] | undefined;
    const changed = changeSomewhere(document, random, (selections) => {
      moved = selections;
      return repeat(times, () => leaf(`...${fragment}`));
    });
    return moved === undefined ? document : [...changed, { head: `fragment ${fragment} on Product`, below: moved }];
  }
  return changeSomewhere(document, random, (selections) => {
    const index = below(selections.length);
    const chosen = selections[index] ?? leaf('id');
    if (kind === 2) return [...selections, ...repeat(times, () => chosen)];
    if (kind === 3) return selections.map((each, at) => (at === index ? { head: '...', below: [each] } : each));
    if (kind === 4) return [...selections, ...selections];
    if (kind === 5) return [...selections.slice(0, index), ...selections.slice(index + times)];
    return [
      ...selections,
      ...repeat(times, (i) => ({ ...chosen, head: `a${i}: ${chosen.head.replace(/^\w+: /, '')}` })),
    ];
  });
}

/** Operations and fragments need unique names. */
const renamed = (document: Document, suffix: number): Document =>
  document.map(({ head, below }, index) => ({
    head: head.startsWith('query')
      ? head.replace(/^query( Q\d+)?/, `query R${suffix}_${index}`)
      : head.replace(/F(\d+)/, `F$1_${suffix}`),
    below,
  }));

/** Replaces the selections of one definition at a random depth. */
function changeSomewhere(
  document: Document,
  random: () => number,
  change: (selections: readonly Selection[]) => readonly Selection[],
): Document {
  const at = Math.floor(random() * document.length);
  const inside = (selections: readonly Selection[]): readonly Selection[] => {
    const nested = selections.flatMap(({ below }, index) => (below === undefined ? [] : [index]));
    const chosen = nested[Math.floor(random() * nested.length)];
    if (chosen === undefined || random() < 0.4) {
      const changed = change(selections);
      return changed.length === 0 ? selections : changed;
    }
    return selections.map((each, index) =>
      index === chosen && each.below ? { ...each, below: inside(each.below) } : each,
    );
  };
  return document.map((each, index) => (index === at ? { ...each, below: inside(each.below) } : each));
}
