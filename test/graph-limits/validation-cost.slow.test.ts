import { getIntrospectionQuery, parse } from 'graphql';
import type { ApiError } from '../../src/errors/api-error';
import { measureMerging } from '../../src/graph/limits/document-shape';
import { maxTokens } from '../../src/graph/limits/limit-options';
import { createOperationLimits, validateDocument } from '../../src/graph/limits/limits';
import { createSchema } from '../../src/graph/schema';
import { findWorstDocument } from './support/worst-document';
import { runSeed as seed } from '../support/run-seed';

const schema = createSchema();

/** Longer searches: VALIDATION_SEARCH_CHANGES=2000 npx jest test/graph-limits/validation-cost */
const changes = Number(process.env['VALIDATION_SEARCH_CHANGES'] ?? 40);

/**
 * 50 ms of CPU time, on hardware where validating the introspection of common tools takes half a millisecond (2 cores
 * at 2.5 GHz).
 */
const mostUnits = 100;

test(`no document within the limits takes longer to validate than ${mostUnits} introspections (seed ${seed})`, () => {
  const worst = findWorstDocument({ schema, seed, changes });
  console.log(
    `seed ${seed}: ${worst.milliseconds.toFixed(1)} ms, ${worst.ratio.toFixed(0)} units, from: ${worst.origin}`,
  );
  expect({ seed, ...worst, isWithin: worst.ratio < mostUnits }).toMatchObject({ isWithin: true });
});

const repeat = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => each(index)).join(' ');

/** The documents that took seconds when limits were checked after validation. */
test.each<[what: string, source: string, message: RegExp]>([
  [
    'pages that repeat a field',
    `{ ${repeat(12, () => `products { nodes { ${'id '.repeat(76)} } }`)} }`,
    /^The document repeats fields: "products\.nodes\.id" is selected 912 times in one selection set/,
  ],
  [
    'the same without a credential',
    `{ ${repeat(12, () => `__schema { types { ${'name '.repeat(70)} } }`)} }`,
    /"__schema\.types\.name" is selected 840 times/,
  ],
  [
    'fields of the same name that are merged from fragments',
    `{ products { nodes { ${repeat(90, (i) => `...F${i}`)} } } } ${repeat(90, (i) => `fragment F${i} on Product { a: id a: id }`)}`,
    /"products\.nodes\.a" is selected 180 times|aliases/,
  ],
  [
    'a field with many arguments',
    `{ ${repeat(19, () => `products(filter: {${'vendor: "x" '.repeat(60)}}) { totalCount }`)} }`,
    /"products" is selected 19 times/,
  ],
  ['operations', repeat(21, (i) => `query Q${i} { __typename }`), /has 21 operations; the limit is 20/],
  [
    'fragments',
    `{ __typename } ${repeat(101, (i) => `fragment F${i} on Shop { id }`)}`,
    /has 101 fragments; the limit is 100/,
  ],
  [
    'spreads',
    `{ shop { ${repeat(501, () => '...F')} } } fragment F on Shop { id }`,
    /uses 501 fragments once nested ones are expanded; the limit is 500/,
  ],
  ['definitions of variables', `query (${repeat(51, (i) => `$v${i}: Int`)}) { __typename }`, /defines 51 variables/],
  ['lists', `{ nodes(ids: ${'['.repeat(17)}1${']'.repeat(17)}) { id } }`, /nested 17 levels deep; the limit is 16/],
  ['lists of types', `query ($v: ${'['.repeat(17)}Int${']'.repeat(17)}) { __typename }`, /nested 17 levels deep/],
  [
    'operations that are large together',
    repeat(10, (i) => `query Q${i} { ...F }`) +
      ` fragment F on Query { products { nodes { ${repeat(5, (i) => `...P${i}`)} } } }` +
      repeat(5, (i) => `fragment P${i} on Product { ${repeat(60, (j) => `...E${(i + j) % 7}`)} }`) +
      repeat(7, (i) => `fragment E${i} on Product { id }`),
    /selections in all its operations/,
  ],
])('refuses %s before anything else processes it', (_, source, message) => {
  const document = parse(source, { maxTokens });
  const limits = createOperationLimits();
  expect(() => validateDocument(schema, document, limits)).toThrow(
    expect.objectContaining({ code: 'BAD_USER_INPUT', message: expect.stringMatching(message) as string }) as ApiError,
  );
});

test('fragments in a circle are reported as such, in time that does not grow with their paths', () => {
  const circle = repeat(60, (i) => `fragment F${i} on __Schema { ${repeat(60, (j) => `...F${j}`)} }`);
  const document = parse(`{ __schema { ...F0 } } ${circle}`);
  const errors = validateDocument(schema, document, createOperationLimits());
  expect(errors[0]?.message).toBe('Cannot spread fragment "F0" within itself.');
});

test('two fragments of the same name are reported as such', () => {
  const document = parse('{ shop { ...F } } fragment F on Shop { id } fragment F on Shop { nope }');
  const errors = validateDocument(schema, document, createOperationLimits());
  expect(errors.map(({ message }) => message)).toEqual(['There can be only one fragment named "F".']);
});

test('documents that people send are far below the limits', () => {
  const limits = createOperationLimits();
  const components = repeat(30, (i) => `fragment C${i} on Product { id title handle status vendor }`);
  const page = `{ products { nodes { ${repeat(30, (i) => `...C${i}`)} } } } ${components}`;
  for (const source of [getIntrospectionQuery(), page]) {
    expect(validateDocument(schema, parse(source), limits)).toEqual([]);
  }
  expect(measureMerging(parse(page)).comparisons).toBe(5 * ((30 * 29) / 2));
});
