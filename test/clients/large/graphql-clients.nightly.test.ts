import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, ServerError, gql as apolloGql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { relayStylePagination } from '@apollo/client/utilities';
import { Client as UrqlClient, cacheExchange, fetchExchange, gql as urqlGql } from '@urql/core';
import { ClientError, GraphQLClient } from 'graphql-request';
import type { DemoService } from '../../support/demo-service';
import { startDemoService } from '../../support/demo-service';

interface Products {
  readonly products: {
    readonly totalCount: number;
    readonly edges: readonly { readonly node: { readonly id: string } }[];
    readonly pageInfo: { readonly endCursor: string; readonly hasNextPage: boolean };
  };
}

const text = /* GraphQL */ `
  query Products($first: Int, $after: String) {
    products(first: $first, after: $after) {
      totalCount
      edges {
        node {
          id
        }
      }
      pageInfo {
        endCursor
        hasNextPage
      }
    }
  }
`;

let service: DemoService;
let url: string;
let headers: { Authorization: string };
beforeAll(async () => {
  service = await startDemoService();
  url = `${service.publicUrl}/graphql`;
  headers = { Authorization: `Bearer ${service.apiKey}` };
});
afterAll(() => service.close());

/** Method and status of what a client sends while `work` runs. */
async function watch<Result>(work: () => Promise<Result>): Promise<[Result, string[]]> {
  const before = service.log.length;
  const result = await work();
  const lines = service.log.slice(before).filter(({ operation }) => operation === 'graphql');
  return [result, lines.map(({ method, status }) => `${String(method)} ${String(status)}`)];
}

describe('Apollo Client', () => {
  const query = apolloGql(text);
  const createClient = (link: ApolloLink) =>
    new ApolloClient({
      link,
      cache: new InMemoryCache({ typePolicies: { Query: { fields: { products: relayStylePagination() } } } }),
    });

  it('queries, and fetches more into a connection that its cache merges', async () => {
    const client = createClient(new HttpLink({ uri: url, headers }));
    const observable = client.watchQuery<Products>({ query, variables: { first: 40 } });
    const subscription = observable.subscribe(() => undefined);
    const { data } = await client.query<Products>({ query, variables: { first: 40 } });
    const { data: more } = await observable.fetchMore({
      variables: { after: data?.products.pageInfo.endCursor },
    });
    expect(more?.products.pageInfo.hasNextPage).toBe(false);
    const all = client.readQuery<Products>({ query, variables: { first: 40 } });
    expect(new Set(all?.products.edges.map(({ node }) => node.id)).size).toBe(all?.products.totalCount);
    subscription.unsubscribe();
    client.stop();
  });

  it('queries by GET, and by automatic persisted queries', async () => {
    const byGet = createClient(new HttpLink({ uri: url, headers, useGETForQueries: true }));
    const [asked, lines] = await watch(() => byGet.query<Products>({ query }));
    expect([asked.data?.products.totalCount, lines]).toEqual([63, ['GET 200']]);
    const persisted = createClient(
      ApolloLink.from([
        new PersistedQueryLink({ sha256: (document) => createHash('sha256').update(document).digest('hex') }),
        new HttpLink({ uri: url, headers }),
      ]),
    );
    const [again, both] = await watch(() => persisted.query<Products>({ query }));
    expect([again.data?.products.totalCount, both]).toEqual([63, ['POST 200', 'POST 200']]);
    byGet.stop();
    persisted.stop();
  });

  it('distinguishes a refused credential from an error of a field', async () => {
    const refused = createClient(new HttpLink({ uri: url, headers: { Authorization: 'Bearer ck_a.b' } }));
    const thrown: unknown = await refused.query({ query }).catch((error: unknown) => error);
    expect(ServerError.is(thrown) && [thrown.statusCode, JSON.parse(thrown.bodyText)]).toEqual([
      401,
      { errors: [{ message: expect.any(String) as string, extensions: { code: 'UNAUTHORIZED' } }] },
    ]);
    refused.stop();
  });
});

describe('graphql-request', () => {
  it.each(['POST', 'GET'] as const)('queries by %s', async (method) => {
    const client = new GraphQLClient(url, { headers, method, jsonSerializer: JSON });
    const [{ products }, lines] = await watch(() => client.request<Products>(text, { first: 2 }));
    expect([products.totalCount, products.edges.length, lines]).toEqual([63, 2, [`${method} 200`]]);
  });

  it('throws the error with its code', async () => {
    const client = new GraphQLClient(url, { headers });
    const thrown: unknown = await client.request(text, { first: 201 }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ClientError);
    expect((thrown as ClientError).response.errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });
});

describe('urql', () => {
  it.each([
    ['as it comes', {}, 'GET'],
    ['with POST for everything', { preferGetMethod: false }, 'POST'],
    ['with GET for everything', { preferGetMethod: 'force' as const }, 'GET'],
  ])('queries %s', async (_, options, method) => {
    const client = new UrqlClient({
      url,
      exchanges: [cacheExchange, fetchExchange],
      fetchOptions: { headers },
      ...options,
    });
    const [{ data, error }, lines] = await watch(() =>
      client.query<Products>(urqlGql(text), { first: 2 }, { requestPolicy: 'network-only' }).toPromise(),
    );
    expect([error, data?.products.totalCount, lines]).toEqual([undefined, 63, [`${method} 200`]]);
  });

  it('returns errors with their codes', async () => {
    const client = new UrqlClient({ url, exchanges: [fetchExchange], fetchOptions: { headers } });
    const { error } = await client.query(urqlGql(text), { first: 201 }).toPromise();
    expect(error?.graphQLErrors[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT' });
  });
});
