import type { GraphQLSchema } from 'graphql';
import { getIntrospectionQuery, parse } from 'graphql';
import { maxTokens } from '../../../src/graph/limits/limit-options';
import { createOperationLimits } from '../../../src/graph/limits/limits';
import { validateDocument } from '../../../src/graph/limits/validate-document';
import { seededNumbers } from '../../support/random';

/** A selection in the form from which text is made: quick to copy and to change. */
interface Selection {
  readonly head: string;
  readonly below?: readonly Selection[];
}

/** A document as a list of definitions. */
interface Definition {
  readonly head: string;
  readonly below: readonly Selection[];
}

type Document = readonly Definition[];

export interface WorstDocument {
  readonly text: string;
  /** CPU time of checking and validating it, in units of the reference document's. */
  readonly ratio: number;
  readonly milliseconds: number;
  /** The family that it descends from. */
  readonly origin: string;
}

const repeat = <Item>(count: number, each: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => each(index));
const leaf = (head: string): Selection => ({ head });
const query = (...below: readonly Selection[]): Definition => ({ head: 'query', below });
const products = (below: readonly Selection[], head = 'products'): Selection => ({
  head,
  below: [{ head: 'nodes', below }],
});

/**
 * Documents that grow with `n` in one way each. The search starts from the largest of each family that the limits
 * allow.
 */
const families: Readonly<Record<string, (n: number) => Document>> = {
  'one leaf again and again': (n) => [query(products(repeat(n, () => leaf('id'))))],
  'one page again and again': (n) => [query(...repeat(n, () => products(repeat(n, () => leaf('id')))))],
  'one page with many arguments': (n) => [
    query(
      ...repeat(n, () => ({
        head: 'products(first: 1, filter: {query: "a", vendor: "b", tag: "c", productType: "d", status: ACTIVE})',
        below: [leaf('totalCount')],
      })),
    ),
  ],
  'one page with a long list': (n) => [
    query(...repeat(n, () => ({ head: `nodes(ids: [${'"a" '.repeat(n)}])`, below: [leaf('id')] }))),
  ],
  'deep pages side by side': (n) => [
    query(
      ...repeat(n, () =>
        products([{ head: 'variants', below: [{ head: 'product', below: repeat(n, () => leaf('title')) }] }]),
      ),
    ),
  ],
  aliases: (n) => [query(products(repeat(n, (i) => leaf(`a${i}: id`))))],
  'many names': (n) => [
    query(...repeat(20, (i) => products(repeat(n, (j) => leaf(names[(i + j) % names.length] ?? 'id'))))),
  ],
  'inline fragments': (n) => [query(products(repeat(n, () => ({ head: '...', below: [leaf('id')] }))))],
  'inline fragments of types': (n) => [
    query({
      head: 'nodes(ids: ["a"])',
      below: repeat(n, (i) => ({
        head: `... on ${types[i % types.length] ?? 'Shop'}`,
        below: [leaf('id'), leaf('__typename')],
      })),
    }),
  ],
  'fragments side by side': (n) => [
    query(products(repeat(n, (i) => leaf(`...F${i}`)))),
    ...repeat(n, (i) => ({ head: `fragment F${i} on Product`, below: [leaf('id'), leaf('title'), leaf('handle')] })),
  ],
  'fragments of many names': (n) => [
    query(products(repeat(n, (i) => leaf(`...F${i}`)))),
    ...repeat(n, (i) => ({ head: `fragment F${i} on Product`, below: names.map(leaf) })),
  ],
  'a chain of fragments': (n) => [
    query(products([leaf('...F0')])),
    ...repeat(n, (i) => ({ head: `fragment F${i} on Product`, below: [leaf('id'), leaf(`...F${i + 1}`)] })),
    { head: `fragment F${n} on Product`, below: [leaf('id')] },
  ],
  'fragments that double each other': (n) => [
    query(products([leaf('...F0')])),
    ...repeat(n, (i) => ({ head: `fragment F${i} on Product`, below: [leaf(`...F${i + 1}`), leaf(`...F${i + 1}`)] })),
    { head: `fragment F${n} on Product`, below: [leaf('id')] },
  ],
  'introspection that doubles': (n) => [
    query({ head: '__schema', below: [leaf('...F0')] }),
    ...repeat(n, (i) => ({ head: `fragment F${i} on __Schema`, below: [leaf(`...F${i + 1}`), leaf(`...F${i + 1}`)] })),
    { head: `fragment F${n} on __Schema`, below: [{ head: 'types', below: [leaf('name')] }] },
  ],
  'fragments that use each other': (n) => [
    query(products([leaf('...F0')])),
    ...repeat(n, (i) => ({ head: `fragment F${i} on Product`, below: repeat(n, (j) => leaf(`...F${j}`)) })),
  ],
  'introspection in a circle': (n) => [
    query({ head: '__schema', below: [leaf('...F0')] }),
    ...repeat(n, (i) => ({ head: `fragment F${i} on __Schema`, below: repeat(n, (j) => leaf(`...F${j}`)) })),
  ],
  'unused fragments': (n) =>
    [query(leaf('__typename'))].concat(
      repeat(n, (i) => ({ head: `fragment F${i} on Product`, below: repeat(n, () => leaf('id')) })),
    ),
  operations: (n) => [
    ...repeat(n, (i) => ({ head: `query Q${i}`, below: [leaf('...F')] })),
    { head: 'fragment F on Query', below: [products(repeat(n, () => leaf('id')))] },
  ],
  'operations with variables': (n) => [
    ...repeat(20, (i) => ({
      head: `query Q${i}(${repeat(35, (v) => `$v${v}: Int`).join(' ')})`,
      below: [leaf('...F')],
    })),
    {
      head: 'fragment F on Query',
      below: repeat(n, (i) => ({ head: `a${i}: products(first: $v${i})`, below: [leaf('totalCount')] })),
    },
  ],
  'undefined variables': (n) => [
    ...repeat(20, (i) => ({ head: `query Q${i}`, below: [leaf('...F')] })),
    {
      head: 'fragment F on Query',
      below: [{ head: `nodes(ids: [${repeat(n, (i) => `$v${i}`).join(' ')}])`, below: [leaf('id')] }],
    },
  ],
  'variables of unknown types': (n) => [
    { head: `query (${repeat(n, (i) => `$v${i}: Prodct${i}`).join(' ')})`, below: [leaf('id')] },
  ],
  directives: (n) => [query(products(repeat(n, () => leaf('id @include(if: true)'))))],
  'unknown directives': (n) => [query(products(repeat(n, (i) => leaf(`id @inclde${i}`))))],
  'unknown fields': (n) => [query(products(repeat(n, (i) => leaf(`titel${i}`))))],
  'long unknown fields': (n) => [
    query(products(repeat(n, (i) => leaf(`${'descriptionHtml'.repeat(1 + (i % 40))}${i}`)))),
  ],
  'unknown arguments': (n) => [
    query({ head: `products(${repeat(n, (i) => `frist${i}: 1`).join(' ')})`, below: [leaf('totalCount')] }),
  ],
  'unknown types': (n) => [query(...repeat(n, (i) => ({ head: `... on Produkt${i}`, below: [leaf('id')] })))],
  'unknown members': (n) => [
    query({ head: `products(filter: {${repeat(n, (i) => `vendr${i}: "x"`).join(' ')}})`, below: [leaf('totalCount')] }),
  ],
  'unknown enum values': (n) => [
    query(...repeat(n, (i) => ({ head: `a${i}: products(sortKey: CREATED${i})`, below: [leaf('totalCount')] }))),
  ],
  'wrong lists': (n) => [query({ head: `products(first: [${'[1] '.repeat(n)}])`, below: [leaf('totalCount')] })],
  'one member again and again': (n) => [
    query({ head: `products(filter: {${'vendor: "x" '.repeat(n)}})`, below: [leaf('totalCount')] }),
  ],
  'a deep list': (n) => [query({ head: `nodes(ids: ${'['.repeat(n)}1${']'.repeat(n)})`, below: [leaf('id')] })],
  'a deep object': (n) => [
    query({ head: `products(filter: ${'{not: '.repeat(n)}1${'}'.repeat(n)})`, below: [leaf('totalCount')] }),
  ],
  'a deep type': (n) => [{ head: `query ($v: ${'['.repeat(n)}Int${']'.repeat(n)})`, below: [leaf('__typename')] }],
  'conflicting fields': (n) => [query(products(repeat(n, (i) => leaf(`a: ${names[i % names.length] ?? 'id'}`))))],
  'conflicting arguments': (n) => [
    query(...repeat(n, (i) => ({ head: `products(first: ${i})`, below: [leaf('totalCount')] }))),
  ],
  'conflicts far below': (n) => [
    query(
      ...repeat(n, (i) =>
        products([
          { head: 'variants', below: [{ head: 'product', below: [leaf(`a: ${names[i % names.length] ?? 'id'}`)] }] },
        ]),
      ),
    ),
  ],
};

const names = [
  'id',
  'title',
  'handle',
  'status',
  'vendor',
  'productType',
  'tags',
  'imageUrl',
  'minPrice',
  'maxPrice',
  'totalStock',
];
const types = ['Product', 'Variant', 'Collection', 'Order', 'Shop', 'Node'];

const toText = (document: Document): string => document.map((each) => selectionText(each)).join('\n');
const selectionText = ({ head, below }: Selection): string =>
  below === undefined ? head : `${head} { ${below.map(selectionText).join(' ')} }`;

interface SearchOptions {
  readonly schema: GraphQLSchema;
  readonly seed: number;
  /** Changes that are tried, in addition to the largest of each family. */
  readonly changes: number;
}

/**
 * Searches for the document within the limits that takes longest to be checked and validated: the largest of each
 * family, then hill climbing by changes to the slowest ones (repeat, wrap, merge two, move into a fragment). Times are
 * the thread's CPU time, the least of several runs, and are compared with a fixed document's in the same process.
 */
export function findWorstDocument({ schema, seed, changes }: SearchOptions): WorstDocument {
  const random = seededNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const limits = createOperationLimits();
  const isWithin = (document: Document): boolean => isAllowed(limits, toText(document));
  const measure = (document: Document) => measureValidation(schema, limits, toText(document));

  // V8 has compiled these functions before anything is measured.
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
  // Once more, with more runs: to exclude times that are long by chance.
  const again = Math.min(...repeat(5, () => measure(worst.document)), worst.milliseconds);
  const unit = Math.min(...repeat(20, () => measureValidation(schema, limits, reference)));
  return { text: toText(worst.document), ratio: again / unit, milliseconds: again, origin: worst.origin };
}

/** The largest body of a request (src/http/endpoints/graphql/graphql-body.ts). */
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
 * The largest n that is allowed, if all smaller ones are too. Refused documents are evaluated least: they are the long
 * ones.
 */
function largest(isAllowedAt: (n: number) => boolean): number {
  let low = 1;
  while (isAllowedAt(2 * low)) low *= 2;
  for (let step = low / 2; step >= 1; step /= 2) if (isAllowedAt(low + step)) low += step;
  return low;
}

/** Milliseconds of CPU: the least of three runs on three documents, because the measures of a document are cached. */
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

/** Operations need different names beside others, and fragments too. */
const renamed = (document: Document, suffix: number): Document =>
  document.map(({ head, below }, index) => ({
    head: head.startsWith('query')
      ? head.replace(/^query( Q\d+)?/, `query R${suffix}_${index}`)
      : head.replace(/F(\d+)/, `F$1_${suffix}`),
    below,
  }));

/** Replaces the selections of one definition, at a random depth. */
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
