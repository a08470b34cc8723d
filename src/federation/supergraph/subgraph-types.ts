import type { ConstDirectiveNode, DocumentNode, FieldDefinitionNode } from 'graphql';
import { Kind } from 'graphql';
import { readLinkedFeatures, specsOrigin } from '../linked-features';
import { rootTypes, usualRoots } from '../sdl-nodes';
import { getOrMake } from '../../common/once';

/** An object type or interface in one subgraph, including its extensions. */
interface SubgraphType {
  readonly directives: readonly ConstDirectiveNode[];
  readonly fields: ReadonlyMap<string, FieldDefinitionNode>;
}

export interface SubgraphTypes {
  /** By their names in the supergraph, where root types have the usual names. */
  readonly types: ReadonlyMap<string, SubgraphType>;
  /** The names of the object types of each interface and union. */
  readonly membersOf: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether one of the directives is Federation's `element`, such as `@requires`, whatever this subgraph calls it. */
  has(directives: readonly ConstDirectiveNode[] | undefined, element: Element): boolean;
}

const elements = ['@requires', '@external', '@interfaceObject', '@key'] as const;
type Element = (typeof elements)[number];

/** @throws Error for a link that does not follow its specification. */
export function readSubgraphTypes(document: DocumentNode): SubgraphTypes {
  const names = readNames(document);
  const roots = new Map([...rootTypes(document)].map(([operation, name]) => [name, usualRoots.get(operation)]));
  const types = new Map<string, SubgraphType>();
  const membersOf = new Map<string, Set<string>>();
  const addMember = (abstract: string, member: string): void => {
    getOrMake(membersOf, abstract, () => new Set()).add(member);
  };
  for (const definition of document.definitions) {
    if ('types' in definition) {
      for (const { name } of definition.types ?? []) addMember(definition.name.value, name.value);
      continue;
    }
    if (!('interfaces' in definition)) continue;
    const name = roots.get(definition.name.value) ?? definition.name.value;
    const { directives = [], fields = [] } = types.get(name) ?? {};
    types.set(name, {
      directives: [...directives, ...(definition.directives ?? [])],
      fields: new Map([...fields, ...(definition.fields ?? []).map((field) => [field.name.value, field] as const)]),
    });
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION && definition.kind !== Kind.OBJECT_TYPE_EXTENSION) continue;
    for (const { name: each } of definition.interfaces ?? []) addMember(each.value, name);
  }
  return {
    types,
    membersOf,
    has: (directives = [], element) => directives.some(({ name }) => names.get(name.value) === element),
  };
}

/** The elements of Federation by their names in this document. */
function readNames(document: DocumentNode): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { identity, namespace, imports } of readLinkedFeatures(document)) {
    if (identity !== `${specsOrigin}/federation`) continue;
    for (const element of elements) names.set(`${namespace}__${element.slice(1)}`, element);
    for (const [local, element] of imports) names.set(local.slice(1), element);
  }
  // Federation 1 links nothing.
  return names.size > 0 ? names : new Map(elements.map((element) => [element.slice(1), element]));
}
