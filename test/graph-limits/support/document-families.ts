/** A selection in the form from which text is generated: quick to copy and modify. */
export interface Selection {
  readonly head: string;
  readonly below?: readonly Selection[];
}

/** A document as a list of definitions. */
interface Definition {
  readonly head: string;
  readonly below: readonly Selection[];
}

export type Document = readonly Definition[];

export const repeat = <Item>(count: number, each: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => each(index));
export const leaf = (head: string): Selection => ({ head });
const query = (...below: readonly Selection[]): Definition => ({ head: 'query', below });
const products = (below: readonly Selection[], head = 'products'): Selection => ({
  head,
  below: [{ head: 'nodes', below }],
});

/** Documents that grow with `n`, each in one way. Refused or not, none may cost much. */
export const families: Readonly<Record<string, (n: number) => Document>> = {
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

export const toText = (document: Document): string => document.map((each) => selectionText(each)).join('\n');
const selectionText = ({ head, below }: Selection): string =>
  below === undefined ? head : `${head} { ${below.map(selectionText).join(' ')} }`;
