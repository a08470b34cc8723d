import { parse } from 'graphql';
import { introspectionFields, selectsOnly } from './limits/introspection-only';
import { maxTokens } from './limits/limit-options';

/** Whether a GraphQL request selects only the schema itself (D26). False for anything that is not a valid request. */
export function isPublicOperation(request: unknown): boolean {
  return requestsOnly(request, introspectionFields);
}

/** Whether a GraphQL request selects only the SDL of this graph as a subgraph. */
export function isSubgraphDescription(request: unknown): boolean {
  return requestsOnly(request, subgraphFields);
}

const subgraphFields: ReadonlySet<string> = new Set(['_service', '__typename']);

function requestsOnly(request: unknown, fields: ReadonlySet<string>): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { query, operationName } = request as { query?: unknown; operationName?: unknown };
  if (typeof query !== 'string') return false;
  try {
    const document = parse(query, { noLocation: true, maxTokens });
    return selectsOnly(document, typeof operationName === 'string' ? operationName : null, fields);
  } catch {
    return false;
  }
}
