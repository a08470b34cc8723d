import type { Principal } from '../auth/principal';

/** Who asks; undefined for an operation that asks for nothing but the schema and needs no credential (D26). */
export interface GraphqlContext {
  readonly principal: Principal | undefined;
}
