import type { DefinitionNode, DocumentNode, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { Kind, OperationTypeNode, parse, print } from 'graphql';
import type { IResolvers } from '@graphql-tools/utils';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { entityTypeNames } from './entity-types';
import { definitionKey, federationDefinitions } from './federation-definitions';
import { parseFederationLink } from './federation-link';
import type { References } from './resolve-entities';
import { entityTypeName, resolveEntities } from './resolve-entities';

export interface SubgraphOptions<Context> {
  /** SDL with `@link(url: "https://specs.apollo.dev/federation/v2.…")`; the federation definitions may be omitted. */
  readonly typeDefs: string | DocumentNode;
  readonly resolvers?: IResolvers<unknown, Context> | readonly IResolvers<unknown, Context>[];
  readonly references?: References<Context>;
  /** The result of `_service { sdl }` when it is not `typeDefs` itself: the same graph in another form. */
  readonly publishedSdl?: string;
}

export interface Subgraph {
  /** Executable, with `_service` and, when there is an entity, `_entities`. */
  readonly schema: GraphQLSchema;
  /** The result of `_service { sdl }`: the author's SDL with its `@link` and every directive. */
  readonly sdl: string;
}

/**
 * Builds a Federation 2 subgraph from any SDL and resolvers.
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 * @throws Error when the SDL links no Federation 2 specification, or does not make a schema.
 */
export function buildSubgraph<Context = unknown>({
  typeDefs,
  resolvers = {},
  references = {},
  publishedSdl,
}: SubgraphOptions<Context>): Subgraph {
  // makeExecutableSchema modifies the nodes it is given, so they are printed first and parsed again.
  const definitions = typeof typeDefs === 'string' ? print(parse(typeDefs)) : print(typeDefs);
  const sdl = publishedSdl ?? definitions;
  const document = parse(definitions, { noLocation: true });
  const link = parseFederationLink(document);
  if (link === undefined) {
    throw new Error('Expected a Federation 2 subgraph: @link(url: "https://specs.apollo.dev/federation/v2.…").');
  }
  const entities = entityTypeNames(document, link.nameOf('@key').slice(1));
  const queryName = queryTypeName(document);
  const schema = makeExecutableSchema({
    typeDefs: {
      kind: Kind.DOCUMENT,
      definitions: completed([...document.definitions, ...machinery(entities, queryName)], federationDefinitions(link)),
    },
    resolvers: [
      ...[resolvers].flat(),
      {
        [queryName]: {
          _service: () => ({ sdl }),
          ...(entities.length > 0 && {
            _entities: (
              _: unknown,
              { representations }: { representations: readonly unknown[] },
              context: Context,
              info: GraphQLResolveInfo,
            ) => resolveEntities(representations, references, context, info),
          }),
        },
        ...(entities.length > 0 && { _Entity: { __resolveType: entityTypeName } }),
      },
    ],
  });
  return { schema, sdl };
}

function machinery(entities: readonly string[], queryName: string): readonly DefinitionNode[] {
  const sdl =
    entities.length === 0
      ? `type _Service { sdl: String! } extend type ${queryName} { _service: _Service! }`
      : `type _Service { sdl: String! }
         scalar _Any
         union _Entity = ${entities.join(' | ')}
         extend type ${queryName} { _service: _Service! _entities(representations: [_Any!]!): [_Entity]! }`;
  return parse(sdl, { noLocation: true }).definitions;
}

function queryTypeName(document: DocumentNode): string {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.SCHEMA_DEFINITION && definition.kind !== Kind.SCHEMA_EXTENSION) continue;
    const query = definition.operationTypes?.find((type) => type.operation === OperationTypeNode.QUERY);
    if (query !== undefined) return query.type.name.value;
  }
  return 'Query';
}

const baseKinds = {
  [Kind.SCALAR_TYPE_EXTENSION]: Kind.SCALAR_TYPE_DEFINITION,
  [Kind.OBJECT_TYPE_EXTENSION]: Kind.OBJECT_TYPE_DEFINITION,
  [Kind.INTERFACE_TYPE_EXTENSION]: Kind.INTERFACE_TYPE_DEFINITION,
  [Kind.UNION_TYPE_EXTENSION]: Kind.UNION_TYPE_DEFINITION,
  [Kind.ENUM_TYPE_EXTENSION]: Kind.ENUM_TYPE_DEFINITION,
  [Kind.INPUT_OBJECT_TYPE_EXTENSION]: Kind.INPUT_OBJECT_TYPE_DEFINITION,
} as const;

/**
 * Adds what a subgraph may omit but a schema may not: the federation definitions, and for `extend type X` of another
 * subgraph's X an empty definition to extend.
 */
function completed(own: readonly DefinitionNode[], federation: readonly DefinitionNode[]): readonly DefinitionNode[] {
  const known = new Set(own.filter((definition) => !(definition.kind in baseKinds)).map(definitionKey));
  const bases: DefinitionNode[] = [];
  for (const definition of own) {
    if (!isTypeExtension(definition) || known.has(definition.name.value)) continue;
    known.add(definition.name.value);
    bases.push({ kind: baseKinds[definition.kind], name: definition.name });
  }
  return [...own, ...bases, ...federation.filter((definition) => !known.has(definitionKey(definition)))];
}

type TypeExtension = Extract<DefinitionNode, { readonly kind: keyof typeof baseKinds }>;
const isTypeExtension = (definition: DefinitionNode): definition is TypeExtension => definition.kind in baseKinds;
