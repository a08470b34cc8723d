import { ApolloServer } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from '@apollo/server/plugin/disabled';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import { stringify } from '../catalog/passthrough/raw-json';
import type { ApiError } from '../errors/api-error';
import type { ErrorCode } from '../errors/codes';
import { isErrorCode } from '../errors/codes';
import { maskAddresses } from '../privacy/addresses';
import { answerOutages } from './answer-outages';
import { boundAnswers } from './bound-answers';
import { createClientDocuments } from './client-documents';
import type { GraphqlContext } from './graphql-context';
import { limitOperations } from './limit-operations';
import type { LimitSettings } from './limits/limits';
import { createOperationLimits } from './limits/limits';
import { acceptMediaTypes } from './media-types';
import { ownerOf } from './operation-compiler';
import { reportErrors } from './report-errors';
import { serviceOf, toPublicError } from './to-public-error';

interface GraphqlServerOptions {
  readonly gateway: GatewayInterface;
  readonly production: boolean;
  /** What one operation may ask for; as `defaultLimits` unless it says otherwise. */
  readonly limits?: LimitSettings;
  /** Receives what went wrong underneath an error that was answered with a general message only. */
  readonly onInternalError: (error: ApiError, requestId: string | undefined) => void;
  /** Told the cost of every operation within the limits. */
  readonly onPriced?: (cost: number) => void;
}

/**
 * A page of another origin can make a browser send none of these without a preflight. Apollo's own two come first. Browsers add Authorization by
 * themselves for Basic and its like only, and those are refused before Apollo sees them: here it is always a bearer token.
 */
const preflightedHeaders = ['x-apollo-operation-name', 'apollo-require-preflight', 'authorization'];

/** Apollo Server over a gateway object, with everything that would tell a client more than it should switched off. */
export function createGraphqlServer(options: GraphqlServerOptions): ApolloServer<GraphqlContext> {
  const limits = createOperationLimits(options.limits);
  const documents = createClientDocuments(limits);
  return new ApolloServer<GraphqlContext>({
    ...documents.serverOptions,
    gateway: options.gateway,
    introspection: true, // who may ask for it is decided in front of the server (D26)
    csrfPrevention: { requestHeaders: preflightedHeaders },
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    stringifyResult: (result) => `${stringify(result)}\n`,
    plugins: [
      reportErrors(options.onInternalError),
      limitOperations({ limits, documents, ownerOf, onPriced: options.onPriced, hidesSuggestions: options.production }),
      acceptMediaTypes(),
      answerOutages(),
      boundAnswers(),
      // Pages for people are src/http/explorer/'s; Apollo's own would load scripts from elsewhere, in production too.
      ApolloServerPluginLandingPageDisabled(),
      // It would wrap the resolver of every field, leaves too, to work out a header that is ours to set (D7).
      ApolloServerPluginCacheControlDisabled(),
      // Apollo would put a trace of every field into the answers of a subgraph, for whoever asks by a header.
      ApolloServerPluginInlineTraceDisabled(),
    ],
    formatError: (formatted, error) => withoutAddresses(toPublicFormat(formatted, error)),
  });
}

/**
 * Errors of the document itself keep Apollo's words, those of other teams' subgraphs their codes and the subgraph's name; all
 * others come from the registry (D2) and carry nothing else.
 */
function toPublicFormat(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const code = formatted.extensions?.['code'];
  if (code === 'BAD_REQUEST') return { ...formatted, extensions: { code: toRequestCode(error) } };
  if (code === 'GRAPHQL_PARSE_FAILED')
    return { ...formatted, message: toSyntaxText(formatted.message), extensions: { code } };
  const service = error instanceof GraphQLError ? serviceOf(error) : undefined;
  if (service !== undefined) return { ...formatted, extensions: { code, service } };
  const isOfDocument = typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR' && !isErrorCode(code);
  if (isOfDocument || !(error instanceof GraphQLError))
    return { ...formatted, extensions: { code: code ?? 'INTERNAL_SERVER_ERROR' } };
  const publicError = toPublicError(error);
  return { ...formatted, message: publicError.message, extensions: { code: publicError.code } };
}

/** What is no error of syntax is the parser's stack, which values within values exhaust. */
export const toSyntaxText = (message: string): string =>
  message.startsWith('Syntax Error') ? message : 'Syntax Error: The document is nested too deeply.';

/** Messages quote what the client sent, and those of subgraphs say what they like (D25). */
const withoutAddresses = (formatted: GraphQLFormattedError): GraphQLFormattedError => ({
  ...formatted,
  message: maskAddresses(formatted.message),
});

/** Apollo has one word for every HTTP request that is no GraphQL request; the registry has one for each status (D2). */
function toRequestCode(error: unknown): ErrorCode {
  const http = (error as GraphQLError).extensions['http'] as { status?: number } | undefined;
  return requestCodes.get(http?.status) ?? 'BAD_USER_INPUT';
}

const requestCodes = new Map<number | undefined, ErrorCode>([
  [405, 'METHOD_NOT_ALLOWED'],
  [415, 'UNSUPPORTED_MEDIA_TYPE'],
]);
