import type { DocumentNode, GraphQLLeafType, GraphQLSchema } from 'graphql';
import { buildASTSchema, isAbstractType, isEnumType, isInterfaceType, isLeafType, isObjectType } from 'graphql';
import { directivesOf, flagOf, textOf } from '../sdl-nodes';
import type { ScalarParsers } from '../supergraph/public-schema';

/**
 * Whether an object of a named type satisfies a condition on a named type: is it, implements it or is a member of it.
 */
export type TypeCondition = (typeName: string | undefined, condition: string) => boolean;

/** Types that subgraphs may return: all types of a supergraph, including those hidden from clients. */
export interface AnswerTypes {
  readonly schema: GraphQLSchema;
  readonly isOfType: TypeCondition;
  readonly isAbstract: (typeName: string) => boolean;
  /** @returns the value as it is passed on; undefined when it is not of the type. */
  readLeaf(type: GraphQLLeafType, value: unknown): unknown;
  /** Whether an object may have that `__typename`: a type of the subgraph, and one that satisfies the declared type. */
  isPossible(typeName: string, declared: string, graphKey: string | undefined): boolean;
}

export function readAnswerTypes(supergraph: DocumentNode, scalars: ScalarParsers): AnswerTypes {
  const schema = buildASTSchema(supergraph, { assumeValidSDL: true });
  const leaves = new Map(
    Object.values(schema.getTypeMap())
      .filter(isLeafType)
      .map((type) => [type.name, leafReader(type, scalars)]),
  );
  const isOfType: TypeCondition = (typeName, condition) => {
    if (typeName === undefined || typeName === condition) return typeName === condition;
    const type = schema.getType(typeName);
    const abstract = schema.getType(condition);
    return (
      (isObjectType(type) || isInterfaceType(type)) && isAbstractType(abstract) && schema.isSubType(abstract, type)
    );
  };
  return {
    schema,
    isOfType,
    isAbstract: (typeName) => isAbstractType(schema.getType(typeName)),
    readLeaf: ({ name }, value) => leaves.get(name)?.(value),
    isPossible(typeName, declared, graphKey) {
      const type = schema.getType(typeName);
      if (!(isObjectType(type) || isInterfaceType(type)) || !isOfType(typeName, declared)) return false;
      const joins = directivesOf(type.astNode ?? {}, 'join__type');
      const own = joins.filter((join) => textOf(join, 'graph') === graphKey);
      if (isInterfaceType(type)) return own.some((join) => flagOf(join, 'isInterfaceObject'));
      return own.length > 0 || joins.length === 0;
    },
  };
}

type LeafReader = (value: unknown) => unknown;

const isInt = (value: unknown): boolean => Number.isInteger(value) && (value as number) === ((value as number) | 0);

/** Parses the values of the built-in GraphQL scalars (3.5) from JSON. */
const builtIn: Readonly<Record<string, LeafReader>> = {
  Int: (value) => (isInt(value) ? value : undefined),
  // 1e999 is JSON, and Infinity after parsing.
  Float: (value) => (Number.isFinite(value) ? value : undefined),
  String: (value) => (typeof value === 'string' ? value : undefined),
  Boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  // Servers with numeric ids return numbers; a result is a string.
  ID: (value) => (typeof value === 'string' ? value : Number.isSafeInteger(value) ? String(value) : undefined),
};

function leafReader(type: GraphQLLeafType, scalars: ScalarParsers): LeafReader {
  if (isEnumType(type)) return (value) => (typeof value === 'string' && type.getValue(value) ? value : undefined);
  const specified = Object.hasOwn(builtIn, type.name) ? builtIn[type.name] : undefined;
  if (specified !== undefined) return specified;
  const parser = Object.hasOwn(scalars, type.name) ? scalars[type.name] : undefined;
  return (value) => {
    try {
      return parser === undefined ? value : parser.parseValue(value);
    } catch {
      return undefined;
    }
  };
}
