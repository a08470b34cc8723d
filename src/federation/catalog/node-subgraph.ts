import type { DefinitionNode, DocumentNode } from 'graphql';
import { Kind, parse } from 'graphql';
import type { SubgraphDefinition } from '../supergraph/compose-subgraphs';
import type { Subgraph } from './build-subgraph';
import { buildSubgraph } from './build-subgraph';
import { isResolvableKey } from './entity-types';
import { parseFederationLink, textArgument } from './federation-link';

export interface NodeSubgraphOptions {
  /** The subgraphs whose node types are included; or the names of the types. */
  readonly subgraphs?: readonly SubgraphDefinition[];
  readonly types?: ReadonlySet<string>;
  /** The subgraph whose `node` and `nodes` are overridden; none when no subgraph has them. */
  readonly overrides?: string | undefined;
  /**
   * Returns the type of each id, one of the given types; null where there is no such object, an Error where it must not
   * be disclosed. The object itself is then fetched from the subgraphs that define the type.
   */
  readonly typesOf: (
    ids: readonly string[],
    context: unknown,
    types: ReadonlySet<string>,
  ) => readonly NodeType[] | Promise<readonly NodeType[]>;
}

export type NodeType = string | null | Error;

/**
 * A subgraph that resolves `node(id)` and `nodes(ids)` for the types of all subgraphs: every type that implements Node
 * and has the key `id`. Without it, these fields reach only the types of the one subgraph that resolves them.
 */
export function buildNodeSubgraph({ subgraphs = [], overrides, typesOf, ...options }: NodeSubgraphOptions): Subgraph {
  const types = options.types ?? new Set(subgraphs.flatMap(({ sdl }) => nodeTypesOf(parse(sdl, { noLocation: true }))));
  const override = overrides === undefined ? '' : `@override(from: ${JSON.stringify(overrides)})`;
  const entities = async (ids: readonly string[], context: unknown) => {
    const found = await typesOf(ids, context, types);
    return ids.map((id, index) => {
      const type = found[index];
      if (type instanceof Error) return type;
      return type != null && types.has(type) ? { __typename: type, id } : null;
    });
  };
  return buildSubgraph({
    typeDefs: `
      extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@override"])
      interface Node { id: ID! }
      ${[...types].map((type) => `type ${type} implements Node @key(fields: "id", resolvable: false) { id: ID! }`).join('\n')}
      type Query { node(id: ID!): Node ${override} nodes(ids: [ID!]!): [Node]! ${override} }`,
    resolvers: {
      Node: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
      Query: {
        node: async (_: unknown, { id }: { id: string }, context: unknown) =>
          (await entities([id], context))[0] ?? null,
        nodes: (_: unknown, { ids }: { ids: readonly string[] }, context: unknown) => entities(ids, context),
      },
    },
  });
}

/**
 * Relay's usual form of a global id: base64 of `Type:key`. For `typesOf`, where subgraphs create their ids this way.
 */
export function typeOfGlobalId(id: string): string | null {
  return /^([A-Za-z_]\w*):/.exec(Buffer.from(id, 'base64url').toString('latin1'))?.[1] ?? null;
}

/** The types of a subgraph that implement Node and have the key `id`. */
export function nodeTypesOf(document: DocumentNode): readonly string[] {
  const keyName = parseFederationLink(document)?.nameOf('@key').slice(1) ?? 'key';
  return document.definitions.filter(isObjectType).flatMap(({ name, interfaces, directives }) => {
    const isNode = interfaces?.some((type) => type.name.value === 'Node') ?? false;
    const hasIdKey = directives?.some(
      (directive) => isResolvableKey(directive, keyName) && textArgument(directive, 'fields')?.trim() === 'id',
    );
    return isNode && hasIdKey ? [name.value] : [];
  });
}

type ObjectType = Extract<DefinitionNode, { readonly kind: Kind.OBJECT_TYPE_DEFINITION | Kind.OBJECT_TYPE_EXTENSION }>;
const isObjectType = (definition: DefinitionNode): definition is ObjectType =>
  definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
