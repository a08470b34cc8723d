import type { ApolloServer } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import type { Request, RequestHandler, Response, Router } from 'express';
import { GraphQLError } from 'graphql';
import { parseQueryString } from '../../../../rest/operation';
import type { GraphqlContext } from '../../../graph/operations';
import { bodyOf } from '../../../graph/graphql-server';
import type { TrustedDocuments } from '../../../graph/limits/trusted-documents';
import { introspectionFields, requestsOnly } from '../../../graph/public-operation';
import type { IsPublicRequest, GraphqlEndpoint, WaitForSlot } from '../../http-dependencies';
import { toJson } from '../../response/handle-errors';
import { chooseEncoding, send, sendEncoded, toLines } from '../../response/send';
import { queryOf, routes } from '../../routes';
import { createStrictRouter, mountRoute } from '../mount-route';
import { RunningOperation } from '../../request/request';
import { ApiError } from '../../../errors/api-error';
import { isJsonObject, parseJson } from '../../../common/parse-json';
import type { QueueEntry } from '../../../common/fair-queue';
import { FairQueue, yieldToLoop } from '../../../common/fair-queue';
import { parseMediaType, readBody } from '../../request/buffered-bytes';

/**
 * Media types of GraphQL responses (GraphQL over HTTP, section 6); the first is the default. With their charset,
 * because clients may name it too.
 */
const mediaTypes = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/** Apollo Server after the access steps: with the parsed body, and the principal in its context. */
export function createGraphqlHandler(
  server: ApolloServer<GraphqlContext>,
  trustedDocuments?: TrustedDocuments,
  createContext: (request: Request, response: Response) => GraphqlContext = createOperationContext,
): RequestHandler {
  return async (request, response) => {
    // Decided once, so that media type and status agree: they differ in the status of errors in a document.
    const accepted = request.accepts(mediaTypes);
    if (accepted) request.headers.accept = String(accepted);
    // HEAD mirrors GET (D6). Apollo does not support HEAD; node:http omits the body.
    if (request.method === 'HEAD') request.method = 'GET';
    request.body = await readGraphqlBody(request);
    const search = parametersOf(request);
    if (trustedDocuments !== undefined) {
      const refusal = findRefusal(() => resolveTrustedDocument(trustedDocuments, request, search));
      if (refusal !== undefined) return send(response, 400, toLines(standing), toJson({ errors: [refusal] }));
    }
    const { method, headers } = request;
    const answer = await server.executeHTTPGraphQLRequest({
      httpGraphQLRequest: {
        method,
        headers: new HeaderMap(Object.entries(headers).map(([name, value]) => [name, String(value)])),
        search: String(search),
        body: request.body as unknown,
      },
      context: () => Promise.resolve(createContext(request, response)),
    });
    const { 'content-type': contentType, ...own } = Object.fromEntries(answer.headers);
    const lines = toLines({ ...standing, ...own });
    await sendEncoded(request, response, bodyOf(answer), lines, chooseEncoding(request), answer.status, contentType);
  };
}

/** The headers of all responses to operations. */
const standing = { 'cache-control': 'private, no-store', vary: 'Authorization, Accept-Encoding' };

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

/** A call that may be public if its operation is. One that cannot be read is not: 401 comes before 400 (D1). */
export const whenPublic =
  (fields: ReadonlySet<string>): IsPublicRequest =>
  async (request) => {
    try {
      return requestsOnly(
        request.method === 'POST' ? await readGraphqlBody(request) : Object.fromEntries(parametersOf(request)),
        fields,
      );
    } catch {
      return false;
    }
  };

/** Outside production, an operation that selects only the schema needs no credential (D26). */
export const createPublicGraphqlCheck = (production: boolean): IsPublicRequest =>
  production ? () => false : whenPublic(introspectionFields);

/**
 * The parameters of a GET request. An empty one counts as absent (GraphQL over HTTP, section 5.2).
 * @throws ApiError BAD_USER_INPUT for invalid percent-encoding, which URLSearchParams would repair
 */
function parametersOf({ originalUrl }: Request): URLSearchParams {
  const query = queryOf(originalUrl);
  parseQueryString(query);
  return new URLSearchParams([...new URLSearchParams(query)].filter(([, value]) => value !== ''));
}

/** A navigation: prefers HTML to JSON and carries no operation. A client that accepts anything gets JSON. */
const isBrowserVisit = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  !request.originalUrl.includes('?') &&
  request.accepts(['application/json', 'application/graphql-response+json', 'text/html']) === 'text/html';

/** The first step of the endpoint if it also has a page. */
export const passOnVisits: RequestHandler = (request, _response, next) =>
  isBrowserVisit(request) ? next('router') : next();

/** /graphql, after the access steps. */
export function mountGraphql({ access, waitForSlot, middleware }: GraphqlEndpoint): Router {
  const router = createStrictRouter();
  mountRoute(router, routes.graphql, [...access, inOperationSlot(waitForSlot), middleware]);
  return router;
}

/** The context of a client's operation. Apollo Server works on a copy, so mutable state is in a separate object. */
export function createOperationContext(request: Request, response: Response) {
  const cancellation = new RunningOperation(response);
  response.locals.operation = cancellation;
  const { principal, requestId } = response.locals;
  return { principal, requestId, headers: request.headers, cancellation };
}

/**
 * Maximum number of concurrent GraphQL operations of one shop, from their document until their response is made. From
 * then on the response is counted by its bytes (src/http/request/buffered-bytes.ts), so a client that reads slowly
 * keeps no slot.
 */
export const operationsPerShop = 8;

const operationsInProgress = 64;
const operationsWaiting = 1_000;

/**
 * Parsing a longer one takes milliseconds: such requests start one per turn of the event loop, so that others run in
 * between.
 */
const longRequestBytes = 1_024;

/** Operations that need no credential (D26) share one name, like the operations of one shop. */
const nameWithoutShop = 'no shop';

/**
 * Schedules operations round robin over shops (docs/decisions.md 40): those of /graphql, calls of tools, and first
 * pages of changes.
 */
export function createOperationSlots({
  slots = operationsInProgress,
  slotsPerQueue = operationsPerShop,
} = {}): WaitForSlot {
  const queue = new FairQueue({ slots, slotsPerQueue, reservedSlots: 0, size: operationsWaiting });

  return (request, response) =>
    new Promise((resolve, reject) => {
      if (response.closed) return resolve(false);
      const name = response.locals.principal?.shop.id ?? nameWithoutShop;
      let hasStarted = false;
      const proceed = (): void => resolve(!response.headersSent && !response.closed);
      const entry: QueueEntry = {
        start: () => {
          hasStarted = true;
          if (isLong(request)) void yieldToLoop(name).then(proceed);
          else proceed();
        },
        refuse: () =>
          reject(new ApiError('SERVICE_UNAVAILABLE', 'Too many operations are waiting. Try again in a moment.')),
      };
      let hasLeft = false;
      const leave = (): void => {
        if (hasLeft) return;
        hasLeft = true;
        if (hasStarted) queue.leave(name);
        else {
          queue.withdraw(name, entry);
          resolve(false);
        }
      };
      response.locals.onHandOver = leave;
      response.on('close', leave);
      queue.enter(name, entry);
    });
}

/** Operations start when it is their turn. */
export const inOperationSlot =
  (waitForSlot: WaitForSlot): RequestHandler =>
  async (request, response, next) => {
    // Before the operation enters the queue: a body that arrives slowly would hold a slot while others wait.
    await readGraphqlBody(request);
    if (await waitForSlot(request, response)) next();
  };

function isLong({ headers, originalUrl }: Request): boolean {
  if (headers['transfer-encoding'] !== undefined) return true;
  return originalUrl.length + Number(headers['content-length'] ?? 0) > longRequestBytes;
}

/** Ten times the largest document that the token limit allows. */
const maximumBytes = 256 * 1024;

/** JSON is UTF-8 (RFC 8259 8.1), and ASCII is a subset of it. */
const charsets = ['utf-8', 'utf8', 'us-ascii'];

const bodies = new WeakMap<Request, Promise<unknown>>();

/**
 * The parsed body of a POST to /graphql; undefined for other methods. It is parsed once, on the first call: without a
 * credential the operation itself decides whether one is needed (D26).
 * @throws ApiError BAD_USER_INPUT, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE
 */
function readGraphqlBody(request: Request): Promise<unknown> {
  let body = bodies.get(request);
  if (body === undefined) {
    body = request.method === 'POST' ? parseBody(request) : Promise.resolve(undefined);
    bodies.set(request, body);
  }
  return body;
}

async function parseBody(request: Request): Promise<unknown> {
  const { essence, charsets: named } = parseMediaType(request.headers['content-type'] ?? '');
  if (essence !== 'application/json') {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected application/json.');
  }
  if (!named.every((charset) => charsets.includes(charset))) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type: expected the charset utf-8, or none.');
  }
  const body = parseJson(await readBody(request, maximumBytes));
  if (body === undefined)
    throw new ApiError(
      'BAD_USER_INPUT',
      'Body: expected a JSON object with a "query" field in UTF-8, got invalid JSON or another encoding.',
    );
  return body;
}

/**
 * Replaces the identifier of a trusted document, in the body or in the query string, by its text, so that later steps
 * handle documents as text only.
 * @throws GraphQLError, ApiError if the request may not run (see trusted-documents.ts)
 */
function resolveTrustedDocument(documents: TrustedDocuments, request: Request, search: URLSearchParams): void {
  const body: unknown = request.body;
  if (request.method === 'POST') {
    if (!isJsonObject(body)) return;
    const source = documents.resolve(body);
    if (source !== undefined) request.body = withText(body, source);
    return;
  }
  const { extensions: text, ...others } = Object.fromEntries(search);
  const extensions = text === undefined ? undefined : parseJson(text);
  if (text !== undefined && extensions === undefined)
    throw new GraphQLError('extensions: expected a JSON object.', { extensions: { code: 'BAD_USER_INPUT' } });
  const source = documents.resolve({ ...others, extensions });
  if (source === undefined) return;
  search.set('query', source);
  search.delete('documentId');
  search.delete('extensions');
}

/** Removes the identifier: Apollo Server would look it up in its own store. */
function withText(body: Record<string, unknown>, query: string): object {
  const { documentId: _documentId, extensions: _extensions, ...others } = body;
  return { ...others, query };
}
