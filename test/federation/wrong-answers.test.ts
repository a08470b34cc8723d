import { createTestGateway, toJson } from './support/in-process-gateway';
import type { TestSubgraphs } from './support/in-process-gateway';
import { readRows } from '../support/read-rows';

const subgraphs: TestSubgraphs = {
  catalog: {
    typeDefs: `
      interface Node { id: ID! }
      type Product implements Node @key(fields: "id") { id: ID! title: String! minPrice: String }
      type Query { products: [Product!]! }`,
  },
  other: {
    typeDefs: `
      enum Grade { GOOD BAD }
      scalar Json
      scalar Whole
      interface Node { id: ID! }
      type Product @key(fields: "id") {
        id: ID! text: String sure: String! int: Int float: Float flag: Boolean ref: ID grade: Grade json: Json whole: Whole
        texts: [String!] matrix: [[Int]] part: Part parts: [Part!] any: Any node: Node
      }
      type Part { name: String size: Int! parts: [Part] }
      type Review implements Node @key(fields: "id") { id: ID! stars: Int }
      union Any = Part | Review
      type Query { best: Product list: [Product!]! count: Int must: Int! }`,
  },
};

const products = [
  { __typename: 'Product', id: 'p1', title: 'Teapot', minPrice: '1.00' },
  { __typename: 'Product', id: 'p2', title: 'Cup', minPrice: null },
];
const catalogData = products.map(({ title, minPrice }) => ({ title, minPrice }));
const whole = {
  Whole: {
    parseValue: (value: unknown) => {
      if (Number.isSafeInteger(value)) return value;
      throw new TypeError('no whole number');
    },
    parseLiteral: () => 0,
  },
};

/** The second subgraph's response to every request. */
let answer: { readonly data: unknown; readonly errors?: readonly unknown[] | undefined };
let problems: string[] = [];
const gateway = createTestGateway(subgraphs, {
  scalars: whole,
  onMalformedAnswer: (name, problem) => void (name === 'other' && problems.push(problem)),
  executorFor: (name) => () =>
    (name === 'catalog' ? { data: { products: structuredClone(products) } } : answer) as never,
});

/** The response, with its errors as `code service path: message`. */
async function ask(query: string, data: unknown, errors?: readonly unknown[]) {
  answer = { data, errors };
  problems = [];
  const result = toJson(await gateway.run(query)) as {
    data: Record<string, unknown> | null;
    errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[];
  };
  return {
    data: result.data,
    problems,
    errors: (result.errors ?? []).map(
      ({ message, path, extensions }) =>
        `${String(extensions['code'])} ${String(extensions['service'])} ${path?.join('.')}: ${message}`,
    ),
  };
}

const wrong = (path: string, problem: string) =>
  `SUBREQUEST_MALFORMED_RESPONSE other ${path}: The subgraph "other" returned an invalid response: ${problem}.`;

const member = (value: unknown) => ({ _entities: [value, { id: 'p2' }] });
const huge = Number('1e999');

describe('a member of an entity', () => {
  it.each<[selection: string, value: unknown, problem: string]>([
    ['text', 1, 'expected a valid String, got a number'],
    ['int', '1', 'expected a valid Int, got a string'],
    ['int', 1.5, 'expected a valid Int, got a number'],
    ['int', 2 ** 31, 'expected a valid Int, got a number'],
    ['int', -(2 ** 31) - 1, 'expected a valid Int, got a number'],
    ['float', huge, 'expected a valid Float, got a number'],
    ['float', '1.5', 'expected a valid Float, got a string'],
    ['flag', 'true', 'expected a valid Boolean, got a string'],
    ['ref', 1.5, 'expected a valid ID, got a number'],
    ['ref', {}, 'expected a valid ID, got an object'],
    ['grade', 'UGLY', 'expected a valid Grade, got a string'],
    ['whole', {}, 'expected a valid Whole, got an object'],
    ['texts', 'a', 'expected [String!], got a string'],
    ['texts', { 0: 'a', length: 1 }, 'expected [String!], got an object'],
    ['matrix', 1, 'expected [[Int]], got a number'],
    ['part { name }', 'x', 'expected Part, got a string'],
    ['parts { name }', { name: 'x' }, 'expected [Part!], got an object'],
    ['any { __typename }', { __typename: 'Product' }, 'expected the __typename of Any, got Product'],
    ['any { __typename }', { __typename: 'toString' }, 'expected the __typename of Any, got toString'],
    ['any { __typename }', { __typename: 1 }, 'expected the __typename of Any, got a number'],
    ['any { ... on Part { name } }', { name: 'x' }, 'expected the __typename of Any, got nothing'],
    ['node { __typename id }', { __typename: 'Part', id: 'x' }, 'expected the __typename of Node, got Part'],
    // A type that implements Node, but not in this subgraph.
    ['node { __typename id }', { __typename: 'Stranger', id: 'x' }, 'expected the __typename of Node, got Stranger'],
  ])('%s that is %j is null, and reported', async (selection, value, problem) => {
    const [field = ''] = selection.split(' ');
    const { data, errors, problems } = await ask(
      `{ products { title minPrice ${selection} } }`,
      member({ [field]: value }),
    );

    expect(data).toEqual({ products: catalogData.map((product) => ({ ...product, [field]: null })) });
    expect(errors[0]).toBe(wrong(`products.0.${field}`, problem));
    expect(problems).toHaveLength(1);
  });

  it.each(
    readRows<[selection: string, value: unknown, expected: unknown, path: string, problem: string]>(
      __dirname,
      'wrong-answers.json',
    ),
  )('%s in %j nulls what is non-null above it', async (selection, value, expected, path, problem) => {
    const query = `{ products { ${selection} } }`;
    const { data, errors } = await ask(query, { _entities: [value, null] });

    expect((data?.['products'] as unknown[])[0]).toEqual(expected);
    expect(errors).toEqual([wrong(`products.0.${path}`, problem)]);
  });

  it('that is null, and may not be, has the error of its subgraph, once', async () => {
    const own = [{ message: 'sold', path: ['_entities', 0, 'sure'], extensions: { code: 'SOLD' } }];
    const { errors } = await ask('{ products { sure } }', member({ sure: null }), own);

    expect(errors).toEqual([
      'SOLD other products.0.sure: sold',
      wrong('products.1.sure', 'expected String!, got nothing'),
    ]);
  });

  it('is passed on if valid, numeric ids as text', async () => {
    const right = {
      text: '',
      int: -(2 ** 31),
      float: 1,
      flag: false,
      ref: 7,
      grade: 'BAD',
      json: { a: [{ b: null }] },
      whole: 2 ** 40,
      matrix: [[]],
      any: { __typename: 'Review', stars: null },
    };
    const { data, errors, problems } = await ask(
      '{ products { text int float flag ref grade json whole matrix any { __typename ... on Review { stars } ... on Part { name } } } }',
      { _entities: [right, null] },
    );

    expect({ errors, problems }).toEqual({ errors: [], problems: [] });
    expect((data?.['products'] as unknown[])[0]).toEqual({ ...right, ref: '7' });
  });
});

describe('members that were not requested', () => {
  it.each([
    ['of an entity', { id: 'evil', title: 'Evil', minPrice: '0.00', __typename: 'Review', text: 'x' }],
    [
      'of the prototype',
      JSON.parse(
        '{"__proto__": {"title": "Evil"}, "constructor": {"prototype": {"title": "Evil"}}, "text": "x"}',
      ) as object,
    ],
  ])('%s change nothing and are logged', async (_, entity) => {
    const { data, errors, problems } = await ask('{ products { id title minPrice text } }', {
      _entities: [entity, { text: 'y' }],
    });

    expect(data).toEqual({
      products: [
        { id: 'p1', title: 'Teapot', minPrice: '1.00', text: 'x' },
        { id: 'p2', title: 'Cup', minPrice: null, text: 'y' },
      ],
    });
    expect(errors).toEqual([]);
    expect(problems).toEqual([
      expect.stringMatching(/^returned the field "_entities\.0\..*", which was not requested$/),
    ]);
    expect(({} as { title?: string }).title).toBeUndefined();
  });

  it('of the operation do not become other root fields', async () => {
    const { data } = await ask('{ products { title } count }', { count: 1, products: [{ title: 'Evil' }] });

    expect(data).toEqual({ products: [{ title: 'Teapot' }, { title: 'Cup' }], count: 1 });
  });
});

describe('_entities', () => {
  it.each<[string, unknown, string]>([
    ['no list', { _entities: { 0: {} } }, 'expected a list of entities'],
    ['a string', { _entities: 'x' }, 'expected a list of entities'],
    ['null', { _entities: null }, 'expected a list of entities'],
    ['missing', {}, 'expected a list of entities'],
    ['empty', { _entities: [] }, 'list length: expected 2, got 0'],
    ['too short', { _entities: [{ text: 'a' }] }, 'list length: expected 2, got 1'],
    ['too long', { _entities: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] }, 'list length: expected 2, got 3'],
    ['missing with all data', undefined, 'no data'],
  ])('that is %s is reported, and its fields are null', async (_, data, problem) => {
    const result = await ask('{ products { title text } }', data);

    expect(result.data).toEqual({
      products: [
        { title: 'Teapot', text: null },
        { title: 'Cup', text: null },
      ],
    });
    expect(result.errors).toEqual([wrong('products', problem)]);
  });

  it.each([[1], ['x'], [true], [['x']], [undefined]])(
    'with %j for an object is reported at its path',
    async (entity) => {
      const { data, errors } = await ask('{ products { text } }', { _entities: [entity, { text: 'b' }] });

      expect(data).toEqual({ products: [{ text: null }, { text: 'b' }] });
      expect(errors).toEqual([
        expect.stringMatching(/^SUBREQUEST_MALFORMED_RESPONSE other products\.0: .*expected Product, got /),
      ]);
    },
  );

  it('with null for an unknown object is not an error', async () => {
    expect(await ask('{ products { text } }', { _entities: [null, null] })).toMatchObject({ errors: [], problems: [] });
  });
});

describe('a root field', () => {
  it.each<[string, unknown, unknown, string[]]>([
    ['{ count }', { count: [1] }, { count: null }, [wrong('count', 'expected a valid Int, got a list')]],
    ['{ count }', {}, { count: null }, [wrong('count', 'expected Int, got nothing')]],
    ['{ must count }', { must: null, count: 1 }, null, [wrong('must', 'expected Int!, got null')]],
    ['{ list { text } }', { list: [{ text: 'a' }, null] }, null, [wrong('list.1', 'expected Product!, got null')]],
    ['{ list { text } }', { list: 1 }, null, [wrong('list', 'expected [Product!]!, got a number')]],
    [
      '{ a: best { b: text } }',
      { a: { text: 'x', b: 1 } },
      { a: { b: null } },
      [wrong('a.b', 'expected a valid String, got a number')],
    ],
  ])('%s that is %j is null, and reported', async (query, data, expected, errors) => {
    expect(await ask(query, data)).toMatchObject({ data: expected, errors });
  });
});

describe('unbounded errors', () => {
  it('are reported a hundred per response, and the rest is counted', async () => {
    const own = Array.from({ length: 10_000 }, (_, index) => ({
      message: `e${index}`,
      path: ['_entities', 0, 'text'],
    }));
    const { data, errors } = await ask('{ products { title text } }', member({ text: null }), own);

    expect(data?.['products']).toHaveLength(2);
    expect(errors.slice(0, 100)).toEqual(
      own.slice(0, 100).map(({ message }) => `undefined other products.0.text: ${message}`),
    );
    expect(errors.slice(100)).toEqual(['DOWNSTREAM_SERVICE_ERROR undefined undefined: More errors, not listed: 9900.']);
  });

  it('of the shape are counted in the same way', async () => {
    const list = new Array(50_000).fill(null);
    const { data, errors } = await ask('{ list { text } }', { list });

    expect(data).toBeNull();
    expect(errors).toHaveLength(101);
    expect(errors.at(-1)).toMatch(/More errors, not listed: 49900/);
  });

  it('that have no path are reported once', async () => {
    const own = Array.from({ length: 200 }, () => ({ message: 'no' }));
    const { errors } = await ask('{ products { text } }', undefined, own);

    expect(errors).toHaveLength(101);
  });
});

describe('the work for a response', () => {
  /** CPU time for a response with that many nulls, each with an error for it: the best of several runs. */
  async function cost(count: number): Promise<number> {
    const own = Array.from({ length: 100 }, (_, index) => ({
      message: 'e',
      path: ['list', count - 1 - index, 'sure'],
    }));
    const list = Array.from({ length: count }, (_, index) => ({ sure: index < count - 100 ? 'x' : null }));
    answer = { data: { list }, errors: own };
    await gateway.run('{ list { sure } }');
    let best = Infinity;
    for (let round = 0; round < 5; round += 1) {
      const before = process.cpuUsage();
      await gateway.run('{ list { sure } }');
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, user + system);
    }
    return best;
  }

  it('grows with its size, not with errors times nulls', async () => {
    const [small, large] = [await cost(5000), await cost(40_000)];

    // Eight times as many nulls would be 64 times the work if each were compared with each error.
    expect(large / small).toBeLessThan(24);
  });

  it('is bounded if one large entity occurs in many places', async () => {
    const best = { id: 'p1' };
    const many = new Array<typeof best>(2000).fill(best);
    const texts = new Array<string>(2000).fill('x');
    const gateway = createTestGateway(
      {
        a: { typeDefs: 'type Query { list: [P] } type P @key(fields: "id") { id: ID! }' },
        b: { typeDefs: 'type P @key(fields: "id") { id: ID! texts: [String] }' },
      },
      {
        executorFor: (name) => () =>
          name === 'a'
            ? { data: { list: many.map((one) => ({ ...one, __typename: 'P' })) } }
            : { data: { _entities: [{ texts }] } },
      },
    );
    const { data, errors } = await gateway.run('{ list { texts } }');
    const filled = (data?.['list'] as { texts: unknown }[]).filter((item) => item.texts !== null);

    expect(filled.length).toBeLessThan(200);
    expect(errors?.map(({ extensions }) => extensions['code'])).toEqual(['BAD_USER_INPUT']);
  });

  it('does not request more objects from another subgraph than a request may have', async () => {
    const gateway = createTestGateway(
      {
        a: { typeDefs: 'type Query { list: [P] } type P @key(fields: "id") { id: ID! }' },
        b: { typeDefs: 'type P @key(fields: "id") { id: ID! n: Int }' },
      },
      {
        executorFor: () => () => ({
          data: { list: Array.from({ length: 6000 }, (_, id) => ({ __typename: 'P', id: `${id}` })) },
        }),
      },
    );
    const { errors } = await gateway.run('{ list { n } }');

    expect(errors).toMatchObject([{ path: ['list'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});
