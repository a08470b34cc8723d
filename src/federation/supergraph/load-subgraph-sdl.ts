import { isJsonObject } from '../plan/json-objects';
import { postGraphql } from '../transport/post-graphql';

/** A subgraph that another process serves. */
export interface RemoteSubgraph {
  readonly name: string;
  readonly url: string;
  /** Headers that always go along, such as a secret that opens the subgraph to gateways. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly timeoutMilliseconds?: number | undefined;
}

const maxSdlBytes = 8 * 1024 * 1024;

/**
 * Asks a subgraph for its SDL.
 * @throws Error when it does not answer, or is no subgraph.
 */
export async function loadSubgraphSdl(subgraph: RemoteSubgraph): Promise<string> {
  const { url, headers = {}, timeoutMilliseconds = 5000 } = subgraph;
  const { data, errors } = await postGraphql({
    url,
    headers,
    body: { query: '{ _service { sdl } }' },
    maxResponseBytes: maxSdlBytes,
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  const service = data?.['_service'];
  const sdl = isJsonObject(service) ? service['sdl'] : undefined;
  if (typeof sdl === 'string' && sdl !== '') return sdl;
  throw new Error(`no _service.sdl${errors?.[0] === undefined ? '' : `: ${errors[0].message}`}`);
}
