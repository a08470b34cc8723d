import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import type { Request, RequestHandler } from 'express';
import type { GraphqlContext } from '../graph/graphql-context';
import { isPublicOperation } from '../graph/public-operation';
import type { IsPublicRequest } from './http-dependencies';
import { findPrincipal } from './admission';
import { readGraphqlBody } from './graphql-body';

/** What GraphQL is answered with (GraphQL over HTTP, section 6); the first when the client does not mind. */
const mediaTypes = ['application/json', 'application/graphql-response+json'];

/** Apollo Server behind the access steps: the body parsed, the principal in its context. */
export function createGraphqlHandler(server: ApolloServer<GraphqlContext>): RequestHandler {
  const handle = expressMiddleware(server, {
    context: ({ res }) => Promise.resolve({ principal: findPrincipal(res) }),
  });
  return async (request, response, next) => {
    // Settled once, so that media type and status go together: they differ in what errors of a document are answered with.
    request.headers.accept = request.accepts(mediaTypes) || request.headers.accept;
    // HEAD mirrors GET (D6), and Apollo knows no HEAD; node:http leaves the body out.
    if (request.method === 'HEAD') request.method = 'GET';
    request.body = await readGraphqlBody(request);
    await handle(request, response, next);
  };
}

/** Outside production, an operation that asks for nothing but the schema needs no credential (D26). */
export const createPublicGraphqlCheck =
  (production: boolean): IsPublicRequest =>
  async (request) => {
    if (production) return false;
    try {
      return isPublicOperation(request.method === 'POST' ? await readGraphqlBody(request) : queryOf(request));
    } catch {
      // What cannot be read is not public, and 401 comes before 400 (D1).
      return false;
    }
  };

const queryOf = (request: Request): object =>
  Object.fromEntries(new URL(request.originalUrl, 'http://localhost').searchParams);
