import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError } from 'graphql';
import { ApiError } from '../errors/api-error';
import type { GraphqlContext } from './graphql-context';
import { costReportHeader, isCostReportRequested, toCostReport } from './limits/cost-report';
import type { CheckedOperation, OperationLimits } from './limits/limits';

/** Refuses operations beyond the limits before they run, and reports the cost of those within when asked to. */
export const limitOperations = (
  limits: OperationLimits,
  onPriced: (cost: number) => void,
): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: () => {
    let checked: CheckedOperation | undefined;
    return Promise.resolve({
      // The name that the client gave: the context has none where no operation bears it.
      didResolveOperation: ({ schema, document, request: { operationName, variables } }) => {
        checked = withHttpStatus(() => limits.checkOperation({ schema, document, operationName, variables }));
        onPriced(checked.cost);
        return Promise.resolve();
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

/** Apollo Server answers 500 to what is thrown here unless the error itself says otherwise. */
function withHttpStatus<Result>(check: () => Result): Result {
  try {
    return check();
  } catch (thrown) {
    if (!(thrown instanceof ApiError)) throw thrown;
    const { message, code, status } = thrown;
    throw new GraphQLError(message, { originalError: thrown, extensions: { code, http: { status } } });
  }
}
