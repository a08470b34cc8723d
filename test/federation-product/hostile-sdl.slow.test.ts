import { buildSchema, findBreakingChanges, findDangerousChanges, parse } from 'graphql';
import type { GraphQLSchema } from 'graphql';
import { operations, readOperationDocument } from '../../rest/operations';
import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { createComposer } from '../../src/federation/catalog/composer';
import { UnaffordableComposition } from '../../src/federation/supergraph/compose-subgraphs';
import { parseBoundedSdl, subgraphSdlLimits } from '../../src/federation/supergraph/sdl-limits';
import { publicSchema } from '../../src/federation/supergraph/public-schema';
import { readTypeDefinitions } from '../../src/graph/schema';
import { createReviewsSubgraph } from '../federation/reviews/reviews-subgraph';
import { hostileShapes, importedDirectives, many } from '../federation/support/hostile-sdl';
import { createRandom, mutateText } from '../federation/support/mutations';
import { createRandom as createSeededRandom } from '../support/random';
import { fc } from '../support/properties';
import { runSeed as seed } from '../support/run-seed';

/** Mutants. `FUZZ_RUNS=2000 SEED=1 npx jest test/federation-product/hostile-sdl` runs a longer search. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 25);

const catalogSdl = createCatalogSubgraph().sdl;
const documents = Object.fromEntries(
  operations.map(({ operationId }) => [operationId, readOperationDocument(operationId)]),
);
const own = buildSchema(readTypeDefinitions());
const composer = createComposer({ catalogSdl, documents });
const compose = (sdl: string) =>
  composer.compose([
    { name: 'catalog', url: 'local://catalog', sdl: catalogSdl },
    { name: 'other', url: 'http://other.test', sdl },
  ]);
const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@shareable"])';

/** What clients of the catalog alone would notice. Others may add types, fields, and interfaces and unions of types. */
const changesOf = (composed: GraphQLSchema) =>
  [...findBreakingChanges(own, composed), ...findDangerousChanges(own, composed)].filter(
    ({ type }) => !/^(DIRECTIVE_|IMPLEMENTED_INTERFACE_ADDED|TYPE_ADDED_TO_UNION)/.test(type),
  );

const words = [
  '@override(from: "catalog")',
  '@inaccessible',
  '@shareable',
  '@external',
  '@provides(fields: "title")',
  '@authenticated',
  '@requires(fields: "title")',
  '@key(fields: "title")',
  '@key(fields: "id", resolvable: false)',
  '@interfaceObject',
  'implements Node',
  '@requiresScopes(scopes: [["x"]])',
  'type Product { title: Int }',
  'enum Plan { free }',
  'extend type Shop',
  'type',
  'interface',
  '{',
  '}',
  '!',
  '[',
  ']',
  '"""',
  '"',
  '#',
  '&',
  '| Product',
  'input LongRange { min: Int }',
  'scalar Decimal @inaccessible',
  'type PageInfo @shareable { hasNextPage: Boolean }',
  'type Query { products: Int node(id: ID!): Int }',
  'schema { query: Product }',
];

describe('whatever SDL a subgraph has', () => {
  const start = createReviewsSubgraph().sdl.replace(
    '"@shareable"]',
    '"@shareable", "@override", "@inaccessible", "@provides", "@interfaceObject", "@authenticated"]',
  );

  it(
    `it is refused with a reason, or leaves the catalog as it is (${numRuns} mutants from seed ${seed})`,
    async () => {
      let taken = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer(), async (from) => {
          const outcome = await compose(mutateText(start, createRandom(from), words)).catch(
            (thrown: unknown) => thrown,
          );
          if (outcome instanceof Error) return expect(outcome.message.length).toBeLessThan(25_000);
          taken += 1;
          expect(changesOf(publicSchema(parse(outcome as string)))).toEqual([]);
        }),
        { numRuns, seed },
      );
      expect(await compose(start)).toContain('graph: OTHER');
      expect(taken).toBeLessThan(numRuns);
    },
    60_000 + numRuns * 1000,
  );

  it.each<[string, string, RegExp]>([
    ['repeated implements', `${link} type A ${'implements '.repeat(40_000)}`, /Syntax Error/],
    [
      'implemented interfaces',
      `${link} type A implements ${many(10_001, (index) => `I${index}`, ' & ')} { id: ID! }`,
      /more than 10000 interfaces/,
    ],
    [
      'implementations of one interface',
      `${link} ${many(501, (index) => `type T${index} implements I { a: Int }`)}`,
      /more than 500 types that implement one interface/,
    ],
    ['bytes', `${link} "${'x'.repeat(1_100_000)}" type A { a: Int }`, /more than 1048576 bytes/],
    ['tokens', `${link} type A { ${'a '.repeat(210_000)}`, /Syntax Error/],
    ['types', `${link} ${many(3001, (index) => `type T${index} { a: Int }`)}`, /more than 3000 types/],
    ['extensions', `${link} ${'extend type A @tag(name: "a") '.repeat(3001)}`, /more than 3000 types/],
    ['fields', `${link} type A { ${many(25_001, (index) => `f${index}: Int`)} }`, /more than 25000 fields/],
    [
      'arguments',
      `${link} type A { a(${many(25_001, (index) => `f${index}: Int`)}): Int }`,
      /more than 25000 arguments/,
    ],
    ['values', `${link} enum E { ${many(10_001, (index) => `V${index}`)} }`, /more than 10000 enum values/],
    ['directives', `${link} type A { ${'a: Int @a @b @c '.repeat(8334)} }`, /more than 25000 directives/],
    [
      'directives of one type',
      `${link} type A ${'@a '.repeat(501)} { a: Int }`,
      /more than 500 directives in one location/,
    ],
    ...['key', 'requires', 'provides', 'federation__key'].flatMap((name): [string, string, RegExp][] => [
      [
        `levels of nested selections in @${name}`,
        `${link} type A @${name}(fields: "${'a { '.repeat(17)}") { a: Int }`,
        /more than 16 levels of nested selections in a field set/,
      ],
      [
        `names in @${name}`,
        `${link} type A { a: Int @${name}(fields: ["${'a '.repeat(501)}"]) }`,
        /more than 500 names in a single field set/,
      ],
    ]),
    [
      'names in field sets',
      `${link} type A ${`@key(fields: "${'a '.repeat(500)}") `.repeat(41)} { a: Int }`,
      /more than 20000 names in field sets/,
    ],
    [
      'lists of lists',
      `${link} type A { a: ${'['.repeat(40)}Int${']'.repeat(40)} }`,
      /more than 32 levels of nested lists/,
    ],
    ['deeper lists than the stack', `${link} type A { a: ${'['.repeat(90_000)}`, /too deeply to check|Syntax Error/],
    ['deeper values than the stack', `${link} type A @a(a: ${'['.repeat(90_000)}`, /too deeply to check|Syntax Error/],
    [
      'deeper field sets than the stack',
      `${link} type A @key(fields: "${'a{'.repeat(90_000)}") { a: Int }`,
      /more than 16 levels of nested selections/,
    ],
    ['nothing', '', /Syntax Error/],
  ])('is refused when it is empty or beyond a limit: %s', async (_, sdl, reason) => {
    await expect(compose(sdl)).rejects.toThrow(reason);
  });

  it.each(Object.entries(hostileShapes))(
    `is composed within its CPU time, or refused with the right reason: %s (seed ${seed})`,
    async (name, make) => {
      const outcome = await compose(
        link.replace(/import: \[.*\]/, `import: ${JSON.stringify(importedDirectives)}`) +
          make(createSeededRandom(seed)),
      ).catch((thrown: unknown) => thrown);
      if (outcome instanceof Error) expect(outcome.message.length).toBeLessThan(25_000);
      // Scopes of many types multiply, which no limit on their number foresees.
      if (name !== 'scopes over many types') expect(outcome).not.toBeInstanceOf(UnaffordableComposition);
      await expect(compose(start)).resolves.toContain('graph: OTHER');
    },
    120_000,
  );
});

describe('the limits of SDL', () => {
  it('are wide enough for the catalog', () => {
    expect(parseBoundedSdl(catalogSdl, subgraphSdlLimits).definitions.length).toBeGreaterThan(20);
  });
});
