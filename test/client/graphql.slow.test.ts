import { parse, print } from 'graphql';
import type { GraphqlError, TypedDocument } from '../../client/src/index.ts';
import { createCatalogClient } from '../../client/src/index.ts';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

let apiKey: string;
let shopId: string;
const service = useService();
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  for (let count = 0; count < 3; count += 1) await seedProduct(service.sql, shopId, { title: `Mug ${count}` });
});

const connect = (credential = apiKey) =>
  createCatalogClient({ origin: service.origin, credentials: { apiKey: credential }, print });

const text = 'query ($first: Int) { products(first: $first) { nodes { title } } }';
interface Data {
  readonly products: { readonly nodes: readonly { readonly title: string }[] } | null;
}

/** As graphql-codegen's client-preset writes documents with documentMode "string". */
class TypedDocumentString<Result, Variables> extends String {
  readonly __apiType?: (variables: Variables) => Result;
}

it.each<[string, TypedDocument<Data, { first?: number }> | string]>([
  ['as text', text],
  ['as the typed text of graphql-codegen', new TypedDocumentString<Data, { first?: number }>(text)],
  ['parsed', parse(text) as TypedDocument<Data, { first?: number }>],
])('runs a document that is given %s', async (_, document) => {
  const data = await connect().graphql(document as TypedDocument<Data, { first?: number }>, { first: 2 });
  expect(data.products?.nodes).toEqual([{ title: 'Mug 0' }, { title: 'Mug 1' }]);
});

it('says what to do with a parsed document without print', async () => {
  const client = createCatalogClient({ origin: service.origin, credentials: { apiKey } });
  await expect(client.graphql(parse(text) as TypedDocument<Data, object>)).rejects.toThrow(
    /`print` function of graphql/,
  );
});

it.each([
  ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
  ['{', 'GRAPHQL_PARSE_FAILED'],
  ['{ products(first: 500) { nodes { id } } }', 'BAD_USER_INPUT'],
])('%s throws %s', async (document, code) => {
  await expect(connect().graphql(document)).rejects.toMatchObject({ name: 'GraphqlError', code });
});

it('throws errors about missing data and keeps the rest', async () => {
  const narrow = await seedApiKey(service.sql, shopId, { scopes: ['catalog:read'] });
  const reason = await connect(narrow.apiKey)
    .graphql('{ orders { totalCount } products { totalCount } }')
    .catch((error: unknown) => error as GraphqlError);
  expect(reason).toMatchObject({ code: 'FORBIDDEN', data: { orders: null, products: { totalCount: 3 } } });
});

it('shares the rate limit with REST', async () => {
  const client = connect();
  const credit = async (work: Promise<unknown>) => {
    await work;
    const { headers } = await service.client(apiKey).get('/shop');
    return Number(headers['ratelimit-remaining']);
  };
  const [rest, graphql] = [await credit(client.shop.get()), await credit(client.graphql('{ __typename }'))];
  expect(graphql).toBe(rest - 2);
});
