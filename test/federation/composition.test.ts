import { parse } from 'graphql';
import { CompositionError, composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { composedNodes, nodeTypesOf } from '../../src/federation/catalog/composed-nodes';
import { typeOfGlobalId } from '../../src/federation/catalog/find-nodes';

const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable"])';
const subgraph = (name: string, sdl: string) => ({ name, url: `http://${name}.test`, sdl: `${link} ${sdl}` });

const problemsOf = (...subgraphs: ReturnType<typeof subgraph>[]) => {
  try {
    composeSubgraphs(subgraphs);
  } catch (thrown) {
    if (thrown instanceof CompositionError) return thrown.problems;
    throw thrown;
  }
  return [];
};

describe('composition', () => {
  it('creates a supergraph with the names and URLs of its subgraphs', () => {
    const sdl = composeSubgraphs([subgraph('my-reviews', 'type Query { a: Int }')]);

    expect(sdl).toContain('MY_REVIEWS @join__graph(name: "my-reviews", url: "http://my-reviews.test")');
  });

  it.each([
    [
      'a field that cannot be reached',
      'SATISFIABILITY_ERROR',
      ['type Query { a: A } type A { x: Int @shareable }', 'type A { x: Int @shareable y: Int }'],
    ],
    ['a key of no field', 'KEY_INVALID_FIELDS', ['type Query { a: A } type A @key(fields: "id") { x: Int }']],
  ])('refuses %s, with a code', (_, code, sdls) => {
    const problems = problemsOf(...sdls.map((sdl, index) => subgraph(`s${index}`, sdl)));

    expect(problems.join('\n')).toContain(`${code}: `);
  });

  it('reports the subgraph whose SDL is not GraphQL', () => {
    expect(problemsOf(subgraph('good', 'type Query { a: Int }'), subgraph('bad', 'type {'))).toEqual([
      '[bad] Syntax Error: Expected Name, found "{".',
    ]);
  });
});

describe('the subgraph of nodes', () => {
  it('has every type that is a Node with the key id, however its subgraph spells it', () => {
    const subgraphs = [
      subgraph('a', 'type A implements Node @key(fields: "id") { id: ID! } type No @key(fields: "id") { id: ID! }'),
      subgraph('b', 'extend type B implements Node @key(fields: " id ") { id: ID! }'),
      subgraph('c', 'type C implements Node @key(fields: "sku") { id: ID! sku: ID! }'),
      subgraph('d', 'type D implements Node @key(fields: "id", resolvable: false) { id: ID! }'),
      {
        name: 'e',
        sdl: `extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: [{ name: "@key", as: "@pk" }])
          type E implements Node @pk(fields: "id") { id: ID! }`,
      },
      { name: 'f', sdl: 'type F implements Node @key(fields: "id") { id: ID! }' },
    ];
    const [nodes] = composedNodes(subgraphs.map(({ name, sdl }) => ({ name, nodeTypes: nodeTypesOf(parse(sdl)) })));

    expect([...(nodes?.sdl ?? '').matchAll(/type (\w+) implements Node/g)].map(([, name]) => name)).toEqual([
      'A',
      'B',
      'E',
      'F',
    ]);
  });

  test.each([
    ['Product:1', 'Product'],
    ['_X9:', '_X9'],
    ['no colon', null],
    [':1', null],
  ])('the global id of %s is of type %s', (text, type) => {
    expect(typeOfGlobalId(Buffer.from(text).toString('base64'))).toBe(type);
    expect(typeOfGlobalId(Buffer.from(text).toString('base64url'))).toBe(type);
  });
});
