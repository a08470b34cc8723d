import type { DocumentNode, FragmentDefinitionNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST, Kind, print } from 'graphql';
import { withoutIntrospection } from '../response/introspection';
import type { LocalFields } from '../supergraph/local-fields';
import { isLocalDocument } from '../supergraph/local-fields';

/** Properties of a document, computed once for all operations on it. */
export interface PreparedDocument {
  readonly document: DocumentNode;
  /** Whether the subgraph in this process can answer all of it alone. */
  readonly isLocal: boolean;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly operation: (name: string | null | undefined) => OperationDefinitionNode | undefined;
  /** The text that is planned: printed, so that layout and comments do not affect the plan cache. */
  readonly planSource: () => string;
}

/** Prepares documents, each once: servers cache the documents that they have parsed. */
export function createDocumentPreparer(
  schema: GraphQLSchema,
  local: LocalFields | undefined,
): (document: DocumentNode) => PreparedDocument {
  const prepared = new WeakMap<DocumentNode, PreparedDocument>();
  return (document) => {
    const known = prepared.get(document);
    if (known !== undefined) return known;
    let planSource: string | undefined;
    const result: PreparedDocument = {
      document,
      isLocal: local !== undefined && isLocalDocument(schema, document, local),
      fragments: new Map(
        document.definitions.flatMap((definition) =>
          definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
        ),
      ),
      operation: (name) => getOperationAST(document, name) ?? undefined,
      planSource: () => (planSource ??= print(withoutIntrospection(document))),
    };
    prepared.set(document, result);
    return result;
  };
}
