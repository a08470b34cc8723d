import type { Principal } from '../src/auth/principal';
import { ApiError } from '../src/errors/api-error';
import type { Answer, Graph } from '../src/graph/graph';
import type { RestOperation } from './operation';
import { readOperationDocument } from './operations';
import { parseQueryString } from './parameters';

/** A call of an operation, independent of the server that received it. */
export interface RestRequest {
  readonly principal: Principal;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Undecoded, without the question mark. */
  readonly queryString: string;
  /** The tags of the answers that the client holds (D7). */
  readonly heldTags: readonly string[];
}

/** @property ignored Names of parameters that the operation does not have. */
type RestAnswer = Answer & { readonly ignored: readonly string[] };

/** The one handler of every operation: parameters → variables of its fixed document → the graph → body. */
export function createRequestHandler(graph: Graph, { operationId, readVariables, toBody }: RestOperation) {
  const operation = graph.prepare(readOperationDocument(operationId), toBody);
  return async ({ principal, pathParameters, queryString, heldTags }: RestRequest): Promise<RestAnswer> => {
    let ignored: readonly string[] = [];
    const read = (): Variables => {
      const query = parseQueryString(queryString);
      const variables = readVariables({ path: pathParameters, query });
      ignored = query.listIgnored();
      return variables;
    };
    const answer = await graph.answer({ operation, principal, variables: resultOf(read), heldTags }).catch(nameParameter);
    return { ...answer, ignored };
  };
}

type Variables = Readonly<Record<string, unknown>>;

/** The variables, or the error about a parameter: the graph decides which error comes first (D1). */
function resultOf(read: () => Variables): Variables | ApiError {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** The graph names its own argument; the caller sent `cursor`. */
function nameParameter(thrown: unknown): never {
  if (!(thrown instanceof ApiError) || !thrown.message.startsWith('after: ')) throw thrown;
  throw new ApiError(thrown.code, thrown.message.replace('after: ', 'cursor: '));
}
