import type { DocumentNode } from 'graphql';
import { getOperationAST, parse } from 'graphql';
import type { ApiError } from '../../src/errors/api-error';
import { measureDocument } from '../../src/graph/limits/document-shape';
import { createOperationLimits, validateDocument } from '../../src/graph/limits/limits';
import { createOperationCost } from '../../src/graph/limits/operation-cost';
import { typeFields } from '../../src/graph/typed-fields';
import { createSchema } from '../../src/graph/schema';
import { fc } from '../support/properties';
import { shopLikeSchema } from './shop-like-schema';
import type { Document } from './support/document-families';
import { families, toText } from './support/document-families';

/** What is known about a document within the limits. */
function analyse(document: DocumentNode) {
  const operation = getOperationAST(document);
  if (!operation) throw new Error('A test document has one operation.');
  const fields = typeFields(shopLikeSchema, document, operation);
  return {
    shape: measureDocument(document).operations.get(operation),
    cost: createOperationCost(operation, fields),
  };
}

/** The number in the error message of any recursion; 0 if nothing is nested within itself. */
function recursionOf(document: DocumentNode): number {
  const unlimited = { maxDepth: Infinity, maxFields: Infinity, maxFragmentUses: Infinity, maxAliases: Infinity };
  const limits = createOperationLimits({
    ...unlimited,
    maxSelections: Infinity,
    maxComparisons: Infinity,
    maxRecursion: 1,
  });
  try {
    limits.checkOperation({ schema: shopLikeSchema, document });
    return 0;
  } catch (thrown) {
    return Number(/ (\d+) levels deep/.exec((thrown as Error).message)?.[1] ?? 0);
  }
}

const schema = createSchema();
/** More than any body contains, so that refusing a document relies on neither that nor the parser's token limit. */
const size = 100_000;

/** The smallest member of the family with that length, in powers of two. */
function grown(family: (n: number) => Document): string {
  let n = 16;
  while (toText(family(n)).length < size) n *= 2;
  return toText(family(n));
}

describe('a malicious document of 100 kB is refused', () => {
  // The parser refuses values nested that deeply.
  test.each(Object.entries(families).filter(([name]) => !name.startsWith('a deep ')))('%s', (_, family) => {
    const outcome = (): unknown => {
      try {
        return validateDocument(schema, parse(grown(family), { noLocation: true }), createOperationLimits()).length > 0;
      } catch (error) {
        return (error as ApiError).code;
      }
    };
    expect([true, 'BAD_USER_INPUT']).toContain(outcome());
  });
});

test('an uncountable number of fields is reported in words', () => {
  const document = parse(grown(families['fragments that double each other'] as (n: number) => Document));
  expect(() => createOperationLimits().checkOperation({ schema, document })).toThrow(
    'The operation selects more than 1000000000 fields once its fragments are expanded; the limit is 1000.',
  );
});

test('a depth that the parser can hold is measured', () => {
  const levels = 1_000;
  const within = (inner: string): string => `product { ... on Product { ${inner} } }`;
  const nested = Array.from({ length: levels }).reduce((inner: string) => within(inner), 'id');
  const document = parse(`{ ...Deep } fragment Deep on Query { ${nested} }`);
  expect([...measureDocument(document).operations.values()][0]).toMatchObject({
    depth: levels + 1,
    fields: levels + 1,
  });
});

describe('measuring fragments once each agrees with writing them out', () => {
  const fragmentNames = ['F0', 'F1', 'F2', 'F3'];

  /** Selections on a Product. Fragment n only uses later fragments, so there is no cycle. */
  const productSelections = (usable: readonly string[]) =>
    fc.letrec<{ selections: string; selection: string }>((tie) => ({
      selections: fc.array(tie('selection'), { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')),
      selection: fc.oneof(
        { maxDepth: 3, depthIdentifier: 'product' },
        fc.constantFrom('id', 'x: title', 'tags', ...usable.map((name) => `...${name}`)),
        tie('selections').map((inner) => `variants { product { ${inner} } }`),
        tie('selections').map((inner) => `reviews(first: $n) { totalCount edges { node { product { ${inner} } } } }`),
        tie('selections').map((inner) => `a: related(first: 2) { ${inner} }`),
        tie('selections').map((inner) => `... on Product { ${inner} }`),
      ),
    })).selections;

  test('depth, fields, aliases, directives, recursion and cost', () => {
    const documents = fc
      .tuple(
        productSelections(fragmentNames),
        ...fragmentNames.map((_, index) => productSelections(fragmentNames.slice(index + 1))),
      )
      .map(([root, ...fragments]) => ({ root, fragments }));
    fc.assert(
      fc.property(documents, fc.integer({ min: 0, max: 5 }), ({ root, fragments }, n) => {
        const written = (text: string): string =>
          text.replace(
            /\.\.\.(F\d)/g,
            (_, name: string) => `... { ${written(fragments[fragmentNames.indexOf(name)] ?? '')} }`,
          );
        const definitions = fragments.map((body, index) => `fragment F${index} on Product { ${body} }`).join(' ');
        const sharedDocument = parse(`query ($n: Int) { product(id: 1) { ${root} } } ${definitions}`);
        const shared = analyse(sharedDocument);
        const spelledDocument = parse(`query ($n: Int) { product(id: 1) { ${written(root)} } }`);
        const spelled = analyse(spelledDocument);
        // A spread written out is an inline fragment around its contents.
        expect({ ...shared.shape, fragmentUses: 0 }).toEqual({ ...spelled.shape, fragmentUses: 0 });
        expect(recursionOf(sharedDocument)).toBe(recursionOf(spelledDocument));
        expect(shared.cost.cost({ n })).toBe(spelled.cost.cost({ n }));
        expect(shared.cost.mostExpensive({ n })?.cost).toBe(spelled.cost.mostExpensive({ n })?.cost);
      }),
    );
  });
});
