import { GraphQLError } from 'graphql';
import type { TestSubgraphs } from './support/in-process-gateway';
import { createTestGateway, toJson } from './support/in-process-gateway';

const boom = () => {
  throw new GraphQLError('boom', { extensions: { code: 'BOOM' } });
};

const subgraphs: TestSubgraphs = {
  first: {
    typeDefs: `
      type Thing @key(fields: "id") { id: ID! name: String! }
      interface Named { name: String! }
      type A implements Named { name: String! }
      type B implements Named @inaccessible { name: String! }
      type Query { thing: Thing things: [Thing!]! maybe: [Thing]! missing: Thing gone: Thing fails: Int sure: Int! named: [Named] }
    `,
    resolvers: {
      Named: { __resolveType: ({ type }: { type: string }) => type },
      Query: {
        thing: () => ({ id: 1, name: 'one' }),
        things: () => [1, 2].map((id) => ({ id, name: `t${id}` })),
        maybe: () => [1, 2].map((id) => ({ id, name: `t${id}` })),
        missing: () => null,
        gone: () => ({ id: 9, name: 'nine' }),
        fails: boom,
        sure: boom,
        named: () => [
          { type: 'A', name: 'a' },
          { type: 'B', name: 'b' },
        ],
      },
    },
    references: { Thing: ({ id }) => ({ id, name: `t${id as string}` }) },
  },
  second: {
    typeDefs: `
      type Thing @key(fields: "id") { id: ID! size: Int needed: Int! fails: Int failsSure: Int! parts: [Part!] }
      type Part { must: Int! }
      type Query { other: Int otherSure: Thing! }
    `,
    resolvers: {
      Query: { other: () => 1, otherSure: () => ({ id: 3 }) },
      Thing: {
        size: ({ id }: { id: string }) => Number(id),
        needed: ({ id }: { id: string }) => (id === '2' ? boom() : 7),
        fails: boom,
        failsSure: boom,
        parts: () => [{ must: 1 }, { must: null }],
      },
    },
    references: { Thing: ({ id }) => (id === '9' ? null : { id }) },
  },
};

const gateway = createTestGateway(subgraphs);
const withoutLocations = (result: unknown) =>
  JSON.parse(JSON.stringify(result, (key, value: unknown) => (key === 'locations' ? undefined : value))) as unknown;
const run = async (query: string) => withoutLocations(toJson(await gateway.run(query)));
const error = (service: string, path: unknown[], code = 'BOOM', message = 'boom') => ({
  message,
  path,
  extensions: { code, service },
});

const failed = (...paths: (readonly [service: string, ...path: unknown[]])[]) => ({
  errors: paths.map(([service, ...path]) => error(service, path)),
});

it.each<[what: string, query: string, result: object]>([
  ['of a nullable field nulls that field alone, under its alias, with the error of its subgraph', '{ x: thing { name y: fails } }', { data: { x: { name: 'one', y: null } }, ...failed(['second', 'x', 'y']) }],
  ['of a non-null field nulls its object, and has one error', '{ thing { name failsSure } fails }', { data: { thing: null, fails: null }, ...failed(['first', 'fails'], ['second', 'thing', 'failsSure']) }],
  ['in a list of nullable items nulls its item', '{ maybe { name needed } }', { data: { maybe: [{ name: 't1', needed: 7 }, null] }, ...failed(['second', 'maybe', 1, 'needed']) }],
  ['in a list of non-null items nulls the list, up to the root when nothing is nullable', '{ things { name needed } }', { data: null, ...failed(['second', 'things', 1, 'needed']) }],
  ['of a non-null root field nulls everything', '{ sure thing { name } }', { data: null, ...failed(['first', 'sure']) }],
  ['that a subgraph returns for a list is passed on with its error', '{ thing { size parts { must } } }', {
    data: { thing: { size: 1, parts: null } },
    errors: [{ message: 'Cannot return null for non-nullable field Part.must.', path: ['thing', 'parts', 1, 'must'], extensions: { service: 'second' } }],
  }],
  ['of an entity that is unknown to its other subgraph is no error', '{ gone { size name } missing { size } }', { data: { gone: { size: null, name: 'nine' }, missing: null } }],
  ['of such an entity is one where none is allowed', '{ gone { needed } }', {
    data: { gone: null },
    errors: [{ message: 'Cannot return null for non-nullable field needed.', path: ['gone', 'needed'], extensions: { code: 'DOWNSTREAM_SERVICE_ERROR' } }],
  }],
  ['replaces an object whose type is hidden from clients', '{ named { __typename name } }', { data: { named: [{ __typename: 'A', name: 'a' }, null] } }],
])('a null %s', async (_, query, result) => {
  expect(await run(query)).toEqual(result);
}); // prettier-ignore

it.each<[what: string, query: string, data: unknown, ...paths: unknown[][]]>([
  ['its nullable fields and nothing else', '{ thing { name size fails } }', { thing: { name: 'one', size: null, fails: null } }, ['thing']],
  ['root fields, each with an error', '{ thing { name } a: other b: other }', { thing: { name: 'one' }, a: null, b: null }, ['a'], ['b']],
  ['everything if its field is non-null', '{ things { needed } }', null, ['things', 0]],
])('a subgraph that is unavailable nulls %s', async (_, query, data, ...paths) => {
  const broken = createTestGateway(subgraphs, {
    executorFor: (name) => () => {
      if (name === 'second') throw new Error('connect ECONNREFUSED 10.0.0.7');
      const thing = { __typename: 'Thing', id: '1', name: 'one' };
      return { data: { thing, things: [thing] } };
    },
  });
  expect(withoutLocations(toJson(await broken.run(query)))).toEqual({
    data,
    errors: paths.map((path) => error('second', path, 'SUBREQUEST_HTTP_ERROR', 'A subgraph could not be queried.')),
  });
}); // prettier-ignore

it('the error of the subgraph in this process keeps the thrown error, which is translated later, and names no service', async () => {
  const local = createTestGateway(subgraphs, { local: 'first' });
  const { errors } = await local.run('{ fails other }');

  expect(errors?.[0]?.originalError).toBeInstanceOf(GraphQLError);
  expect(errors?.[0]?.extensions).toEqual({ code: 'BOOM' });
});
