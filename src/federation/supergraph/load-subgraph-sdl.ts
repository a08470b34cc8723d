import { isJsonObject } from '../plan/json-objects';
import { subgraphSdlLimits } from '../composition/sdl-limits';
import { postGraphql } from '../transport/post-graphql';
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
  const { data, errors } = await postGraphql({
    url,
    headers,
    body: { query: '{ _service { sdl } }' },
    limits: answerLimits,
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const service = data?.['_service'];
  const sdl = isJsonObject(service) ? service['sdl'] : undefined;
  if (typeof sdl === 'string' && sdl !== '') return sdl;
  const reason = errors?.[0] === undefined ? '' : `: ${toServiceError(errors[0], subgraph.name, false).message}`;
  throw new Error(`no _service.sdl${reason}`);
}
