import type { DocumentNode, FragmentDefinitionNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST, Kind, print, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { PlanKey } from '../answer/plan-keys';
import { flattenOperation } from '../plan/flatten-operation';
import { withoutIntrospection } from '../answer/introspection';
import type { LocalFields } from '../supergraph/local-fields';
import { isLocalDocument } from '../supergraph/local-fields';

/** Properties of a document, computed once for all operations on it. */
export interface PreparedDocument {
  readonly document: DocumentNode;
  /** Whether the subgraph in this process can answer all of it alone. */
  readonly isLocal: boolean;
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly operation: (name: string | null | undefined) => OperationDefinitionNode | undefined;
  readonly text: () => string;
  /** The names of the variables of `@include` and `@skip`. */
  readonly conditions: () => readonly string[];
  /** The text that is planned: in its simplest form, so that plans are made, and cached, for what operations say. */
  readonly planSource: (operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>) => string;
}

/** Prepares documents, each once: servers cache the documents that they have parsed. */
export function createDocumentPreparer(
  schema: GraphQLSchema,
  planKey: PlanKey,
  local: LocalFields | undefined,
): (document: DocumentNode) => PreparedDocument {
  const prepared = new WeakMap<DocumentNode, PreparedDocument>();
  return (document) => {
    const known = prepared.get(document);
    if (known !== undefined) return known;
    let text: string | undefined;
    let conditions: readonly string[] | undefined;
    const result: PreparedDocument = {
      document,
      text: () => (text ??= print(document)),
      isLocal: local !== undefined && isLocalDocument(schema, document, local),
      fragments: new Map(
        document.definitions.flatMap((definition) =>
          definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
        ),
      ),
      operation: (name) => getOperationAST(document, name) ?? undefined,
      conditions: () => (conditions ??= conditionVariables(document)),
      planSource: createPlanSource({ schema, planKey }, () => result),
    };
    prepared.set(document, result);
    return result;
  };
}

/** Different values of the variables of `@include` and `@skip` for which the text is kept. */
const maxPlanSources = 16;

function createPlanSource(
  { schema, planKey }: { readonly schema: GraphQLSchema; readonly planKey: PlanKey },
  prepared: () => PreparedDocument,
): PreparedDocument['planSource'] {
  const sources = new LRUCache<string, string>({ max: maxPlanSources });
  return (operation, variables) => {
    const { conditions: names, fragments } = prepared();
    const key = `${operation.name?.value ?? ''} ${names()
      .map((name) => (variables[name] === true ? 1 : 0))
      .join('')}`;
    const known = sources.get(key);
    if (known !== undefined) return known;
    const flat = flattenOperation({ schema, operation, fragments, planKey, variables });
    const source = print(withoutIntrospection(flat));
    sources.set(key, source);
    return source;
  };
}

function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive({ name, arguments: [argument] = [] }) {
      if (name.value !== 'include' && name.value !== 'skip') return;
      if (argument?.value.kind === Kind.VARIABLE) names.add(argument.value.name.value);
    },
  });
  return [...names];
}
