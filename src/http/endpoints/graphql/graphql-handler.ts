import type { ApolloServer } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import type { Request, RequestHandler, Response, Router } from 'express';
import { GraphQLError } from 'graphql';
import type { GraphqlContext } from '../../../graph/graphql-context';
import { partsOf } from '../../../graph/graphql-server';
import type { TrustedDocuments } from '../../../graph/limits/trusted-documents';
import { isPublicOperation } from '../../../graph/public-operation';
import type { IsPublicRequest, GraphqlEndpoint, HttpCore } from '../../http-dependencies';
import { chooseEncoding, encodeParts } from '../../response/content-encoding';
import { endWithParts, prepareHeaders } from '../../response/send';
import { pathOf, queryOf, routes } from '../../routes';
import { readGraphqlBody, resolveTrustedDocument } from './graphql-body';
import { createStrictRouter, mountRoute } from '../mount-route';
import { operationInTurn } from './operation-turns';
import type { Principal } from '../../../auth/principal';
import { findPrincipal, requestIdOf, RunningOperation, setOperation } from '../../request/request';

/** Media types of GraphQL responses (GraphQL over HTTP, section 6); the first is the default. */
const mediaTypes = ['application/json', 'application/graphql-response+json'];

/** Apollo Server after the access steps: with the parsed body, and the principal in its context. */
export function createGraphqlHandler(
  server: ApolloServer<GraphqlContext>,
  trustedDocuments?: TrustedDocuments,
  createContext = (request: Request, response: Response) => new OperationContext(request, response),
): RequestHandler {
  return async (request, response) => {
    // Decided once, so that media type and status agree: they differ in the status of errors in a document.
    request.headers.accept = request.accepts(mediaTypes) || request.headers.accept;
    // HEAD mirrors GET (D6). Apollo does not support HEAD; node:http omits the body.
    if (request.method === 'HEAD') request.method = 'GET';
    request.body = await readGraphqlBody(request);
    request.url = `${pathOf(request.url)}?${String(parametersOf(request))}`;
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
    const { method, headers } = request;
    const answer = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method,
        headers: new HeaderMap(
          Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
        ),
        search: new URL(request.url, 'http://localhost').search,
        body: request.body as unknown,
      },
      context: () => Promise.resolve(createContext(request, response)),
    });
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    response.statusCode = answer.status ?? 200;
    await sendParts(request, response, partsOf(answer));
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
      return isPublicOperation(
        request.method === 'POST' ? await readGraphqlBody(request) : Object.fromEntries(parametersOf(request)),
      );
    } catch {
      // A body that cannot be read is not public, and 401 comes before 400 (D1).
      return false;
    }
  };

/** Those of GET. An empty one is as if absent (GraphQL over HTTP, section 5.2). */
const parametersOf = ({ originalUrl }: Request): URLSearchParams =>
  new URLSearchParams([...new URLSearchParams(queryOf(originalUrl))].filter(([, value]) => value !== ''));

/** /graphql, after the steps that admit a call. */
export function mountGraphql({ access, takeTurn, middleware }: GraphqlEndpoint, core: HttpCore): Router {
  const router = createStrictRouter();
  mountRoute(router, routes.graphql, core, [...access, putGraphqlHeaders, operationInTurn(takeTurn), middleware]);
  return router;
}

/** The next handler writes its own response, so the headers are set before it. */
export const putGraphqlHeaders: RequestHandler = (_request, response, next) => {
  prepareHeaders(response);
  response.setHeader('Cache-Control', 'private, no-store');
  response.vary('Authorization');
  response.vary('Accept-Encoding');
  next();
};

/** The context of a client's operation. Apollo Server works on a copy, so mutable state is in a separate object. */
export class OperationContext implements GraphqlContext {
  readonly principal: Principal | undefined;
  readonly requestId: string | undefined;
  readonly cancellation: RunningOperation;

  constructor(
    private readonly request: Request,
    response: Response,
  ) {
    this.principal = findPrincipal(response);
    this.requestId = requestIdOf(response);
    this.cancellation = new RunningOperation(response);
    setOperation(response, this.cancellation);
  }

  get headers(): Request['headers'] {
    return this.request.headers;
  }
}
