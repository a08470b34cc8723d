import { parse, getOperationAST, Kind, OperationTypeNode } from 'graphql';
import { maxTokens } from './limits/limit-options';
import type { DocumentNode, SelectionSetNode } from 'graphql';
import { fragmentsByName } from './typed-fields';

/** The fields of a request for only the SDL of this graph as a subgraph. */
export const subgraphFields: ReadonlySet<string> = new Set(['_service', '__typename']);

/**
 * Whether a GraphQL request selects only these fields. False for anything that is not a request.
 * @throws GraphQLError
 */
export function requestsOnly(request: unknown, fields: ReadonlySet<string>): boolean {
  if (typeof request !== 'object' || request === null) return false;
  const { query, operationName } = request as { query?: unknown; operationName?: unknown };
  if (typeof query !== 'string') return false;
  const document = parse(query, { noLocation: true, maxTokens });
  return selectsOnly(document, typeof operationName === 'string' ? operationName : null, fields);
}

/** The fields of the schema itself: outside production they need no credential (D26). */
export const introspectionFields: ReadonlySet<string> = new Set(['__schema', '__type', '__typename']);

/**
 * Whether an operation is a query that selects only the given fields at its root. Fragments are inspected, each once;
 * in doubt the result is false. Directives are not evaluated: a field that `@skip` would omit still counts.
 */
export function selectsOnly(
  document: DocumentNode,
  operationName: string | null | undefined,
  fields: ReadonlySet<string>,
): boolean {
  const operation = getOperationAST(document, operationName ?? undefined);
  if (operation?.operation !== OperationTypeNode.QUERY) return false;
  const fragments = fragmentsByName(document);
  const seen = new Set<string>();
  const open: SelectionSetNode[] = [operation.selectionSet];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const selection of next.selections) {
      if (selection.kind === Kind.FIELD) {
        if (!fields.has(selection.name.value)) return false;
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        open.push(selection.selectionSet);
      } else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment === undefined) return false;
        open.push(fragment.selectionSet);
      }
    }
  }
  return true;
}
