import { parse, print } from 'graphql';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { replaceRequired } from '../../src/federation/plan/required-keys';
import { supergraphGraphs } from '../../src/federation/supergraph/supergraph-graphs';

const link =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires", "@shareable"])';

/** A subgraph with a field for each field set, each derived from the others. */
const replace = (fieldSets: readonly string[], external: string) =>
  replaceRequired(
    parse(
      composeSubgraphs([
        {
          name: 'own',
          url: 'http://own.test',
          sdl: `${link} type Query { box: Box } type Box @key(fields: "id") { id: ID! ${external.replaceAll(' @external', '')} } type Size @shareable { width(in: String): Int } `,
        },
        {
          name: 'made',
          url: 'http://made.test',
          sdl: `${link} type Box @key(fields: "id") { id: ID! ${external} ${fieldSets
            .map((fields, at) => `q${at}: Int @requires(fields: ${JSON.stringify(fields)})`)
            .join(' ')} other: Box } type Size @shareable { width(in: String): Int }`,
        },
      ]),
    ),
  );

it('gives a field that requires others to a copy of its subgraph, whose key they are', () => {
  const { document, originalOf } = replace(['a', 'a size { width }'], 'a: Int @external size: Size @external');
  const text = print(document);
  expect([...originalOf]).toEqual([['MADE_0', 'MADE'], ['MADE_1', 'MADE']]);
  expect(text).toContain('@join__type(graph: MADE_0, key: "id a")');
  expect(text).toMatch(/key: "id a size ?\{ ?width ?\}"/);
  expect(text).not.toMatch(/@join__field\([^)]*requires: "/);
  // It would allow reaching the copy without what its fields require.
  expect(/other: Box (.*)/.exec(text)?.[1]).not.toContain('MADE_');
}); // prettier-ignore

it('leaves field sets with arguments as they are', () => {
  const { document, originalOf } = replace(['size { width(in: "cm") }'], 'size: Size @external');
  expect(originalOf.size).toBe(0);
  expect(print(document)).toContain('requires: ');
});

it('limits the number of copies, and leaves the rest as it is', () => {
  const names = Array.from({ length: 300 }, (_, at) => `f${at}`);
  const { document, originalOf } = replace(names, names.map((name) => `${name}: Int @external`).join(' '));
  expect(originalOf.size).toBe(16);
  expect(supergraphGraphs(document)).toHaveLength(18);
  expect(print(document).match(/requires: "/g)).toHaveLength(300 - 16);
});
