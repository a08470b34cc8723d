import type { DocumentNode, FragmentDefinitionNode, OperationDefinitionNode, SelectionSetNode } from 'graphql';
import { Kind, parse, visit } from 'graphql';
import type { ApiError } from '../../src/errors/api-error';
import { outlineOperation } from '../../src/graph/limits/document-outline';
import { measureDocument } from '../../src/graph/limits/document-shape';
import { defaultLimits } from '../../src/graph/limits/limit-options';
import { createOperationLimits } from '../../src/graph/limits/limits';
import { createOperationCost } from '../../src/graph/limits/operation-cost';
import { measureRecursion } from '../../src/graph/limits/operation-recursion';
import { shopLikeSchema } from './shop-like-schema';
import { fc } from '../support/properties';

/** Documents of about 100 kB, which no parser limit would accept: the analysis must not rely on one. */
const size = 100_000;

const hostileDocuments: Readonly<Record<string, string>> = {
  'fragments that double each other': [
    '{ product(id: 1) { ...F0 } }',
    ...Array.from({ length: 2_000 }, (_, i) => `fragment F${i} on Product { ...F${i + 1} ...F${i + 1} }`),
    'fragment F2000 on Product { id }',
  ].join('\n'),
  'fragments that double each other through lists': [
    '{ product(id: 1) { ...F0 } }',
    ...Array.from(
      { length: 700 },
      (_, i) => `fragment F${i} on Product { a: related(first: 9) { ...F${i + 1} } b: related { ...F${i + 1} } }`,
    ),
    'fragment F700 on Product { id }',
  ].join('\n'),
  'a chain of fragments': [
    '{ product(id: 1) { ...F0 } }',
    ...Array.from({ length: 2_500 }, (_, i) => `fragment F${i} on Product { ...F${i + 1} }`),
    'fragment F2500 on Product { id }',
  ].join('\n'),
  'one fragment used everywhere': `{ ${'node(id: 1) { ...F } '.repeat(size / 42)} } fragment F on Node { id ${'... on Product { variants { product { variants { id } } } } '.repeat(size / 120)} }`,
  aliases: `{ ${Array.from({ length: 5_000 }, (_, i) => `a${i}: product(id: 1) { id }`).join(' ')} }`,
  'one field repeated': `{ product(id: 1) { ${'id '.repeat(size / 3)} } }`,
  directives: `{ product(id: 1) { id ${'@skip(if: false) '.repeat(size / 18)} } }`,
  'inline fragments': `{ product(id: 1) { ${'... on Product { id } '.repeat(size / 22)} } }`,
};

function analyse(document: DocumentNode) {
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode => definition.kind === Kind.OPERATION_DEFINITION,
  );
  if (operation === undefined) throw new Error('A test document has one operation.');
  const outline = outlineOperation(shopLikeSchema, document, operation);
  const measured = measureDocument(document);
  return {
    outline,
    measured,
    shape: measured.operations.get(operation),
    recursion: measureRecursion(outline),
    cost: createOperationCost(outline, defaultLimits.cost),
  };
}

function countSelections(document: DocumentNode): number {
  let count = 0;
  const add = () => void count++;
  visit(document, { Field: add, FragmentSpread: add, InlineFragment: add });
  return count;
}

function countNodes(document: DocumentNode): number {
  let count = 0;
  visit(document, { enter: () => void count++ });
  return count;
}

/** No path can be longer in distinct fields than the schema has fields with selection sets. */
const schemaFactor = 25;

describe('a malicious document of 100 kB is refused after work in proportion to its length', () => {
  test.each(Object.entries(hostileDocuments))('%s', (_, source) => {
    const document = parse(source, { noLocation: true });
    const selections = countSelections(document);
    const { outline, measured, recursion, cost } = analyse(document);
    expect(outline.size).toBeLessThanOrEqual(selections);
    expect(measured.steps).toBeLessThanOrEqual(countNodes(document));
    expect(recursion.steps).toBeLessThanOrEqual(selections * schemaFactor);
    expect(cost.nodesPerRequest).toBeLessThanOrEqual(selections);
    expect(cost.cost({})).not.toBeNaN();
    expect(cost.mostExpensive({})).toBeDefined();
  });

  test.each(Object.entries(hostileDocuments))('%s: the answer is BAD_USER_INPUT', (_, source) => {
    const document = parse(source, { noLocation: true });
    expect(() => createOperationLimits().checkOperation({ schema: shopLikeSchema, document })).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT' }) as ApiError,
    );
  });
});

test('a number of fields beyond counting is reported in words', () => {
  const document = parse(hostileDocuments['fragments that double each other'] ?? '');
  expect(() => createOperationLimits().checkOperation({ schema: shopLikeSchema, document })).toThrow(
    'The operation selects more than 1000000000 fields once its fragments are written out; at most 1000 are allowed.',
  );
});

test('a depth that no stack could hold is measured all the same', () => {
  // Built manually: the parser itself would run out of stack first.
  let selectionSet: SelectionSetNode = field('id');
  for (let level = 0; level < 50_000; level++)
    selectionSet = field(level % 2 === 0 ? 'product' : 'variants', selectionSet);
  for (let level = 0; level < 50_000; level++) {
    selectionSet = { kind: Kind.SELECTION_SET, selections: [{ kind: Kind.INLINE_FRAGMENT, selectionSet }] };
  }
  const fragment: FragmentDefinitionNode = {
    kind: Kind.FRAGMENT_DEFINITION,
    name: { kind: Kind.NAME, value: 'Deep' },
    typeCondition: { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'Product' } },
    selectionSet,
  };
  const operation = parse('{ product(id: 1) { ...Deep } }').definitions;
  expect(analyse({ kind: Kind.DOCUMENT, definitions: [...operation, fragment] }).shape?.depth).toBe(50_002);
});

function field(name: string, selectionSet?: SelectionSetNode): SelectionSetNode {
  return {
    kind: Kind.SELECTION_SET,
    selections: [{ kind: Kind.FIELD, name: { kind: Kind.NAME, value: name }, ...(selectionSet && { selectionSet }) }],
  };
}

describe('analysing fragments once each agrees with writing them out', () => {
  const fragmentNames = ['F0', 'F1', 'F2', 'F3'];

  /** Selections on a Product; fragment n only uses fragments after it, so there is no circle. */
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
        const shared = analyse(parse(`query ($n: Int) { product(id: 1) { ${root} } } ${definitions}`));
        const spelled = analyse(parse(`query ($n: Int) { product(id: 1) { ${written(root)} } }`));
        // A spread that is written out is an inline fragment around its contents.
        expect({ ...shared.shape, fragmentUses: 0 }).toEqual({ ...spelled.shape, fragmentUses: 0 });
        expect(shared.recursion.count).toBe(spelled.recursion.count);
        expect(shared.cost.cost({ n })).toBe(spelled.cost.cost({ n }));
        expect(shared.cost.mostExpensive({ n })?.cost).toBe(spelled.cost.mostExpensive({ n })?.cost);
      }),
    );
  });
});

test('what does not depend on variables is computed once per document', () => {
  const fixed = analyse(parse('{ products(first: 10) { nodes { ...P } } } fragment P on Product { variants { id } }'));
  expect(fixed.cost.nodesPerRequest).toBe(0);
  const sized = analyse(
    parse('query ($n: Int) { products(first: $n) { nodes { ...P } } } fragment P on Product { variants { id } }'),
  );
  // products, nodes and the spread; the fragment's own sum is known.
  expect(sized.cost.nodesPerRequest).toBe(3);
});
