import type { Principal } from '../src/auth/principal';
import { ApiError } from '../src/errors/api-error';
import type { Answer, Graph } from '../src/graph/graph';
import { isHeld } from './if-none-match';
import type { RestOperation } from './operation';
import { readOperationDocument } from './operation-document';
import { parseQueryString } from './query-parameters';

/** A call of an operation, independent of the server that received it. */
export interface RestRequest {
  readonly principal: Principal;
  readonly pathParameters: Readonly<Record<string, string>>;
  /** Undecoded, without the question mark. */
  readonly queryString: string;
  readonly ifNoneMatch: string | undefined;
  /** The tag of the representation that the client would get, derived from the tag of the represented data. */
  readonly nameRepresentation: (etag: string) => string;
}

/** @property ignored Names of parameters that the operation does not have. */
type RestAnswer = Answer & { readonly ignored: readonly string[] };

/** The one handler of every operation: parameters → variables of its fixed document → the graph → body. */
export function createRequestHandler(graph: Graph, operation: RestOperation) {
  const { operationId, readVariables, toBody } = operation;
  const prepared = graph.prepare(readOperationDocument(operationId));
  return async ({
    principal,
    pathParameters,
    queryString,
    ifNoneMatch,
    nameRepresentation,
  }: RestRequest): Promise<RestAnswer> => {
    // `*` asks whether a representation exists at all, and only making one determines that (RFC 9110 13.1.2).
    const isAnyHeld = ifNoneMatch?.trim() === '*';
    let ignored: readonly string[] = [];
    const answered = graph.answer({
      operation: prepared,
      principal,
      readVariables: () => {
        const query = parseQueryString(queryString);
        const variables = readVariables({ path: pathParameters, query });
        ignored = query.listIgnored();
        return variables;
      },
      toBody,
      isHeldByClient: (tag) => !isAnyHeld && isHeld(ifNoneMatch, nameRepresentation(tag)),
    });
    const { etag, body } = await answered.catch(nameParameter);
    if (isAnyHeld && body !== undefined && !Buffer.isBuffer(body)) body.cancel();
    return { etag: nameRepresentation(etag), body: isAnyHeld ? undefined : body, ignored };
  };
}

/** The graph names its own argument; the caller sent `cursor`. */
function nameParameter(thrown: unknown): never {
  if (!(thrown instanceof ApiError) || !thrown.message.startsWith('after: ')) throw thrown;
  throw new ApiError(thrown.code, thrown.message.replace('after: ', 'cursor: '));
}
