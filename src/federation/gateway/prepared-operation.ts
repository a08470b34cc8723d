import type { GraphQLSchema } from 'graphql';
import type { AuthorizedDocument } from './authorize-document';
import type { PlanEnvironment } from '../plan/plan-execution';
import type { PlanKey } from '../answer/plan-keys';
import type { QueryPlans } from '../plan/query-plans';
import type { GatewayOperation } from './gateway-operation';
import type { PreparedDocument } from './prepared-document';

/** State that all planned operations on one supergraph share. */
export interface PlannedEnvironment extends PlanEnvironment {
  readonly schema: GraphQLSchema;
  readonly plans: QueryPlans;
  readonly planKey: PlanKey;
  /** The owner whose share of the plan cache an operation uses. */
  readonly ownerOf: (context: unknown) => string;
}

/** An operation, the document the client sent, and the part of it that the client may see. */
export interface PreparedOperation {
  readonly client: GatewayOperation;
  readonly original: PreparedDocument;
  readonly permitted: PreparedDocument;
  readonly denied: AuthorizedDocument['denied'];
}
