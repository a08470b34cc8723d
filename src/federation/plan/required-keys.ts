import type {
  ConstDirectiveNode,
  DocumentNode,
  EnumTypeDefinitionNode,
  FieldDefinitionNode,
  TypeDefinitionNode,
} from 'graphql';
import { isTypeDefinitionNode, Kind } from 'graphql';
import {
  flagOf,
  hasFields,
  namedType,
  rootTypes,
  textOf,
  toEnum,
  toJoinField,
  toText,
  visitFieldSet,
  withArguments,
} from '../sdl-nodes';
import { supergraphGraphs } from '../supergraph/supergraph-graphs';
import { getOrMake } from '../../common/once';

/**
 * Replaces `@requires`, for which the planner often finds no plan, by keys. A field of the subgraph `A` that requires
 * `weight` moves to a copy of `A` whose type has the key `id weight`: the same request is sent to the same place. In a
 * copy, that type is reached only by its key: other fields that lead to it are removed. Field sets with fragments or
 * arguments, which keys cannot have, are unchanged.
 * @returns the supergraph, and the original's value of `join__Graph` for each copy
 */
export function replaceRequired(supergraph: DocumentNode): {
  readonly document: DocumentNode;
  readonly originalOf: ReadonlyMap<string, string>;
} {
  const types = supergraph.definitions.filter(isTypeDefinitionNode);
  const graphs = supergraphGraphs(supergraph);
  const taken = new Set(graphs.map(({ key }) => key));
  const copies = graphs.flatMap(({ key }) => copiesOf(key, types, taken));
  if (copies.length === 0) return { document: supergraph, originalOf: new Map() };
  const roots = new Set(rootTypes(supergraph).values());
  const definitions = supergraph.definitions.map((definition) =>
    isTypeDefinitionNode(definition) && !roots.has(definition.name.value) ? withCopies(definition, copies) : definition,
  );
  return {
    document: { ...supergraph, definitions },
    originalOf: new Map(copies.map(({ key, graph }) => [key, graph])),
  };
}

interface Copy {
  readonly key: string;
  readonly graph: string;
  /** The fields that it adds to the keys of types, by type name. */
  readonly requiredOf: ReadonlyMap<string, string>;
  /** Whether the copy has a type, or a field: those that lead to a type in `requiredOf` are missing. */
  has(type: string, field?: string): boolean;
}

/** Maximum number of copies of one subgraph. Further field sets are left as `@requires`. */
const maxCopies = 16;

/** One copy for each field set that a type requires; types share the copies. */
function copiesOf(graph: string, types: readonly TypeDefinitionNode[], taken: Set<string>): readonly Copy[] {
  const index = new GraphIndex(graph, types);
  const entities = types
    .filter(hasFields)
    .filter((type) => type.fields?.some((field) => index.requires(field) !== undefined));
  const names = new Set(entities.map(({ name }) => name.value));
  const sets = new Map<string, string[]>();
  for (const { name, fields = [] } of entities) {
    const movable = fields.flatMap((field) => {
      const required = index.requires(field);
      const isMovable =
        required !== undefined &&
        !index.leadsTo(field, names) &&
        index.parentsIn(required, name.value, names) !== undefined;
      return isMovable ? [required] : [];
    });
    sets.set(name.value, [...new Set(movable)].slice(0, maxCopies));
  }
  const count = Math.max(0, ...[...sets.values()].map(({ length }) => length));
  return Array.from({ length: count }, (_, ordinal): Copy => {
    let key = `${graph}_${ordinal}`;
    while (taken.has(key)) key += '_';
    taken.add(key);
    const requiredOf = new Map(
      [...sets].flatMap(([type, all]) => all.slice(ordinal, ordinal + 1).map((fields) => [type, fields] as const)),
    );
    const isIn = (type: string, field: FieldDefinitionNode): boolean => {
      const required = index.requires(field);
      if (required === undefined) return index.isLeaf(field) && !index.requiresMore(field);
      return required === requiredOf.get(type) && !index.leadsTo(field, names);
    };
    const reached = new Set(requiredOf.keys());
    for (const { name, fields = [] } of entities) {
      const required = requiredOf.get(name.value);
      if (required === undefined) continue;
      for (const type of index.parentsIn(required, name.value, names) ?? []) reached.add(type);
      for (const field of fields) {
        if (index.owns(field, name.value) && isIn(name.value, field))
          for (const type of index.reachedBy(field)) reached.add(type);
      }
    }
    return {
      key,
      graph,
      requiredOf,
      has(type, fieldName) {
        if (!reached.has(type)) return false;
        const field = fieldName === undefined ? undefined : index.field(type, fieldName);
        return field === undefined || !requiredOf.has(type) || isIn(type, field);
      },
    };
  });
}

/** One subgraph's part of a supergraph. */
class GraphIndex {
  readonly #types: ReadonlyMap<string, TypeDefinitionNode>;
  /** The object types of interfaces and unions. */
  readonly #members = new Map<string, string[]>();
  readonly #reached = new Map<string, ReadonlySet<string>>();

  constructor(
    private readonly graph: string,
    types: readonly TypeDefinitionNode[],
  ) {
    this.#types = new Map(types.map((type) => [type.name.value, type]));
    for (const { name, directives = [] } of types) {
      for (const join of directives.filter((directive) => this.#isOwn(directive))) {
        const member = textOf(join, 'member');
        const abstract = textOf(join, 'interface');
        if (member !== undefined) this.#add(name.value, member);
        if (abstract !== undefined) this.#add(abstract, name.value);
      }
    }
  }

  field(type: string, name: string): FieldDefinitionNode | undefined {
    const definition = this.#types.get(type);
    return definition !== undefined && hasFields(definition)
      ? definition.fields?.find((field) => field.name.value === name)
      : undefined;
  }

  /** The field set that a field requires, if it can be a key. */
  requires({ directives = [] }: FieldDefinitionNode): string | undefined {
    return directives.filter((join) => this.#isOwn(join)).flatMap((join) => plainRequires(join) ?? [])[0];
  }

  /** Whether it requires a field set that cannot be a key. */
  requiresMore({ directives = [] }: FieldDefinitionNode): boolean {
    return directives.some(
      (join) => this.#isOwn(join) && textOf(join, 'requires') !== undefined && plainRequires(join) === undefined,
    );
  }

  /** The types inside a field set, if all are object types without fields that require something. */
  parentsIn(fieldSet: string, typeName: string, names: ReadonlySet<string>): ReadonlySet<string> | undefined {
    const parents = new Set<string>();
    visitFieldSet(fieldSet, typeName, this.#types, (parent) => void parents.add(parent));
    parents.delete(typeName);
    const isPlain = [...parents].every(
      (parent) => this.#types.get(parent)?.kind === Kind.OBJECT_TYPE_DEFINITION && !names.has(parent),
    );
    return isPlain ? parents : undefined;
  }

  /** Whether the subgraph resolves the field, or may. */
  owns({ directives = [] }: FieldDefinitionNode, type: string): boolean {
    const joins = directives.filter(({ name }) => name.value === 'join__field');
    if (joins.length > 0) return joins.some((join) => this.#isOwn(join) && !flagOf(join, 'external'));
    return this.#types.get(type)?.directives?.some((join) => this.#isOwn(join)) ?? false;
  }

  isLeaf({ type }: FieldDefinitionNode): boolean {
    const kind = this.#types.get(namedType(type))?.kind;
    return kind === undefined || kind === Kind.SCALAR_TYPE_DEFINITION || kind === Kind.ENUM_TYPE_DEFINITION;
  }

  leadsTo(field: FieldDefinitionNode, names: ReadonlySet<string>): boolean {
    return [...this.reachedBy(field)].some((name) => names.has(name));
  }

  /** All types that values of the field lead to in this subgraph. */
  reachedBy(field: FieldDefinitionNode): ReadonlySet<string> {
    const from = namedType(field.type);
    return getOrMake(this.#reached, from, () => this.#reachedFrom(from));
  }

  #reachedFrom(from: string): ReadonlySet<string> {
    const reached = new Set<string>();
    const waiting = [from];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (reached.has(name)) continue;
      reached.add(name);
      const type = this.#types.get(name);
      waiting.push(...(this.#members.get(name) ?? []));
      if (type === undefined || !('fields' in type)) continue;
      for (const each of type.fields ?? []) {
        if (each.kind === Kind.INPUT_VALUE_DEFINITION) waiting.push(namedType(each.type));
        else if (this.owns(each, name)) {
          waiting.push(namedType(each.type), ...(each.arguments ?? []).map((argument) => namedType(argument.type)));
        }
      }
      for (const each of hasFields(type) ? (type.interfaces ?? []) : []) waiting.push(each.name.value);
    }
    return reached;
  }

  #isOwn(join: ConstDirectiveNode): boolean {
    return textOf(join, 'graph') === this.graph;
  }

  #add(abstract: string, member: string): void {
    getOrMake(this.#members, abstract, () => []).push(member);
  }
}

function plainRequires(join: ConstDirectiveNode): string | undefined {
  const fields = join.name.value === 'join__field' ? textOf(join, 'requires') : undefined;
  return fields === undefined || /[(.@]/.test(fields) ? undefined : fields;
}

function withCopies(definition: TypeDefinitionNode, copies: readonly Copy[]): TypeDefinitionNode {
  if (definition.name.value === 'join__Graph') return withCopiedGraphs(definition as EnumTypeDefinitionNode, copies);
  const typeName = definition.name.value;
  const present = copies.filter(({ has }) => has(typeName));
  const typeGraphs = [
    ...new Set(
      (definition.directives ?? []).flatMap((join) =>
        join.name.value === 'join__type' ? (textOf(join, 'graph') ?? []) : [],
      ),
    ),
  ];
  const copied = <
    Member extends { readonly name: { readonly value: string }; readonly directives?: readonly ConstDirectiveNode[] },
  >(
    member: Member,
  ): Member => ({ ...member, directives: copyJoins(member, { typeName, typeGraphs, copies: present }) });
  const directives = (definition.directives ?? []).flatMap((directive) => [
    directive,
    ...present
      .filter(({ graph }) => textOf(directive, 'graph') === graph)
      .map((copy) => toCopiedType(directive, copy, typeName)),
  ]);
  return {
    ...definition,
    // Each once.
    directives: [...new Map(directives.map((each) => [JSON.stringify(each), each])).values()],
    ...('fields' in definition && { fields: definition.fields?.map(copied) }),
    ...('values' in definition && { values: definition.values?.map(copied) }),
  } as TypeDefinitionNode;
}

/** The type in a copy, with a key that includes what its fields require, or with none. */
function toCopiedType(directive: ConstDirectiveNode, { key, requiredOf }: Copy, typeName: string): ConstDirectiveNode {
  const fields = directive.name.value === 'join__type' ? textOf(directive, 'key') : undefined;
  const required = requiredOf.get(typeName);
  return withArguments(directive, {
    graph: toEnum(key),
    ...(fields !== undefined && required !== undefined && { key: toText(`${fields} ${required}`) }),
    ...(fields !== undefined && required === undefined && { resolvable: { kind: Kind.BOOLEAN, value: false } }),
  });
}

interface CopiedType {
  readonly typeName: string;
  /** The subgraphs that have the type; a field without directives belongs to all of them. */
  readonly typeGraphs: readonly string[];
  readonly copies: readonly Copy[];
}

function copyJoins(
  {
    name,
    directives = [],
  }: { readonly name: { readonly value: string }; readonly directives?: readonly ConstDirectiveNode[] },
  { typeName, typeGraphs, copies }: CopiedType,
): readonly ConstDirectiveNode[] {
  // A copy omits fields that another subgraph overrides.
  const isTaken = directives.some((join) => textOf(join, 'override') !== undefined || flagOf(join, 'usedOverridden'));
  const joined = directives.flatMap((join) => {
    const required = plainRequires(join);
    const own = copies.filter(({ graph, has }) => textOf(join, 'graph') === graph && has(typeName, name.value));
    const moved = own.filter(({ requiredOf }) => requiredOf.get(typeName) === required);
    if (required !== undefined && moved.length > 0) {
      return moved.map(({ key }) => withArguments(join, { graph: toEnum(key), requires: undefined }));
    }
    if (required !== undefined || isTaken) return [join];
    return [join, ...own.map(({ key }) => withArguments(join, { graph: toEnum(key) }))];
  });
  const isEverywhere = !directives.some((join) => join.name.value === 'join__field');
  const having = copies.filter(({ has }) => has(typeName, name.value));
  if (!isEverywhere || having.length === copies.length) return joined;
  return [...joined, ...[...typeGraphs, ...having.map(({ key }) => key)].map(toJoinField)];
}

function withCopiedGraphs(definition: EnumTypeDefinitionNode, copies: readonly Copy[]): EnumTypeDefinitionNode {
  const values = definition.values?.flatMap((value) => [
    value,
    ...copies
      .filter(({ graph }) => value.name.value === graph)
      .map(({ key }) => ({
        ...value,
        name: { kind: Kind.NAME as const, value: key },
        directives: value.directives?.map((each) => withArguments(each, { name: toText(key) })) ?? [],
      })),
  ]);
  return { ...definition, ...(values !== undefined && { values }) };
}
