import { askGraphql } from '../support/graphql-client';
import { cutWaiting, whileLocked } from '../support/locked-table';
import { seedApiKey, seedOrder, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

let apiKey: string;

const service = useService({ rateLimit: 1000 });
beforeAll(async () => {
  const shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  await seedProduct(service.sql, shop);
  await seedOrder(service.sql, shop);
});

const ask = (query: string, variables: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
  askGraphql<Record<string, unknown>>(service.origin, apiKey, query, variables, headers);
const repeat = (count: number, each: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => each(i)).join(' ');

describe('an error', () => {
  const byNumber = 'query ($first: Int!) { products(first: $first) { totalCount } }';
  const byFilter = 'query ($filter: ProductFilter) { products(filter: $filter) { totalCount } }';
  const cases: readonly (readonly [string, string, Record<string, unknown>, number, string, RegExp])[] = [
    ['syntax', '{', {}, 200, 'GRAPHQL_PARSE_FAILED', /Syntax Error/],
    ['an empty document', ' ', {}, 200, 'GRAPHQL_PARSE_FAILED', /Syntax Error/],
    ['too many tokens', `{ ${repeat(4001, () => 'a')} }`, {}, 200, 'GRAPHQL_PARSE_FAILED', /more than 4000 tokens/],
    ['an unknown field', '{ nope }', {}, 200, 'GRAPHQL_VALIDATION_FAILED', /"nope"/],
    ['an unknown argument', '{ products(nope: 1) { totalCount } }', {}, 200, 'GRAPHQL_VALIDATION_FAILED', /"nope"/],
    ['an unknown enum value', '{ products(sortKey: X) { totalCount } }', {}, 200, 'GRAPHQL_VALIDATION_FAILED', /"X"/],
    ['a missing argument', '{ order { id } }', {}, 200, 'GRAPHQL_VALIDATION_FAILED', /"id"/],
    ['an unused variable', 'query ($a: Int) { __typename }', {}, 200, 'GRAPHQL_VALIDATION_FAILED', /"\$a"/],
    [
      'a variable of another type',
      'query ($a: String) { products(first: $a) { totalCount } }',
      {},
      200,
      'GRAPHQL_VALIDATION_FAILED',
      /"\$a"/,
    ],
    [
      'a missing variable',
      byNumber,
      {},
      400,
      'BAD_USER_INPUT',
      /^Variable "\$first" of required type "Int!" was not provided\.$/,
    ],
    ['a variable that is null', byNumber, { first: null }, 400, 'BAD_USER_INPUT', /"\$first"/],
    [
      'a variable that does not fit',
      byNumber,
      { first: 'x' },
      400,
      'BAD_USER_INPUT',
      /^Variable "\$first" got invalid value "x"; Int cannot represent non-integer value: "x"$/,
    ],
    ['a variable beyond 32 bits', byNumber, { first: 2 ** 31 }, 400, 'BAD_USER_INPUT', /"\$first"/],
    [
      'a scalar that does not parse',
      byFilter,
      { filter: { createdAt: { from: 'yesterday' } } },
      400,
      'BAD_USER_INPUT',
      /RFC 3339/,
    ],
    [
      'cost by a variable',
      'query ($n: Int) { products(first: $n) { nodes { variantConnection(first: $n) { nodes { id } } } } }',
      { n: 200 },
      400,
      'BAD_USER_INPUT',
      /the limit is 10000/,
    ],
  ];

  it.each(cases)(
    'of %s carries its code, its status and a reason, and no data',
    async (_, query, variables, status, code, reason) => {
      const answer = await ask(query, variables);
      expect({ status: answer.status, data: answer.data }).toEqual({ status, data: undefined });
      for (const error of answer.errors ?? []) expect(error.extensions).toEqual({ code });
      expect(answer.errors?.[0]?.message).toMatch(reason);
    },
  );

  it('of a field is at its path, and leaves the rest of the response (D26)', async () => {
    const { status, data, errors } = await ask('{ bad: products(first: 201) { totalCount } products { totalCount } }');
    expect({ status, data, errors }).toEqual({
      status: 200,
      data: { bad: null, products: { totalCount: 1 } },
      errors: [
        {
          message: 'first: expected an integer from 0 to 200, got 201.',
          locations: [{ line: 1, column: 3 }],
          path: ['bad'],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  });
});

describe('the cost of an operation', () => {
  const query = 'query ($n: Int!) { products(first: $n) { totalCount nodes { id variants { id } } } }';

  it.each(['1', 'true'])('is reported when X-GraphQL-Cost is %s', async (value) => {
    const { extensions } = await ask(query, { n: 10 }, { 'X-GraphQL-Cost': value });
    expect(extensions).toEqual({
      cost: {
        requested: 131,
        allowed: 10_000,
        depth: 4,
        mostExpensive: { path: 'products.nodes.variants', cost: 110 },
      },
    });
  });

  it('is not reported otherwise', async () => {
    expect((await ask(query, { n: 1 })).extensions).toBeUndefined();
    expect((await ask(query, { n: 1 }, { 'X-GraphQL-Cost': '0' })).extensions).toBeUndefined();
  });
});

describe('what goes wrong underneath', () => {
  const both = '{ products { totalCount } orders { totalCount } }';
  const withoutOrders = (message: string, code: string) => ({
    data: { products: { totalCount: 1 }, orders: null },
    errors: [{ message, locations: [{ line: 1, column: 27 }], path: ['orders'], extensions: { code } }],
  });

  it('has a general message and leaves the rest of the response; the log has the cause', async () => {
    await service.sql('ALTER TABLE orders RENAME TO orders_elsewhere');
    const { status, data, errors, text } = await ask(both).finally(() =>
      service.sql('ALTER TABLE orders_elsewhere RENAME TO orders'),
    );
    expect({ status, data, errors }).toEqual({
      status: 200,
      ...withoutOrders(
        'Internal server error. Retry once; if it fails again, report the X-Request-Id.',
        'INTERNAL_SERVER_ERROR',
      ),
    });
    expect(text).not.toMatch(/relation|prisma|select|\.ts|node_modules|42P01/i);
    expect(JSON.stringify(service.log)).toContain('does not exist');
  });

  /** The statement that reads orders waits for the table, and then its connection is cut. */
  const askWhileOrdersFail = (query: string, headers?: Record<string, string>) =>
    whileLocked(service.database, 'orders', async () => {
      const answer = ask(query, {}, headers);
      await cutWaiting(service.database);
      return answer;
    });

  it('is SERVICE_UNAVAILABLE when the database becomes unavailable in the middle', async () => {
    const { status, data, errors, text } = await askWhileOrdersFail(both);
    expect({ status, data, errors }).toEqual({
      status: 200,
      ...withoutOrders('The service is temporarily unavailable. Try again in a moment.', 'SERVICE_UNAVAILABLE'),
    });
    expect(text).not.toMatch(/terminat|prisma|select|57P01/i);
    expect((await ask(both)).errors).toBeUndefined();
  });

  it.each([
    ['application/json', '{ orders { totalCount } }'],
    ['application/graphql-response+json', '{ a: order(id: "9f8e7d6c-0000-4000-8000-000000000000") { id } }'],
  ])('is HTTP 503 without data when no data is left, as %s too', async (accept, query) => {
    const { status, headers, text } = await askWhileOrdersFail(query, { Accept: accept });
    expect({ status, retryAfter: headers['retry-after'], type: headers['content-type'] }).toEqual({
      status: 503,
      retryAfter: '1',
      type: `${accept}; charset=utf-8`,
    });
    expect(JSON.parse(text)).toEqual({
      errors: [
        {
          message: 'The service is temporarily unavailable. Try again in a moment.',
          extensions: { code: 'SERVICE_UNAVAILABLE' },
        },
      ],
    });
  });
});
