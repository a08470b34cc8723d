import type { ConstDirectiveNode, DefinitionNode, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { isInterfaceType, Kind, OperationTypeNode, parse, print } from 'graphql';
import type { IResolvers } from '@graphql-tools/utils';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { flagOf, rootTypes } from '../../../src/federation/sdl-nodes';

type Representation = Readonly<Record<string, unknown>> & { readonly __typename: string };

export interface SubgraphOptions {
  /** SDL that links Federation 2, whose definitions may be omitted. */
  readonly typeDefs: string;
  readonly resolvers?: IResolvers;
  /** By type name. For a type without a resolver, the representation itself is the entity. */
  readonly references?: Readonly<Record<string, (representation: Representation, context: unknown) => unknown>>;
}

export interface Subgraph {
  readonly schema: GraphQLSchema;
  /** The result of `_service { sdl }`. */
  readonly sdl: string;
}

/** A subgraph with any SDL and resolvers, as other teams build them. */
export function buildSubgraph({ typeDefs, resolvers = {}, references = {} }: SubgraphOptions): Subgraph {
  const sdl = print(parse(typeDefs));
  const document = parse(sdl, { noLocation: true });
  const query = rootTypes(document).get(OperationTypeNode.QUERY) ?? 'Query';
  const entities = entityNames(document.definitions);
  const own = withBases([
    ...document.definitions,
    ...parse(`extend type ${query} { _service: _Service! }`).definitions,
  ]);
  const federation = [
    'type _Service { sdl: String! }',
    ...(entities.length === 0
      ? []
      : [
          'scalar _Any',
          `union _Entity = ${entities.join(' | ')}`,
          `extend type ${query} { _entities(representations: [_Any!]!): [_Entity]! }`,
        ]),
  ].join('\n');
  const find = async (representation: Representation, context: unknown, info: GraphQLResolveInfo) => {
    const type = info.schema.getType(representation.__typename);
    /** An object requested as an interface may state its own type. */
    const nameOf = (object: object): unknown => {
      const own = (object as { readonly __typename?: string }).__typename ?? representation.__typename;
      return isInterfaceType(type) && own === type.name ? type.resolveType?.(object, context, info, type) : own;
    };
    const reference = references[representation.__typename] ?? references[String(nameOf(representation))];
    const found = reference === undefined ? representation : await reference(representation, context);
    return found === null || found === undefined ? null : { ...found, __typename: nameOf(found) };
  };
  const schema = makeExecutableSchema<unknown>({
    typeDefs: [{ kind: Kind.DOCUMENT, definitions: own }, federation],
    resolvers: [
      resolvers,
      {
        [query]: {
          _service: () => ({ sdl }),
          ...(entities.length > 0 && {
            _entities: (
              _: unknown,
              { representations }: { representations: readonly Representation[] },
              context: unknown,
              info: GraphQLResolveInfo,
            ) =>
              Promise.all(representations.map((each) => find(each, context, info).catch((thrown: unknown) => thrown))),
          }),
        },
      },
      ...(entities.length > 0
        ? [{ _Entity: { __resolveType: ({ __typename }: { readonly __typename: string }) => __typename } }]
        : []),
    ],
    assumeValidSDL: true,
  });
  return { schema, sdl };
}

type Keyable = Extract<DefinitionNode, { readonly interfaces?: unknown }>;

/** The object types with a resolvable `@key`, whatever name it is linked under, and those of an interface with one. */
function entityNames(definitions: readonly DefinitionNode[]): readonly string[] {
  const types = definitions.filter((definition): definition is Keyable =>
    /^(Object|Interface)Type/.test(definition.kind),
  );
  const isKey = (each: ConstDirectiveNode) => /(^|__)key$/.test(each.name.value) && flagOf(each, 'resolvable', true);
  const keyed = new Set(types.filter((type) => type.directives?.some(isKey)).map(({ name }) => name.value));
  const names = types
    .filter(({ kind }) => kind.startsWith('Object'))
    .filter(({ name, interfaces = [] }) =>
      [name, ...interfaces.map((each) => each.name)].some((each) => keyed.has(each.value)),
    )
    .map(({ name }) => name.value);
  return [...new Set(names)];
}

/** `extend type X` defines X when X belongs to another subgraph. */
function withBases(definitions: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const isExtension = (definition: DefinitionNode) => definition.kind.endsWith('TypeExtension');
  const nameOf = (definition: DefinitionNode) => ('name' in definition ? definition.name?.value : undefined);
  const known = new Set(definitions.filter((definition) => !isExtension(definition)).map(nameOf));
  return definitions.map((definition) => {
    const name = nameOf(definition);
    if (!isExtension(definition) || known.has(name)) return definition;
    known.add(name);
    return { ...definition, kind: definition.kind.replace('Extension', 'Definition') } as DefinitionNode;
  });
}
