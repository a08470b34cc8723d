import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import type { Request, RequestHandler, Response } from 'express';
import { GraphQLError } from 'graphql';
import type { GraphqlContext } from '../../../graph/graphql-context';
import type { TrustedDocuments } from '../../../graph/limits/trusted-documents';
import { isPublicOperation } from '../../../graph/public-operation';
import type { IsPublicRequest } from '../../http-dependencies';
import { chooseEncoding, encodeParts } from '../../response/content-encoding';
import { endWithParts } from '../../response/send';
import { readGraphqlBody } from './graphql-body';
import { OperationContext } from './operation-context';
import { resolveTrustedDocument } from './graphql-documents';

/** Media types of GraphQL responses (GraphQL over HTTP, section 6); the first is the default. */
const mediaTypes = ['application/json', 'application/graphql-response+json'];

/** Apollo Server after the access steps: with the parsed body, and the principal in its context. */
export function createGraphqlHandler(
  server: ApolloServer<GraphqlContext>,
  trustedDocuments?: TrustedDocuments,
  createContext = (request: Request, response: Response) => new OperationContext(request, response),
): RequestHandler {
  const handle = expressMiddleware(server, {
    context: ({ req, res }) => {
      const context = createContext(req, res);
      // The middleware has set all other headers when it sends.
      const send = (text: string) => {
        const parts = context.writtenData.putInto(text);
        sendParts(req, res, parts).catch((error: unknown) => res.destroy(error as Error));
        return res;
      };
      res.send = send;
      return Promise.resolve(context);
    },
  });
  return async (request, response, next) => {
    // Decided once, so that media type and status agree: they differ in the status of errors in a document.
    request.headers.accept = request.accepts(mediaTypes) || request.headers.accept;
    // HEAD mirrors GET (D6). Apollo does not support HEAD; node:http omits the body.
    if (request.method === 'HEAD') request.method = 'GET';
    request.body = await readGraphqlBody(request);
    if (trustedDocuments !== undefined) {
      const refusal = findRefusal(() => resolveTrustedDocument(trustedDocuments, request));
      if (refusal !== undefined) {
        response
          .status(400)
          .type('application/json')
          .send(JSON.stringify({ errors: [refusal] }));
        return;
      }
    }
    await handle(request, response, next);
  };
}

async function sendParts(request: Request, response: Response, parts: readonly Buffer[]): Promise<void> {
  const encoding = chooseEncoding(request);
  const sent = encoding === undefined ? parts : await encodeParts(request, parts, encoding);
  // Answered with 503 meanwhile (answer-in-time.ts), or the client disconnected.
  if (response.headersSent || response.destroyed) return;
  if (encoding !== undefined && sent !== parts) response.setHeader('Content-Encoding', encoding);
  endWithParts(response, sent);
}

/** Errors about documents have GraphQL's own codes (D2), which the error handler of the routes does not know. */
function findRefusal(resolve: () => void): { message: string; extensions: { code: unknown } } | undefined {
  try {
    resolve();
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof GraphQLError)) throw thrown;
    return { message: thrown.message, extensions: { code: thrown.extensions['code'] } };
  }
}

/** Outside production, an operation that selects only the schema needs no credential (D26). */
export const createPublicGraphqlCheck =
  (production: boolean): IsPublicRequest =>
  async (request) => {
    if (production) return false;
    try {
      return isPublicOperation(request.method === 'POST' ? await readGraphqlBody(request) : queryOf(request));
    } catch {
      // A body that cannot be read is not public, and 401 comes before 400 (D1).
      return false;
    }
  };

const queryOf = (request: Request): object =>
  Object.fromEntries(new URL(request.originalUrl, 'http://localhost').searchParams);
