import { parse, print } from 'graphql';
import { composeSubgraphs } from '../../src/federation/supergraph/compose-subgraphs';
import { expandRequired } from '../../src/federation/supergraph/expand-required';
import { readSubgraphTypes } from '../../src/federation/supergraph/subgraph-types';
import type { TestSubgraphs } from './support/in-process-gateway';
import { createTestGateway, toJson } from './support/in-process-gateway';

/** The same subgraphs in each order. */
const ordersOf = (subgraphs: TestSubgraphs): TestSubgraphs[] => [
  subgraphs,
  Object.fromEntries(Object.entries(subgraphs).reverse()),
];
const reference = (key: unknown): unknown => key;
const ask = async (subgraphs: TestSubgraphs, query: string) =>
  toJson(await createTestGateway(subgraphs).run(query)) as { data: unknown; errors?: unknown };

describe('a field that subgraphs share has the type that includes theirs', () => {
  const ship = { __typename: 'Ship', id: '1', name: 'Ada', tons: 9 };
  const vessels = {
    narrow: {
      typeDefs: `
        type Query { fleet: [Ship!] @shareable home: Port @shareable }
        type Port @shareable { berth: Ship! }
        type Ship @key(fields: "id") { id: ID! name: String }`,
      resolvers: { Query: { fleet: () => [ship], home: () => ({ berth: ship }) } },
      references: { Ship: () => ship },
    },
    wide: {
      typeDefs: `
        type Query { fleet: [Vessel!] @shareable home: Port @shareable }
        type Port @shareable { berth: Craft! }
        interface Vessel { id: ID! tons: Int }
        union Craft = Ship | Raft
        type Ship implements Vessel @key(fields: "id") { id: ID! tons: Int }
        type Raft implements Vessel @key(fields: "id") { id: ID! tons: Int logs: Int }`,
      resolvers: { Query: { fleet: () => [ship], home: () => ({ berth: ship }) } },
      references: { Ship: () => ship, Raft: reference },
    },
  } as unknown as TestSubgraphs;

  it.each(ordersOf(vessels).map((subgraphs) => [Object.keys(subgraphs).join(', '), subgraphs] as const))(
    '%s',
    async (_, subgraphs) => {
      const query = `{
        fleet { __typename id tons ... on Ship { name } ... on Raft { logs } }
        home { berth { __typename ... on Ship { name tons } ... on Raft { logs } } }
      }`;
      expect(await ask(subgraphs, query)).toEqual({
        data: {
          fleet: [ship],
          home: { berth: { __typename: 'Ship', name: 'Ada', tons: 9 } },
        },
      });
    },
  );

  it('keeps what an @override took from a subgraph', () => {
    const link =
      'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@override"])';
    const sdl = composeSubgraphs([
      { name: 'old', url: 'http://old.test', sdl: `${link} type Query { any: One } type One @shareable { a: Int }` },
      {
        name: 'new',
        url: 'http://new.test',
        sdl: `${link} type Query { any: Any @override(from: "old") } union Any = One | Two type One @shareable { a: Int } type Two { b: Int }`,
      },
    ]);
    const [, joins = ''] = /\n {2}any: Any (.*)\n/.exec(sdl) ?? [];
    expect(joins).toContain('@join__field(graph: NEW');
    expect(joins).not.toMatch(/graph: OLD(?![^)]*usedOverridden)/);
  });

  it('is refused where it does not fit an interface', () => {
    const link = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@shareable"])';
    const common = 'type Query { q: Int @shareable } type One @shareable { a: Int } interface Has { one: One } ';
    const compose = (narrow: string, wide: string) =>
      composeSubgraphs([
        { name: 'narrow', url: '', sdl: `${link} ${common} ${narrow}` },
        {
          name: 'wide',
          url: '',
          sdl: `${link} type Query { q: Int @shareable } type One @shareable { a: Int } type Two { b: Int } ${wide}`,
        },
      ]);
    expect(() =>
      compose(
        'type Box implements Has @shareable { one: One }',
        'union Any = One | Two type Box @shareable { one: Any }',
      ),
    ).toThrow('INVALID_GRAPHQL: Interface field Has.one expects type One but Box.one is type Any.');
  });
});

describe('fragments of @requires on interfaces and unions', () => {
  const parts = {
    shop: {
      typeDefs: `
        type Query { cars: [Car!]! }
        type Car @key(fields: "id") { id: ID! engine: Engine }
        interface Engine { name: String }
        interface Burning implements Engine { name: String fuel: String }
        type Diesel implements Engine & Burning @shareable { name: String fuel: String soot: Int }
        type Petrol implements Engine & Burning @shareable { name: String fuel: String octane: Int }
        type Electric implements Engine @shareable { name: String volts: Int }`,
      resolvers: {
        Query: { cars: () => ['1', '2', '3'].map((id) => ({ id })) },
        Car: {
          engine: ({ id }: { id: string }) =>
            [
              { __typename: 'Diesel', name: 'd', fuel: 'oil', soot: 3 },
              { __typename: 'Petrol', name: 'p', fuel: 'gas', octane: 95 },
              { __typename: 'Electric', name: 'e', volts: 400 },
            ][Number(id) - 1],
        },
      },
      references: { Car: reference },
    },
    tax: {
      typeDefs: `
        type Car @key(fields: "id") {
          id: ID!
          engine: Engine @external
          rate: String @requires(fields: "engine { name ... on Burning { fuel ... on Diesel { soot } ... on Petrol { octane } } ... on Electric { volts } }")
        }
        interface Engine { name: String }
        interface Burning implements Engine { name: String fuel: String }
        type Diesel implements Engine & Burning @shareable { name: String fuel: String soot: Int }
        type Petrol implements Engine & Burning @shareable { name: String fuel: String octane: Int }
        type Electric implements Engine @shareable { name: String volts: Int }`,
      resolvers: { Car: { rate: ({ engine }: { engine: unknown }) => JSON.stringify(engine) } },
      references: { Car: reference },
    },
  };
  it.each(
    ordersOf(parts as unknown as TestSubgraphs).map(
      (subgraphs) => [Object.keys(subgraphs).join(', '), subgraphs] as const,
    ),
  )('are fetched for each object type: %s', async (_, subgraphs) => {
    const { data, errors } = await ask(subgraphs, '{ cars { rate } }');
    expect(errors).toBeUndefined();
    expect((data as { cars: { rate: string }[] }).cars.map(({ rate }) => JSON.parse(rate) as unknown)).toEqual([
      { name: 'd', fuel: 'oil', soot: 3 },
      { name: 'p', fuel: 'gas', octane: 95 },
      { name: 'e', volts: 400 },
    ]);
  });

  const expand = (sdl: string): string => {
    const document = parse(sdl);
    return print(expandRequired(document, readSubgraphTypes(document)));
  };
  const types =
    'interface I { a: Int } union U = A | B type A implements I { a: Int } type B implements I { a: Int } type C { a: Int }';
  it.each([
    ['i { ... on U { ... on A { a } } }', 'i{...on A{a}}'],
    ['u { ... on I { a ... on U { __typename } } }', 'u{...on A{a __typename}...on B{a __typename}}'],
    ['i { ... on I { a } }', undefined],
    ['i { ... on A { a } }', undefined],
    ['i { ... on C { a } }', undefined],
    ['i { ... { a } }', undefined],
    ['i { ', undefined],
  ])('%s', (fields, expected) => {
    const toSdl = (text: string) =>
      `type T { i: I @external u: U @external x: Int @requires(fields: ${JSON.stringify(text)}) } ${types}`;
    expect(expand(toSdl(fields))).toBe(print(parse(toSdl(expected ?? fields))));
  });

  it.each([
    ['import: [{ name: "@requires", as: "@needs" }]', '@needs'],
    ['as: "fed"', '@fed__requires'],
    ['import: ["@key"]', '@federation__requires'],
  ])('are found when the directive has another name: %s', (link, directive) => {
    const sdl = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", ${link})
      type T { i: I x: Int ${directive}(fields: "i { ... on U { a } }") } ${types}`;
    expect(expand(sdl)).toContain(`${directive}(fields: "i{...on A{a}...on B{a}}")`);
  });
});

describe('the object of an @interfaceObject', () => {
  const people = {
    owner: {
      typeDefs: `
        type Query { people: [Person!]! }
        interface Person @key(fields: "id") { id: ID! name: String }
        type Guest implements Person @key(fields: "id") { id: ID! name: String }`,
      resolvers: {
        Query: { people: () => [{ id: '1' }] },
        Person: { __resolveType: () => 'Guest' },
        Guest: { name: ({ id }: { id: string }) => `n${id}` },
      },
      references: { Person: reference, Guest: reference },
    },
    badges: {
      typeDefs: `
        type Query { badged: [Person!]! }
        type Person @key(fields: "id") @interfaceObject { id: ID! name: String @external badge: String @requires(fields: "name") }`,
      resolvers: {
        Query: { badged: () => [{ id: '2' }] },
        Person: { badge: ({ name }: { name?: string }) => `badge of ${name ?? 'no one'}` },
      },
      references: { Person: reference },
    },
  } as unknown as TestSubgraphs;

  it.each(ordersOf(people).map((subgraphs) => [Object.keys(subgraphs).join(', '), subgraphs] as const))(
    'gets what it requires of its owner: %s',
    async (_, subgraphs) => {
      expect(await ask(subgraphs, '{ badged { badge name } people { __typename badge } }')).toEqual({
        data: {
          badged: [{ badge: 'badge of n2', name: 'n2' }],
          people: [{ __typename: 'Guest', badge: 'badge of n1' }],
        },
      });
    },
  );

  it('is null with an error where no subgraph knows its type', async () => {
    const owner = { ...people['owner'], references: { Person: () => null, Guest: reference } };
    const { data, errors } = await ask({ ...people, owner } as TestSubgraphs, '{ badged { __typename badge } }');
    expect(data).toBeNull();
    expect(errors).toMatchObject([{ extensions: { code: 'SUBREQUEST_MALFORMED_RESPONSE' } }]);
  });
});
