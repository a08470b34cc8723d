import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphqlContext } from './graphql-context';

/**
 * GraphQL over HTTP, section 6.4: under `application/json` a well-formed request gets 200 even if its document does not
 * parse or validate; under `application/graphql-response+json` it gets 400. Apollo responds with 400 for both.
 */
export const acceptMediaTypes = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse: ({ response, request }) => {
        const prefersJson = !(request.http?.headers.get('accept') ?? '').includes('application/graphql-response+json');
        const body = response.body;
        const code = body.kind === 'single' ? body.singleResult.errors?.[0]?.extensions?.['code'] : undefined;
        if (prefersJson && (code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED')) {
          response.http.status = 200;
        }
        return Promise.resolve();
      },
    }),
});
