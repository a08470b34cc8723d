import type { DocumentNode, FragmentDefinitionNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { getOperationAST, Kind, print, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import { once } from '../../common/once';
import type { PlanKey } from '../answer/plan-keys';
import { flattenOperation } from '../plan/flatten-operation';
import { withoutIntrospection } from '../answer/introspection';
import type { LocalFields } from '../supergraph/local-fields';
import { isLocalDocument } from '../supergraph/local-fields';
import { getOrMake } from '../../common/once';
import { fragmentsByName } from '../../graph/typed-fields';

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
  /** The text to plan: in its simplest form, so that equivalent operations share a cached plan. */
  readonly planSource: (operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>) => string;
}

/** Prepares documents, each once: servers cache the documents that they have parsed. */
export function createDocumentPreparer(
  schema: GraphQLSchema,
  planKey: PlanKey,
  local: LocalFields | undefined,
): (document: DocumentNode) => PreparedDocument {
  const prepared = new WeakMap<DocumentNode, PreparedDocument>();
  const prepare = (document: DocumentNode): PreparedDocument => {
    const conditions = once(() => conditionVariables(document));
    const fragments = fragmentsByName(document);
    return {
      document,
      text: once(() => print(document)),
      isLocal: local !== undefined && isLocalDocument(schema, document, local),
      fragments,
      operation: (name) => getOperationAST(document, name) ?? undefined,
      conditions,
      planSource: createPlanSource({ schema, planKey, fragments, conditions }),
    };
  };
  return (document) => getOrMake(prepared, document, () => prepare(document));
}

interface PlanSourceParts extends Pick<PreparedDocument, 'fragments' | 'conditions'> {
  readonly schema: GraphQLSchema;
  readonly planKey: PlanKey;
}

/** Different values of the variables of `@include` and `@skip` for which the text is kept. */
const maxPlanSources = 16;

function createPlanSource({ schema, planKey, fragments, conditions }: PlanSourceParts): PreparedDocument['planSource'] {
  const sources = new LRUCache<string, string>({ max: maxPlanSources });
  return (operation, variables) => {
    const values = conditions().map((name) => (variables[name] === true ? 1 : 0));
    const key = `${operation.name?.value ?? ''} ${values.join('')}`;
    return getOrMake<string, string>(sources, key, () =>
      print(withoutIntrospection(flattenOperation({ schema, operation, fragments, planKey, variables }))),
    );
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
