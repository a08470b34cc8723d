import type { HTTPGraphQLResponse } from '@apollo/server';
import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import { toBuffers } from '../catalog/passthrough/passthrough-schema';
import type { ApiError } from '../errors/api-error';
import type { ErrorCode } from '../errors/codes';
import { isErrorCode } from '../errors/codes';
import { maskAddresses } from '../privacy/addresses';
import type { DocumentRules } from './client-documents';
import { createClientDocuments } from './client-documents';
import { finishResponses } from './finish-responses';
import type { GraphqlContext } from './graphql-context';
import { limitOperations } from './limit-operations';
import type { LimitSettings } from './limits/limits';
import { createOperationLimits } from './limits/limits';
import { ownerOf } from './operations';
import { reportErrors } from './report-errors';
import { serviceOf, toPublicError } from './to-public-error';

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
