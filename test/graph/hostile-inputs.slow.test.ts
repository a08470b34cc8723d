import type { GraphQLSchema } from 'graphql';
import { parse, validate } from 'graphql';
import { createCatalogSubgraph } from '../../src/federation/catalog/catalog-subgraph';
import { createSchema } from '../../src/graph/schema';
import type { RandomRequest } from '../support/random-documents';
import { createRandomDocuments } from '../support/random-documents';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import { runSeed as seed } from '../support/run-seed';

const routerSecret = 'a secret between a router and this service';
/** Longer searches: HOSTILE_INPUTS=1000 npx jest test/graph/hostile-inputs */
const requests = Number(process.env['HOSTILE_INPUTS'] ?? 40);

let apiKey: string;
let ids: readonly string[];

const service = useService({ rateLimit: 1_000_000, settings: { SUBGRAPH_SECRET: routerSecret } });
beforeAll(async () => {
  const shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  const product = await seedProduct(service.sql, shop);
  const variant = await seedVariant(service.sql, shop, product);
  ids = [shop, product, variant, await seedCollection(service.sql, shop), await seedOrder(service.sql, shop)];
});

interface Body {
  readonly data?: unknown;
  readonly errors?: readonly PublicError[];
}

interface PublicError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: unknown };
}

async function send(path: string, { query, variables, operationName }: Partial<RandomRequest>) {
  const name = operationName === undefined ? '' : `, "operationName": ${JSON.stringify(operationName)}`;
  const { status, text } = await exchange(service.origin, path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'Router-Authorization': routerSecret,
    },
    body: `{"query": ${JSON.stringify(query)}, "variables": ${variables ?? '{}'}${name}}`,
  });
  return { status, text, body: JSON.parse(text) as Body };
}

const isInternal = ({ status, body: { errors = [] } }: Awaited<ReturnType<typeof send>>): boolean =>
  status === 500 || errors.some(({ extensions }) => extensions?.code === 'INTERNAL_SERVER_ERROR');

/** Errors are in the order in which resolvers failed (GraphQL, section 6.4.4). */
const comparable = ({ data, errors }: Body) => ({
  data,
  errors: errors?.map((error) => JSON.stringify(error)).toSorted(),
});

describe.each([
  ['/graphql', createSchema],
  ['/subgraph', () => createCatalogSubgraph().schema],
] as const)(`%s, whatever a client sends (seed ${seed})`, (path, createItsSchema) => {
  const schema: GraphQLSchema = createItsSchema();

  it('is never INTERNAL_SERVER_ERROR, and the same the first time, the second and the third', async () => {
    const next = createRandomDocuments({ schema, seed, ids });
    let valid = 0;
    for (let index = 0; index < requests; index += 1) {
      const request = next();
      valid += isValid(schema, request.query) ? 1 : 0;
      const first = await send(path, request);
      // The third response comes from the cache.
      const others = [await send(path, request), await send(path, request)];
      const about = { seed, index, request };
      for (const answer of [first, ...others]) {
        expect({ about, text: answer.text, isInternal: isInternal(answer) }).toMatchObject({ isInternal: false });
        expect({ about, answer: comparable(answer.body) }).toEqual({ about, answer: comparable(first.body) });
      }
    }
    expect(valid).toBeGreaterThan(requests / 4);
  });
});

function isValid(schema: GraphQLSchema, query: string): boolean {
  try {
    return validate(schema, parse(query)).length === 0;
  } catch {
    return false;
  }
}

describe('inputs that used to cause INTERNAL_SERVER_ERROR', () => {
  it.each([
    [
      'a variable with the name of ours',
      '/graphql',
      'query ($__projection0: Int) { products(first: $__projection0) { nodes { id } } }',
    ],
    ['an alias that is a prototype', '/graphql', '{ __proto__: shop { id } }'],
    ['nesting that no parser survives', '/graphql', '{a'.repeat(1_900)],
    ['lists that no parser survives', '/graphql', `{ nodes(ids: ${'['.repeat(3_900)}`],
    ['objects that no parser survives', '/graphql', `{ products(filter: ${'{not:'.repeat(1_300)}`],
    ['types that no parser survives', '/graphql', `query ($v: ${'['.repeat(3_900)}`],
  ])('%s', async (_, path, query) => {
    for (let time = 0; time < 3; time += 1) {
      const answer = await send(path, { query });
      expect(isInternal(answer)).toBe(false);
      expect(answer.text).not.toMatch(/call stack/);
    }
  });

  it('an empty operationName, after the document ran without one', async () => {
    for (const query of ['{ shop { id } }', 'query named { shop { id } }']) {
      for (const operationName of [undefined, '', undefined, '']) {
        const { status, body } = await send('/graphql', { query, operationName });
        const codes = body.errors?.map(({ extensions }) => extensions?.code);
        expect([status, codes]).toEqual(operationName === undefined ? [200, undefined] : [400, ['BAD_USER_INPUT']]);
      }
    }
  });

  it('representations of a type that is not an entity', async () => {
    const query = 'query ($representations: [_Any!]!) { _entities(representations: $representations) { __typename } }';
    for (const type of ['PageInfo', 'Query', 'ProductFilter', 'Node', 'ProductConnection', '__Type', 'String']) {
      const answer = await send('/subgraph', {
        query,
        variables: JSON.stringify({ representations: [{ __typename: type, id: ids[0] }] }),
      });
      expect({ type, codes: answer.body.errors?.map(({ extensions }) => extensions?.code) }).toEqual({
        type,
        codes: ['BAD_USER_INPUT'],
      });
    }
  });
});
