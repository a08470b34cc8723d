import type {
  ConstDirectiveNode,
  DocumentNode,
  ObjectTypeDefinitionNode,
  OperationTypeNode,
  TypeDefinitionNode,
  TypeNode,
} from 'graphql';
import { isTypeDefinitionNode, Kind } from 'graphql';
import type { ScalarParsers } from '../supergraph/public-schema';
import { rootTypes } from '../supergraph/root-types';
import { directivesOf, flagOf, textOf } from '../sdl-nodes';

/** The type of a field's value. */
export type AnswerType =
  | { readonly isList: true; readonly isNonNull: boolean; readonly item: AnswerType }
  | { readonly isList: false; readonly isNonNull: boolean; readonly named: NamedAnswerType };

export type NamedAnswerType =
  | { readonly kind: 'object' | 'abstract'; readonly name: string }
  | {
      readonly kind: 'leaf';
      readonly name: string;
      /** @returns the value as it is passed on; undefined when it is not of the type. */
      readonly read: (value: unknown) => unknown;
    };

/**
 * The supergraph's definitions of the values that its subgraphs may return: of all its types, including those that
 * clients do not see.
 */
export interface AnswerTypes {
  /** The name of the operation type. */
  rootType(operation: OperationTypeNode): string;
  fieldType(typeName: string, fieldName: string): AnswerType | undefined;
  readonly isAbstract: (typeName: string) => boolean;
  /** Whether the first type is the second, implements it or is a member of it. */
  isSubtype(typeName: string, of: string): boolean;
  /** Whether an object may have that `__typename`: a type of the subgraph, and one that satisfies the declared type. */
  isPossible(typeName: string, declared: string, graphKey: string | undefined): boolean;
}

export function readAnswerTypes(supergraph: DocumentNode, scalars: ScalarParsers = {}): AnswerTypes {
  const definitions = new Map<string, TypeDefinitionNode>();
  for (const definition of supergraph.definitions.filter(isTypeDefinitionNode)) {
    definitions.set(definition.name.value, definition);
  }
  const roots = rootTypes(supergraph);
  const namedTypes = new Map<string, NamedAnswerType>();
  const fieldTypes = new Map<string, Map<string, AnswerType>>();

  function namedType(name: string): NamedAnswerType {
    const known = namedTypes.get(name);
    if (known !== undefined) return known;
    const type = toNamedType(name, definitions.get(name), scalars);
    namedTypes.set(name, type);
    return type;
  }

  function toAnswerType(type: TypeNode, isNonNull = false): AnswerType {
    if (type.kind === Kind.NON_NULL_TYPE) return toAnswerType(type.type, true);
    if (type.kind === Kind.LIST_TYPE) return { isList: true, isNonNull, item: toAnswerType(type.type) };
    return { isList: false, isNonNull, named: namedType(type.name.value) };
  }

  function fieldsOf(typeName: string): Map<string, AnswerType> {
    const known = fieldTypes.get(typeName);
    if (known !== undefined) return known;
    const definition = definitions.get(typeName);
    const fields = new Map(
      (isComposite(definition) ? (definition.fields ?? []) : []).map(
        ({ name, type }) => [name.value, toAnswerType(type)] as const,
      ),
    );
    fieldTypes.set(typeName, fields);
    return fields;
  }

  const isSubtype = (typeName: string, of: string): boolean => {
    if (typeName === of) return true;
    const type = definitions.get(typeName);
    if (isComposite(type) && type.interfaces?.some(({ name }) => name.value === of)) return true;
    const union = definitions.get(of);
    return (
      union?.kind === Kind.UNION_TYPE_DEFINITION && (union.types?.some(({ name }) => name.value === typeName) ?? false)
    );
  };

  return {
    rootType: (operation) => roots.get(operation) ?? '',
    fieldType: (typeName, fieldName) => fieldsOf(typeName).get(fieldName),
    isAbstract: (typeName) => {
      const kind = definitions.get(typeName)?.kind;
      return kind === Kind.INTERFACE_TYPE_DEFINITION || kind === Kind.UNION_TYPE_DEFINITION;
    },
    isSubtype,
    isPossible(typeName, declared, graphKey) {
      const definition = definitions.get(typeName);
      if (!isComposite(definition) || !isSubtype(typeName, declared)) return false;
      const joins = directivesOf(definition, 'join__type');
      const own = joins.filter((join) => textOf(join, 'graph') === graphKey);
      if (definition.kind === Kind.INTERFACE_TYPE_DEFINITION) return own.some(isInterfaceObject);
      return own.length > 0 || joins.length === 0;
    },
  };
}

const isInterfaceObject = (join: ConstDirectiveNode): boolean => flagOf(join, 'isInterfaceObject');

type Composite = ObjectTypeDefinitionNode | Extract<TypeDefinitionNode, { kind: Kind.INTERFACE_TYPE_DEFINITION }>;

const isComposite = (definition: TypeDefinitionNode | undefined): definition is Composite =>
  definition?.kind === Kind.OBJECT_TYPE_DEFINITION || definition?.kind === Kind.INTERFACE_TYPE_DEFINITION;

function toNamedType(
  name: string,
  definition: TypeDefinitionNode | undefined,
  scalars: ScalarParsers,
): NamedAnswerType {
  switch (definition?.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
      return { kind: 'object', name };
    case Kind.INTERFACE_TYPE_DEFINITION:
    case Kind.UNION_TYPE_DEFINITION:
      return { kind: 'abstract', name };
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = new Set<unknown>(definition.values?.map((value) => value.name.value));
      return { kind: 'leaf', name, read: (value) => (values.has(value) ? value : undefined) };
    }
    default:
      return { kind: 'leaf', name, read: scalarReader(name, scalars) };
  }
}

const maxInt = 2 ** 31 - 1;

/** Parses the values of the built-in GraphQL scalars (3.5) from JSON. */
const builtIn: Readonly<Record<string, (value: unknown) => unknown>> = {
  Int: (value) => (Number.isInteger(value) && Math.abs(value as number) <= maxInt ? value : lowestInt(value)),
  // 1e999 is JSON, and Infinity after parsing.
  Float: (value) => (Number.isFinite(value) ? value : undefined),
  String: (value) => (typeof value === 'string' ? value : undefined),
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  // Servers that store numbers as ids return numbers; a result is text.
  ID: (value) => (typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined),
};

const lowestInt = (value: unknown): unknown => (value === -maxInt - 1 ? value : undefined);

function scalarReader(name: string, scalars: ScalarParsers): (value: unknown) => unknown {
  const specified = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
  if (specified !== undefined) return specified;
  const parser = Object.hasOwn(scalars, name) ? scalars[name] : undefined;
  if (parser === undefined) return (value) => value;
  return (value) => {
    try {
      return parser.parseValue(value);
    } catch {
      return undefined;
    }
  };
}
