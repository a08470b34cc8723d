import type { Principal } from '../auth/principal';
import type { Cancellation } from '../common/cancellation';

/** The caller; undefined for an operation that selects only the schema and needs no credential (D26). */
export interface GraphqlContext {
  readonly principal: Principal | undefined;
  /** Identifies the request in the log. */
  readonly requestId?: string | undefined;
  /** Headers of the client's request, names in lower case; for the subgraphs that may receive some of them. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Ends when the client disconnects, and when the operation has taken too long. */
  readonly cancellation?: Cancellation;
}
