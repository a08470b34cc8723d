import { ApolloServer } from '@apollo/server';
import type { GatewayInterface } from '@apollo/server-gateway-interface';
import type { GraphQLFormattedError } from 'graphql';
import { GraphQLError } from 'graphql';
import type { Principal } from '../auth/principal';
import type { ApiError } from '../errors/api-error';
import { isErrorCode } from '../errors/codes';
import { maxTokens } from './limits/limit-options';
import { limitOperations } from './limit-operations';
import { createOperationLimits } from './limits/limits';
import { acceptMediaTypes } from './media-types';
import { toPublicError } from './to-public-error';

/** Who asks; undefined for an operation that asks for nothing but the schema and needs no credential (D26). */
export interface GraphqlContext {
  readonly principal: Principal | undefined;
}

interface GraphqlServerOptions {
  readonly gateway: GatewayInterface;
  readonly production: boolean;
  /** Receives what went wrong underneath an error that was answered with a general message only. */
  readonly onInternalError: (error: ApiError) => void;
}

/** Apollo Server over a gateway object, with everything that would tell a client more than it should switched off. */
export function createGraphqlServer(options: GraphqlServerOptions): ApolloServer<GraphqlContext> {
  return new ApolloServer<GraphqlContext>({
    gateway: options.gateway,
    introspection: true, // who may ask for it is decided in front of the server (D26)
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    includeStacktraceInErrorResponses: false,
    hideSchemaDetailsFromClientErrors: options.production,
    parseOptions: { maxTokens },
    stopOnTerminationSignals: false,
    plugins: [limitOperations(createOperationLimits()), acceptMediaTypes()],
    formatError: (formatted, error) => toPublicFormat(formatted, error, options.onInternalError),
  });
}

/** Errors of the document itself keep Apollo's words; all others come from the registry (D2) and carry nothing else. */
function toPublicFormat(
  formatted: GraphQLFormattedError,
  error: unknown,
  onInternalError: (error: ApiError) => void,
): GraphQLFormattedError {
  const code = formatted.extensions?.['code'];
  const isOfDocument = typeof code === 'string' && code !== 'INTERNAL_SERVER_ERROR' && !isErrorCode(code);
  if (isOfDocument || !(error instanceof GraphQLError))
    return { ...formatted, extensions: { code: code ?? 'INTERNAL_SERVER_ERROR' } };
  const publicError = toPublicError(error);
  if (publicError.cause !== undefined) onInternalError(publicError);
  return { ...formatted, message: publicError.message, extensions: { code: publicError.code } };
}
