import type { DocumentNode, FieldDefinitionNode, TypeNode } from 'graphql';
import { Kind, print } from 'graphql';
import { mapFields, namedType, textOf, toJoinField, toText, withArguments } from '../sdl-nodes';
import { supergraphGraphs } from './supergraph-graphs';
import type { SubgraphTypes } from './subgraph-types';

/**
 * Adds to a supergraph what the composer omits from fields that subgraphs share (specification join v0.3):
 * - a field with different types gets the one that includes the others, and `type` says what each subgraph returns; the
 * composer may use a narrower one (docs/upstream/federation-composition.md);
 * - `external` for fields that an `@interfaceObject` does not resolve, without which `@requires` is not fetched.
 * @param subgraphs the types of each subgraph, by its name
 * @returns undefined when there is nothing to add
 */
export function completeSupergraph(
  supergraph: DocumentNode,
  subgraphs: ReadonlyMap<string, SubgraphTypes>,
): DocumentNode | undefined {
  const graphs = supergraphGraphs(supergraph).flatMap(({ key, name }) => {
    const subgraph = subgraphs.get(name);
    return subgraph === undefined ? [] : [{ key, subgraph }];
  });
  const includes = createIncludes([...subgraphs.values()]);
  let isChanged = false;

  function completeField(field: FieldDefinitionNode, typeName: string): FieldDefinitionNode {
    const own = graphs.flatMap(({ key, subgraph }) => {
      const type = subgraph.types.get(typeName);
      const definition = type?.fields.get(field.name.value);
      if (type === undefined || definition === undefined) return [];
      const isExternal =
        subgraph.has(type.directives, '@interfaceObject') && subgraph.has(definition.directives, '@external');
      return [{ key, type: definition.type, isExternal }];
    });
    const names = new Set(own.map(({ type }) => namedType(type)));
    const widest = [...names].find((one) => [...names].every((other) => includes(one, other)));
    const isWider = names.size > 1 && widest !== undefined;
    const isExternal = own.some((one) => one.isExternal);
    if (!isWider && !isExternal) return field;
    isChanged = true;
    const joins = (field.directives ?? []).filter((directive) => textOf(directive, 'graph') !== undefined);
    const written = new Set(joins.map((join) => textOf(join, 'graph')));
    // Without joins, each subgraph of the type resolves the field. With some, the missing ones lost it to an @override.
    const added = own.filter(
      ({ key, isExternal: isOutside }) => (joins.length === 0 || isOutside) && !written.has(key),
    );
    return {
      ...field,
      type: isWider ? withName(field.type, widest) : field.type,
      directives: [...(field.directives ?? []), ...added.map(({ key }) => toJoinField(key))].map((join) => {
        const one = own.find(({ key }) => textOf(join, 'graph') === key);
        if (one === undefined) return join;
        return withArguments(join, {
          ...(isWider && { type: toText(print(one.type)) }),
          ...(one.isExternal && { external: { kind: Kind.BOOLEAN, value: true } }),
        });
      }),
    };
  }

  const completed = mapFields(supergraph, completeField);
  return isChanged ? completed : undefined;
}

/** Whether a type is the same as the other, or an interface or union that includes it in any subgraph. */
function createIncludes(subgraphs: readonly SubgraphTypes[]) {
  const membersOf = (name: string): ReadonlySet<string> =>
    new Set(subgraphs.flatMap((subgraph) => [...(subgraph.membersOf.get(name) ?? [])]));
  return (one: string, other: string): boolean => {
    if (one === other) return true;
    const members = membersOf(one);
    if (members.has(other)) return true;
    const others = membersOf(other);
    return others.size > 0 && [...others].every((name) => members.has(name));
  };
}

const withName = (type: TypeNode, name: string): TypeNode => {
  switch (type.kind) {
    case Kind.NAMED_TYPE:
      return { ...type, name: { kind: Kind.NAME, value: name } };
    case Kind.LIST_TYPE:
      return { ...type, type: withName(type.type, name) };
    default:
      return { ...type, type: withName(type.type, name) as typeof type.type };
  }
};
