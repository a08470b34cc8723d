import { CancellationSource } from '../../common/cancellation';
import { isJsonObject } from '../answer/json-objects';
import { subgraphSdlLimits } from '../supergraph/sdl-limits';
import { systemTimer } from '../../common/timer';
import { readGraphqlResponse, receiveText } from '../transport/post-graphql';
import { toServiceError } from '../transport/service-error';

/** A subgraph that another process serves. */
export interface RemoteSubgraph {
  readonly name: string;
  readonly url: string;
  /** Headers that are always sent, such as a secret that opens the subgraph to gateways. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMilliseconds?: number | undefined;
}

/** Limits for the answer to `_service { sdl }`: SDL as JSON text, and little else. */
const answerLimits = { maxBytes: 2 * subgraphSdlLimits.maxBytes, maxValues: 1000, maxDepth: 20 };

/**
 * Requests the SDL of a subgraph.
 * @throws Error when it does not answer, or is not a subgraph.
 */
export async function loadSubgraphSdl(subgraph: RemoteSubgraph): Promise<string> {
  const { url, headers = {}, timeoutMilliseconds = 5000 } = subgraph;
  const deadline = new CancellationSource();
  const cancelTimer = systemTimer.after(timeoutMilliseconds, () =>
    deadline.end(new Error(`no response within ${timeoutMilliseconds} ms`)),
  );
  const received = await receiveText({
    url: new URL(url),
    headers,
    body: JSON.stringify({ query: '{ _service { sdl } }' }),
    limits: answerLimits,
    cancellation: deadline,
  }).finally(cancelTimer);
  const { data, errors } = readGraphqlResponse(received);
  const service = data?.['_service'];
  const sdl = isJsonObject(service) ? service['sdl'] : undefined;
  if (typeof sdl === 'string' && sdl !== '') return sdl;
  const reason = errors?.[0] === undefined ? '' : `: ${toServiceError(errors[0], subgraph.name, false).message}`;
  throw new Error(`no _service.sdl${reason}`);
}
