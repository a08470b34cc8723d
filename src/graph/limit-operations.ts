import type { ApolloServerPlugin, BaseContext } from '@apollo/server';
import { HeaderMap } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { ApiError } from '../errors/api-error';
import { yieldToLoop } from '../common/fair-queue';
import { maskAddresses } from '../privacy/addresses';
import type { ClientDocuments } from './client-documents';
import { costReportHeader, isCostReportRequested, toCostReport } from './limits/cost-report';
import type { CheckedOperation, OperationLimits } from './limits/limits';

interface LimitOperationsOptions<Context> {
  readonly limits: OperationLimits;
  readonly documents: ClientDocuments;
  /** Whose share of the document memory a request takes. */
  readonly ownerOf: (context: Context) => string;
  /** Called with the cost of every operation within the limits. */
  readonly onPriced?: ((cost: number, context: Context) => void) | undefined;
  /** Whether errors may mention parts of the schema that the client has not mentioned. */
  readonly hidesSuggestions: boolean;
}

/**
 * Refuses documents and operations beyond the limits, and documents that do not fit the schema, before they run.
 * Reports the cost of those that run, on request.
 */
export const limitOperations = <Context extends BaseContext>({
  limits,
  documents,
  ownerOf,
  onPriced = () => undefined,
  hidesSuggestions,
}: LimitOperationsOptions<Context>): ApolloServerPlugin<Context> => ({
  requestDidStart: () => {
    let checked: CheckedOperation | undefined;
    let errors: readonly GraphQLError[] = [];
    return Promise.resolve({
      didResolveOperation: async (requestContext) => {
        const { schema, document: given, contextValue, request, source } = requestContext;
        const owner = ownerOf(contextValue);
        const isLong = source.length > longDocument;
        if (isLong) await yieldToLoop(owner);
        withHttpStatus(() => {
          const result = documents.check({ schema, document: given, owner });
          if ('errors' in result) {
            errors = result.errors;
            return;
          }
          const { document } = result;
          // Run the cached document, so that everything derived from it is found again.
          if (document !== given) Object.assign(requestContext, { document });
          // The name from the request: the context has none if no operation has that name.
          const { operationName, variables } = request;
          checked = limits.checkOperation({ schema, document, operationName, variables });
          onPriced(checked.cost, contextValue);
        });
        if (isLong) await yieldToLoop(owner);
      },
      // The only hook before execution that may respond with several errors.
      responseForOperation: () => {
        if (errors.length === 0) return Promise.resolve(null);
        const formatted = errors.map((error) => toValidationError(error, hidesSuggestions));
        return Promise.resolve({
          http: { status: 400, headers: new HeaderMap() },
          body: { kind: 'single' as const, singleResult: { errors: formatted } },
        });
      },
      willSendResponse: ({ request, response: { body } }) => {
        const isRequested = isCostReportRequested(request.http?.headers.get(costReportHeader));
        if (isRequested && checked !== undefined && body.kind === 'single') {
          body.singleResult.extensions = { ...body.singleResult.extensions, cost: toCostReport(checked) };
        }
        return Promise.resolve();
      },
    });
  },
});

/**
 * Documents with at least this many characters take milliseconds to validate, and again to prepare: each step has a
 * separate turn of the event loop.
 */
const longDocument = 1_024;

/** Errors of a document keep the code that GraphQL clients know (D2). */
function toValidationError({ message, locations }: GraphQLError, hidesSuggestions: boolean) {
  return {
    // Such messages quote the document, and bypass `formatError` here (D25).
    message: maskAddresses(hidesSuggestions ? message.replace(/ ?Did you mean .+\?$/, '') : message),
    ...(locations && { locations }),
    extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
  };
}

/** Apollo Server responds with 500 to errors thrown here unless the error itself sets a status. */
function withHttpStatus(check: () => void): void {
  try {
    check();
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { message, code, status } = thrown;
    throw new GraphQLError(message, { originalError: thrown, extensions: { code, http: { status } } });
  }
}
