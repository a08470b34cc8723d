import type { HTTPGraphQLResponse, ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { GraphQLFormattedError, FormattedExecutionResult } from 'graphql';
import { GraphQLError } from 'graphql';
import { toBuffers, jsonLength } from '../catalog/passthrough';
import type { ApiError } from '../errors/api-error';
import type { ErrorCode } from '../errors/codes';
import { isErrorCode } from '../errors/codes';
import { maskAddresses } from '../privacy/addresses';
import type { DocumentRules } from './client-documents';
import { createClientDocuments, limitOperations } from './client-documents';
import type { GraphqlContext } from './operations';
import type { LimitSettings } from './limits/limits';
import { createOperationLimits } from './limits/limits';
import { ownerOf, createOperationCache } from './operations';
import { serviceOf, toPublicError } from './to-public-error';
import { toApiError } from '../errors/to-api-error';
import { AnswerTooLargeError, maximumAnswerBytes } from '../catalog/answer-size';
import { hasNoValue } from './create-graph';
import type { LocalGraph } from './create-graph';

interface GraphqlServerOptions extends DocumentRules {
  readonly gateway: GatewayInterface;
  readonly production: boolean;
  /** The limits of one operation; `defaultLimits` unless set. */
  readonly limits?: LimitSettings | undefined;
  /** Receives the cause of an error that was answered with only a general message. */
  readonly onInternalError: (error: ApiError, requestId: string | undefined) => void;
  /** Called with the cost of every operation within the limits. */
  readonly onPriced?: ((cost: number, context: GraphqlContext) => void) | undefined;
}

/**
 * Headers that a page of another origin cannot make a browser send without a preflight. Apollo's own two come first.
 * Browsers add Authorization on their own only for Basic and similar schemes, which are refused before Apollo sees
 * them: here it is always a bearer token.
 */
const preflightedHeaders = ['x-apollo-operation-name', 'apollo-require-preflight', 'authorization'];

/** Apollo Server over a gateway object, with everything disabled that would reveal too much to clients. */
export function createGraphqlServer(options: GraphqlServerOptions): ApolloServer<GraphqlContext> {
  const limits = createOperationLimits(options.limits);
  const documents = createClientDocuments(limits, options);
  return new ApolloServer<GraphqlContext>({
    ...documents.serverOptions,
    gateway: options.gateway,
    introspection: true, // decided before the server (D26), and by the rules of documents
    csrfPrevention: { requestHeaders: preflightedHeaders },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // Apollo Server passes on unread what this returns: written data stays in UTF-8 (docs/decisions.md 67).
    stringifyResult: (result) => [...toBuffers(result), newline] as unknown as string,
    plugins: [
      reportErrors(options.onInternalError),
      limitOperations({ limits, documents, ownerOf, onPriced: options.onPriced, hidesSuggestions: options.production }),
      finishResponses(),
      // Pages for people are in src/http/explorer/; Apollo's own would load scripts from elsewhere, in production too.
      ApolloServerPluginLandingPageDisabled(),
      // It would wrap the resolver of every field, leaves too, to compute a header that we set ourselves (D7).
      ApolloServerPluginCacheControlDisabled(),
      // Apollo would add a trace of every field to the answers of a subgraph, for any client that sends a header.
      ApolloServerPluginInlineTraceDisabled(),
    ],
    formatError: (formatted, error) => withoutAddresses(toPublicFormat(formatted, error)),
  });
}

const newline = Buffer.from('\n');

/** The body of a response of such a server. */
export const partsOf = ({ body }: HTTPGraphQLResponse): readonly Buffer[] =>
  body.kind === 'complete' ? (body.string as unknown as readonly Buffer[]) : [];

/**
 * Errors of the document itself keep Apollo's words, those of other teams' subgraphs their codes, the subgraph's name
 * and when to come again; all others come from the registry (D2) and have no other members.
 */
function toPublicFormat(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const code = formatted.extensions?.['code'];
  if (code === 'BAD_REQUEST') return { ...formatted, extensions: { code: toRequestCode(error) } };
  if (code === 'GRAPHQL_PARSE_FAILED')
    return { ...formatted, message: toSyntaxText(formatted.message), extensions: { code } };
  const service = error instanceof GraphQLError ? serviceOf(error) : undefined;
  if (service !== undefined) {
    const retryAfter = formatted.extensions?.['retryAfter'];
    return {
      ...formatted,
      extensions: { code, service, ...(typeof retryAfter === 'number' && { retryAfter }) },
    };
  }
  const isOfDocument = typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR' && !isErrorCode(code);
  if (isOfDocument || !(error instanceof GraphQLError))
    return { ...formatted, extensions: { code: code ?? 'INTERNAL_SERVER_ERROR' } };
  const publicError = toPublicError(error);
  return { ...formatted, message: publicError.message, extensions: { code: publicError.code } };
}

/** An error other than a syntax error is a stack overflow of the parser, caused by nested values. */
const toSyntaxText = (message: string): string =>
  message.startsWith('Syntax Error') ? message : 'Syntax Error: The document is nested too deeply.';

/** Messages quote what the client sent, and subgraphs choose the text of theirs (D25). */
const withoutAddresses = (formatted: GraphQLFormattedError): GraphQLFormattedError => ({
  ...formatted,
  message: maskAddresses(formatted.message),
});

/**
 * Apollo has one code for every HTTP request that is not a GraphQL request; the registry has one for each status (D2).
 */
function toRequestCode(error: unknown): ErrorCode {
  const http = (error as GraphQLError).extensions['http'] as { status?: number } | undefined;
  return requestCodes.get(http?.status) ?? 'BAD_USER_INPUT';
}

const requestCodes = new Map<number | undefined, ErrorCode>([
  [405, 'METHOD_NOT_ALLOWED'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
]);

/** Reports the causes of errors that are answered with only a general message, with the request they belong to. */
const reportErrors = (
  onInternalError: (error: ApiError, requestId: string | undefined) => void,
): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      didEncounterErrors({ errors, contextValue }) {
        for (const error of errors) {
          // Failures of other teams' subgraphs are reported where those are queried.
          if (serviceOf(error) !== undefined) continue;
          const publicError = error instanceof GraphQLError ? toPublicError(error) : toApiError(error);
          if (publicError.cause !== undefined) onInternalError(publicError, contextValue.requestId);
        }
        return Promise.resolve();
      },
    }),
  unexpectedErrorProcessingRequest({ error, requestContext }) {
    onInternalError(toApiError(error), requestContext.contextValue.requestId);
    return Promise.resolve();
  },
});

/** What the whole of a response decides: its status, and whether it may have data at all. */
const finishResponses = (): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () =>
    Promise.resolve({
      willSendResponse(context) {
        const { body, http } = context.response;
        if (body.kind !== 'single') return Promise.resolve();
        if (isAnsweredWellAsJson(context, body.singleResult)) http.status = 200;
        const refusal = findRefusal(context.errors, body.singleResult);
        if (refusal !== undefined) {
          http.status = refusal.status;
          body.singleResult = { errors: [{ message: refusal.message, extensions: { code: refusal.code } }] };
        } else if (isOutageOnly(body.singleResult)) {
          const { errors = [], extensions } = body.singleResult;
          http.status = 503;
          http.headers.set('retry-after', '1');
          // An error of a field would identify the field; this one is about the request, and one is enough.
          const request = errors.slice(0, 1).map(({ path: _path, locations: _locations, ...error }) => error);
          body.singleResult = { errors: request, ...(extensions && { extensions }) };
        }
        return Promise.resolve();
      },
    }),
});

/**
 * GraphQL over HTTP, section 6.4: under `application/json` a well-formed request gets 200 even if its document does not
 * parse or validate; under `application/graphql-response+json` it gets 400. Apollo responds with 400 for both.
 */
function isAnsweredWellAsJson(
  { request }: GraphQLRequestContextWillSendResponse<GraphqlContext>,
  { errors }: FormattedExecutionResult,
): boolean {
  const prefersJson = !(request.http?.headers.get('accept') ?? '').includes('application/graphql-response+json');
  const code = errors?.[0]?.extensions?.['code'];
  return prefersJson && (code === 'GRAPHQL_PARSE_FAILED' || code === 'GRAPHQL_VALIDATION_FAILED');
}

/**
 * An operation that requests more than one answer may hold is refused as a whole, with 400 and one error
 * (docs/decisions.md 41): if its rows are too large, or if the data made from them would be. The latter is detected
 * before anything is written.
 */
function findRefusal(errors: readonly GraphQLError[] = [], { data }: FormattedExecutionResult) {
  for (const error of errors) {
    const thrown = toPublicError(error);
    if (thrown instanceof AnswerTooLargeError) return thrown;
  }
  return jsonLength(data) > maximumAnswerBytes ? new AnswerTooLargeError() : undefined;
}

/**
 * Whether there is nothing but an outage, wherever it began: before the operation, as everywhere else, or after. That
 * is answered with 503 and no data (docs/decisions.md 20); an answer that has a part of its data keeps it, with 200.
 */
const isOutageOnly = ({ data, errors = [] }: FormattedExecutionResult): boolean =>
  errors.length > 0 &&
  errors.every(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE' && !('service' in extensions)) &&
  hasNoValue(data ?? {});

interface LocalGatewayOptions extends Pick<LocalGraph, 'schema' | 'toOperation'> {
  /** `executeWritten` or `executeCached` of the graph. */
  readonly execute: LocalGraph['execute'];
}

/** The local graph as Apollo Server's gateway: the only way to give the server our own executor. */
export function createLocalGateway({ schema, toOperation, execute }: LocalGatewayOptions): GatewayInterface {
  const operationOf = createOperationCache(toOperation);

  return {
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => undefined;
    },
    load: () =>
      Promise.resolve({
        executor: async ({ document, source, operationName, request, context: given }) => {
          const context = given as GraphqlContext;
          const operation = operationOf(source, document, operationName ?? undefined);
          return execute(operation, context.principal, request.variables ?? {}, context.cancellation);
        },
      }),
    stop: () => Promise.resolve(),
  };
}
