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

describe('a null', () => {
  it('of a nullable field nulls that field alone, with the error of its subgraph', async () => {
    expect(await run('{ thing { name fails } }')).toEqual({
      data: { thing: { name: 'one', fails: null } },
      errors: [error('second', ['thing', 'fails'])],
    });
  });

  it('of a non-null field nulls its object, and has one error', async () => {
    expect(await run('{ thing { name failsSure } fails }')).toEqual({
      data: { thing: null, fails: null },
      errors: [error('first', ['fails']), error('second', ['thing', 'failsSure'])],
    });
  });

  it('in a list of nullable items nulls its item', async () => {
    expect(await run('{ maybe { name needed } }')).toEqual({
      data: { maybe: [{ name: 't1', needed: 7 }, null] },
      errors: [error('second', ['maybe', 1, 'needed'])],
    });
  });

  it('in a list of non-null items nulls the list, up to the root when nothing is nullable', async () => {
    expect(await run('{ things { name needed } }')).toEqual({
      data: null,
      errors: [error('second', ['things', 1, 'needed'])],
    });
  });

  it('of a non-null root field nulls everything', async () => {
    expect(await run('{ sure thing { name } }')).toEqual({ data: null, errors: [error('first', ['sure'])] });
  });

  it('that a subgraph returns for a list is passed on with its error', async () => {
    expect(await run('{ thing { size parts { must } } }')).toEqual({
      data: { thing: { size: 1, parts: null } },
      errors: [
        error(
          'second',
          ['thing', 'parts', 1, 'must'],
          undefined,
          'Cannot return null for non-nullable field Part.must.',
        ),
      ].map(({ extensions: { service }, ...rest }) => ({ ...rest, extensions: { service } })),
    });
  });

  it('without an error is reported: an entity that is unknown to its other subgraph', async () => {
    expect(await run('{ gone { size name } missing { size } }')).toEqual({
      data: { gone: { size: null, name: 'nine' }, missing: null },
    });
    expect(await run('{ gone { needed } }')).toEqual({
      data: { gone: null },
      errors: [
        {
          message: 'Cannot return null for non-nullable field needed.',
          path: ['gone', 'needed'],
          extensions: { code: 'DOWNSTREAM_SERVICE_ERROR' },
        },
      ],
    });
  });

  it('replaces an object whose type is hidden from clients', async () => {
    expect(await run('{ named { __typename name } }')).toEqual({
      data: { named: [{ __typename: 'A', name: 'a' }, null] },
    });
  });

  it('of an alias is reported under the alias', async () => {
    expect(await run('{ x: thing { y: fails } }')).toEqual({
      data: { x: { y: null } },
      errors: [error('second', ['x', 'y'])],
    });
  });
});

describe('a subgraph that is unavailable', () => {
  const broken = createTestGateway(subgraphs, {
    executorFor: (name) => () => {
      if (name === 'second') throw new Error('connect ECONNREFUSED 10.0.0.7');
      return {
        data: { thing: { __typename: 'Thing', id: '1', name: 'one' }, things: [{ __typename: 'Thing', id: '1' }] },
      };
    },
  });
  const away = (path: unknown[]) => error('second', path, 'SUBREQUEST_HTTP_ERROR', 'A subgraph could not be queried.');

  it('nulls its nullable fields and nothing else', async () => {
    expect(withoutLocations(toJson(await broken.run('{ thing { name size fails } }')))).toEqual({
      data: { thing: { name: 'one', size: null, fails: null } },
      errors: [away(['thing'])],
    });
  });

  it('has an error for each requested root field', async () => {
    expect(withoutLocations(toJson(await broken.run('{ thing { name } a: other b: other }')))).toEqual({
      data: { thing: { name: 'one' }, a: null, b: null },
      errors: [away(['a']), away(['b'])],
    });
  });

  it('nulls everything if its field is non-null', async () => {
    expect(withoutLocations(toJson(await broken.run('{ things { needed } }')))).toEqual({
      data: null,
      errors: [away(['things', 0])],
    });
  });
});

describe('the error of the subgraph in this process', () => {
  it('keeps the thrown error, which is translated later, and names no service', async () => {
    const local = createTestGateway(subgraphs, { local: 'first' });
    const { errors } = await local.run('{ fails other }');

    expect(errors?.[0]?.originalError).toBeInstanceOf(GraphQLError);
    expect(errors?.[0]?.extensions).toEqual({ code: 'BOOM' });
  });
});
