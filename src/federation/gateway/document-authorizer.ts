import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { AuthorizedDocument } from './authorize-document';
import { authorizeDocument } from './authorize-document';
import type { Caller, ScopeRequirements } from '../supergraph/scope-requirements';

/** Number of scope combinations per document whose filtered documents are cached. */
const maxCallersPerDocument = 8;

/**
 * Creates an authorizeDocument with a cache: the same document is filtered once for callers with the same scopes, and
 * the result is the same nodes, so that values derived from them are found again too.
 */
export function createDocumentAuthorizer(
  schema: GraphQLSchema,
  requirements: ScopeRequirements,
): (document: DocumentNode, caller: Caller) => AuthorizedDocument {
  const authorized = new WeakMap<DocumentNode, Map<string, AuthorizedDocument>>();
  return (document, caller) => {
    const byCaller = authorized.get(document) ?? new Map<string, AuthorizedDocument>();
    authorized.set(document, byCaller);
    const key = JSON.stringify([caller.isAuthenticated, [...caller.scopes].sort()]);
    const known = byCaller.get(key);
    if (known !== undefined) return known;
    if (byCaller.size >= maxCallersPerDocument) byCaller.clear();
    const result = authorizeDocument(schema, document, caller, requirements);
    byCaller.set(key, result);
    return result;
  };
}
