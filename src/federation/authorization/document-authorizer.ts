import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { AuthorizedDocument } from './authorize-document';
import { authorizeDocument } from './authorize-document';
import type { Caller, ScopeRequirements } from './scope-requirements';

/** Combinations of scopes whose filtered documents are kept, per document. */
const maxCallersPerDocument = 8;

/**
 * authorizeDocument with a memory: the same document for callers with the same scopes is filtered once, and gives the very
 * same nodes again, so that what is derived from them is found again too.
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
