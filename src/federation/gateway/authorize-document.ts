import type { DocumentNode, FieldNode, GraphQLNamedType, GraphQLSchema } from 'graphql';
import { isAbstractType, isInterfaceType, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { describeMissingScopes } from '../../auth/principal';
import { notEmpty, typeNameField } from '../answer/introspection';
import type { Caller, Requirement, ScopeRequirements } from '../supergraph/scope-requirements';
import { satisfies } from '../supergraph/scope-requirements';
import { LRUCache } from 'lru-cache';
import { getOrMake } from '../../common/once';

export interface AuthorizedDocument {
  /** The part that the caller may see; the same document object when that is all of it. */
  readonly document: DocumentNode;
  /** The fields of the original document that were removed, each with the message for its error. */
  readonly denied: ReadonlyMap<FieldNode, string>;
}

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
  const authorized = new WeakMap<DocumentNode, LRUCache<string, AuthorizedDocument>>();
  return (document, caller) => {
    const byCaller = getOrMake(authorized, document, () => new LRUCache({ max: maxCallersPerDocument }));
    const key = JSON.stringify([caller.isAuthenticated, [...caller.scopes].sort()]);
    return getOrMake<string, AuthorizedDocument>(byCaller, key, () =>
      authorizeDocument(schema, document, caller, requirements),
    );
  };
}

const nothingDenied: ReadonlyMap<FieldNode, string> = new Map();

/**
 * Removes the fields from a valid document for which the caller lacks the scopes, before planning: no subgraph is
 * queried for them, whatever it would have returned (D26). A field of an interface is refused when any implementation
 * would refuse it.
 */
function authorizeDocument(
  schema: GraphQLSchema,
  document: DocumentNode,
  caller: Caller,
  requirements: ScopeRequirements,
): AuthorizedDocument {
  if (requirements.size === 0) return { document, denied: nothingDenied };
  const denied = new Map<FieldNode, string>();
  const types = new TypeInfo(schema);
  const filtered = visit(
    document,
    visitWithTypeInfo(types, {
      Field: {
        enter(node) {
          const refusal = requirementsOf(
            types.getParentType() ?? undefined,
            node.name.value,
            schema,
            requirements,
          ).find((requirement) => !satisfies(caller, requirement));
          if (refusal === undefined) return undefined;
          denied.set(node, refusalMessage(refusal, caller));
          return null;
        },
      },
      SelectionSet: {
        // `shapeResponse` needs `__typename` to know which fragments apply.
        leave: (node) =>
          isAbstractType(types.getParentType())
            ? { ...node, selections: [...node.selections, typeNameField] }
            : notEmpty(node),
      },
    }),
  );
  return { document: denied.size === 0 ? document : filtered, denied };
}

function requirementsOf(
  type: GraphQLNamedType | undefined,
  field: string,
  schema: GraphQLSchema,
  requirements: ScopeRequirements,
): readonly Requirement[] {
  if (type === undefined) return [];
  const types = isInterfaceType(type) ? [type, ...schema.getPossibleTypes(type)] : [type];
  return types.flatMap(({ name }) => requirements.get(`${name}.${field}`) ?? []);
}

function refusalMessage({ scopes, policies }: Requirement, caller: Caller): string {
  if (policies !== undefined || scopes?.length === 0) return 'This field is not available.';
  if (scopes === undefined) return 'This field requires a credential.';
  return describeMissingScopes(scopes, [...caller.scopes]);
}
