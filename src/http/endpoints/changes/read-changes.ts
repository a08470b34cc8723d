import type { ListChangesVariables } from '../../../../rest/feed/listChanges';
import { listChanges, readListChangesDocument } from '../../../../rest/feed/listChanges';
import type { Principal } from '../../../auth/principal';
import { ApiError } from '../../../errors/api-error';
import type { Graph } from '../../../graph/graph';

/** Reads one page of the feed as the body of its answer, of as many entries as fit. @throws ApiError */
export type ReadChanges = (principal: Principal, variables: ListChangesVariables | ApiError) => Promise<Buffer>;

export function createChangesReader(graph: Graph): ReadChanges {
  const operation = graph.prepare(readListChangesDocument(), listChanges.toBody as (data: object) => object);
  return async (principal, variables) => {
    for (let first = variables instanceof ApiError ? 0 : variables.first; ; first = Math.ceil(first / 2)) {
      try {
        const given = variables instanceof ApiError ? variables : { ...variables, first };
        const { body } = await graph.answer({ operation, principal, variables: given, knownTags: [] });
        return body as Buffer;
      } catch (error) {
        // Objects may be so large that fewer of them have to do.
        if (!(error instanceof ApiError) || error.code !== 'ANSWER_TOO_LARGE' || first <= 1) throw error;
      }
    }
  };
}
