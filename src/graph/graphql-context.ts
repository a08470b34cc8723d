import type { Principal } from '../auth/principal';
import type { Cancellation } from '../database/statement-asker';

/** Who asks; undefined for an operation that asks for nothing but the schema and needs no credential (D26). */
export interface GraphqlContext {
  readonly principal: Principal | undefined;
  /** Names the request in the log. */
  readonly requestId?: string | undefined;
  /** Of the client's request, names in lower case; for the subgraphs that may see some of them. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Aborted when the client goes away, and when the operation has taken too long. */
  readonly signal?: AbortSignal;
  /** Stops waiting at the same moment. */
  readonly cancellation?: Cancellation;
}
