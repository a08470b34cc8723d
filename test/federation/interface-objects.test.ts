import { buildSchema, execute, parse } from 'graphql';
import type { TestSubgraphs } from './support/in-process-gateway';
import { createTestGateway, toJson } from './support/in-process-gateway';

interface Item {
  readonly id: string;
}

const items: readonly Item[] = [{ id: '1' }, { id: '2' }];
const typeOf = ({ id }: Item): string => (id === '1' ? 'Book' : 'Film');
const owned = { title: ({ id }: Item) => `t${id}` };
const added = {
  score: ({ id }: Item) => Number(id) * 5,
  related: ({ id }: Item) => items.filter((other) => other.id !== id),
};
const reference = (item: unknown) => item;
const subgraphs = {
  a: {
    typeDefs: `
      interface Media @key(fields: "id") { id: ID! title: String }
      type Book implements Media @key(fields: "id") { id: ID! title: String pages: Int }
      type Film implements Media @key(fields: "id") { id: ID! title: String minutes: Int }
      type Query { media: [Media!]! book: Book }`,
    resolvers: {
      Media: { __resolveType: typeOf },
      Query: { media: () => items, book: () => items[0] },
      Book: { ...owned, pages: () => 3 },
      Film: { ...owned, minutes: () => 9 },
    },
    references: { Media: reference, Book: reference, Film: reference },
  },
  b: {
    typeDefs: `
      type Media @interfaceObject @key(fields: "id") { id: ID! score: Int related: [Media!]! }
      type Query { top: [Media!]! lost: Media }`,
    resolvers: { Query: { top: () => items, lost: () => ({ id: '3' }) }, Media: added },
    references: { Media: reference },
  },
  c: {
    typeDefs: 'type Media @interfaceObject @key(fields: "id") { id: ID! votes: Int }',
    resolvers: { Media: { votes: ({ id }: Item) => Number(id) } },
    references: { Media: reference },
  },
} as unknown as TestSubgraphs;
const gateway = createTestGateway(subgraphs);

/** The same data in one graph, run by graphql-js. */
const fields = 'id: ID! title: String score: Int related: [Media!]! votes: Int';
const whole = buildSchema(`
  interface Media { ${fields} }
  type Book implements Media { ${fields} pages: Int }
  type Film implements Media { ${fields} minutes: Int }
  type Query { media: [Media!]! book: Book top: [Media!]! }`);
const toObject = (item: Item): unknown => ({
  __typename: typeOf(item),
  id: item.id,
  title: owned.title(item),
  score: added.score(item),
  votes: Number(item.id),
  related: () => added.related(item).map(toObject),
  ...(item.id === '1' ? { pages: 3 } : { minutes: 9 }),
});
const rootValue = { media: items.map(toObject), top: items.map(toObject), book: toObject({ id: '1' }) };

const operations = [
  '{ media { __typename id score } }',
  '{ media { t: __typename score votes } }',
  '{ top { __typename score } }',
  '{ top { t: __typename votes } }',
  '{ top { t: __typename u: __typename score votes title } }',
  '{ top { id title ... on Book { pages } } }',
  '{ top { score votes ... on Book { __typename pages score } ... on Film { minutes votes } } }',
  '{ top { ... on Film { kind: __typename minutes score related { kind: __typename score ... on Book { pages votes } } } } }',
  '{ top { related { __typename votes related { __typename title } } } }',
  '{ book { kind: __typename related { kind: __typename score ... on Film { minutes } } } }',
  '{ media { ... on Book { related { __typename id } } ... on Film { related { t: __typename other: id } } } }',
];

it.each(operations)('objects have their own types, never that of an @interfaceObject: %s', async (source) => {
  const expected = await execute({ schema: whole, document: parse(source), rootValue });

  expect(toJson(await gateway.run(source))).toEqual(toJson(expected));
});

it('is null with an error where no subgraph knows the type', async () => {
  const silent = createTestGateway({ ...subgraphs, a: { ...subgraphs['a'], references: { Media: () => null, Book: reference, Film: reference } } } as TestSubgraphs); // prettier-ignore
  const { data, errors } = await silent.run('{ lost { __typename score } }');

  expect(toJson({ data: data ?? null })).toEqual({ data: { lost: null } });
  expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['SUBREQUEST_MALFORMED_RESPONSE']);
});
