import { getIntrospectionQuery, MaxIntrospectionDepthRule, parse, specifiedRules, validate } from 'graphql';
import { ApiError } from '../../src/errors/api-error';
import type { LimitSettings } from '../../src/graph/limits/limits';
import { createOperationLimits } from '../../src/graph/limits/limits';
import { defaultLimits, maxTokens } from '../../src/graph/limits/limit-options';
import { shopLikeSchema } from './shop-like-schema';
import { readRows } from '../support/read-rows';

function check(source: string, variables: Record<string, unknown> = {}, settings: LimitSettings = {}) {
  const document = parse(source, { maxTokens });
  // graphql-js has its own depth limit for introspection. Ours must hold without it.
  const rules = specifiedRules.filter((rule) => rule !== MaxIntrospectionDepthRule);
  expect(validate(shopLikeSchema, document, rules)).toEqual([]);
  return createOperationLimits(settings).checkOperation({ schema: shopLikeSchema, document, variables });
}

function refusal(source: string, settings: LimitSettings = {}, variables: Record<string, unknown> = {}): string {
  try {
    check(source, variables, settings);
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.code === 'BAD_USER_INPUT') return thrown.message;
    throw thrown;
  }
  throw new Error('The operation was not refused.');
}

const dashboard = /* GraphQL */ `
  query Dashboard($first: Int = 50, $after: String) {
    newest: products(first: $first, after: $after) {
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        cursor
        node {
          ...Tile
          variants {
            price
          }
        }
      }
    }
    last: products(last: 10) {
      nodes {
        ...Tile
        reviews(first: 3) {
          totalCount
          nodes {
            text
          }
        }
      }
    }
  }
  fragment Tile on Product {
    id
    title
    tags
  }
`;

test('measures an operation with its fragments expanded', () => {
  const { findMostExpensive, ...measured } = check(dashboard);
  expect(measured).toEqual({
    // newest: 1 + totalCount 10 + 50 × (product 1 + variants 1 + 10) = 611; last: 1 + 10 × (product 1 + reviews 1 + 10
    // + 3) = 151
    cost: 762,
    maxCost: 10_000,
    depth: 5,
    fields: 22,
    aliases: 2,
    rootFields: 2,
    directives: 0,
    fragmentUses: 2,
  });
  expect(findMostExpensive()).toEqual({ path: 'newest.edges.node.variants', cost: 550 });
});

test('lets the introspection of common tools pass', () => {
  const everything = getIntrospectionQuery({
    descriptions: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    directiveIsRepeatable: true,
    specifiedByUrl: true,
    oneOf: true,
  });
  const { cost, depth } = check(everything);
  expect(depth).toBe(15);
  expect(cost).toBeLessThan(2_500);
});

/** Operations just beyond a limit, and the settings under which they are just within it. */
interface Refusal {
  readonly limit: string;
  readonly where: string;
  readonly source: string;
  readonly settings: LimitSettings;
  readonly message: string;
  readonly within: LimitSettings;
}

const refusals = readRows<Refusal>(__dirname, 'operation-limits.json');

describe.each(refusals)('$limit $where', ({ source, settings, message, within }) => {
  test('a refusal says what was requested and what is allowed', () => {
    expect(refusal(source, settings)).toBe(message);
  });

  test('as much as is allowed passes', () => {
    expect(() => check(source, {}, within)).not.toThrow();
  });
});

test('every limit of an operation has documents above; those of documents and variables have other tests', () => {
  const others = /^max(?:Operations|Fragments|Selections|ValueDepth|Comparisons|Variable)/;
  const tried = refusals.flatMap(({ within }) => Object.keys(within));
  expect(Object.keys(defaultLimits).filter((name) => !others.test(name) && !tried.includes(name))).toEqual([]);
});

test('a field may be nested within itself once', () => {
  expect(check('{ product(id: 1) { variants { product { variants { id } } } } }').depth).toBe(5);
});

describe('cost', () => {
  test.each(readRows<[what: string, selection: string, cost: number]>(__dirname, 'operation-costs.json'))(
    '%s',
    (_, selection, cost) => {
      const fragments = selection.includes('...C')
        ? 'fragment C on ProductConnection { nodes { id } } fragment R on ReviewConnection { ...S } fragment S on ReviewConnection { nodes { id } }'
        : '';
      expect(check(`{ ${selection} } ${fragments}`).cost).toBe(cost);
    },
  );

  const sized =
    'query ($n: Int = 7, $ids: [ID!] = ["a"]) { products(first: $n) { nodes { id } } nodes(ids: $ids) { id } }';
  test.each<[what: string, variables: Record<string, unknown>, cost: number]>([
    ['from the request', { n: 200, ids: ['a', 'b', 'c'] }, 201 + 4],
    ['from the operation', {}, 8 + 2],
    ['that coercion will refuse count as the default', { n: { deep: 1 } }, 51 + 2],
    ['that are null, overriding their default', { n: null }, 51 + 2],
    ['of a single value', { ids: 'x' }, 8 + 2],
  ])('takes sizes from variables %s', (_, variables, cost) => {
    expect(check(sized, variables).cost).toBe(cost);
  });

  test('refuses by the variables of the request, not by the document', () => {
    const source =
      'query ($n: Int!) { products(first: $n) { nodes { ...P } } } fragment P on Product { variants { id } }';
    expect(check(source, { n: 200 }).cost).toBe(2401);
    expect(refusal(source, {}, { n: 1_000_000 })).toBe(
      'The operation costs 12000001 points; the limit is 10000. The most expensive field is products.nodes.variants: 11000000. Request smaller pages or fewer nested lists.',
    );
  });
});

describe('variables are bounded', () => {
  const source = 'query ($v: ProductFilter) { products(filter: $v) { nodes { id } } }';
  const nested = (depth: number): unknown => (depth === 0 ? 'x' : { and: [nested(depth - 1)] });
  const endless: unknown[] = [];
  endless.push(endless);

  test.each<[what: string, variables: Record<string, unknown>, message: string]>([
    [
      'number',
      Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`v${index}`, 1])),
      'The request has 51 variables; the limit is 50.',
    ],
    ['depth', { v: nested(4) }, 'The variable "$v" is nested more than 6 levels deep.'],
    ['unbounded depth', { v: endless }, 'The variable "$v" is nested more than 6 levels deep.'],
    [
      'length of a list',
      { v: { and: new Array(201).fill(null) } },
      'The variable "$v" has a list of 201 values; the limit is 200.',
    ],
    ['bytes', { v: { vendor: 'é'.repeat(16_384) } }, 'The variables exceed 32768 bytes, starting at "$v".'],
    [
      'bytes of names',
      { a: 1, ['x'.repeat(40_000)]: 1 },
      `${'The variables exceed 32768 bytes, starting at "$'.padEnd(2_000, 'x')}…`,
    ],
  ])('%s', (_, variables, message) => {
    expect(refusal(source, {}, variables)).toBe(message);
  });

  test('within the bounds they pass', () => {
    expect(check(source, { v: nested(3) }).cost).toBe(51);
  });
});

test('checks the operation that will run, not its neighbors', () => {
  const document = parse('query Small { product(id: 1) { id } } query Big { products(first: 90000) { nodes { id } } }');
  const limits = createOperationLimits();
  const run = (operationName?: string) =>
    limits.checkOperation({ schema: shopLikeSchema, document, operationName }).cost;
  expect(run('Small')).toBe(1);
  expect(() => run('Big')).toThrow('costs 90001 points');
  expect(run('Small')).toBe(1);
  expect(() => run('Other')).toThrow('The document has no operation named "Other".');
  expect(() => run()).toThrow('operationName: expected the name of the operation to run.');
});

test('refuses fragments that use themselves, validated or not', () => {
  const document = parse('{ ...A } fragment A on Query { ...B } fragment B on Query { node(id: 1) { id } ...A }');
  expect(() => createOperationLimits().checkOperation({ schema: shopLikeSchema, document })).toThrow(
    'Fragments must have unique names and must not reference themselves.',
  );
});
