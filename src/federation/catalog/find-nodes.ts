import DataLoader from 'dataloader';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import { isTypeDefinitionNode, parse } from 'graphql';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { createPlainOperationMaker } from '../../graph/operations';
import type { LocalGraph } from '../../graph/create-graph';
import type { GraphqlContext } from '../../graph/operations';
import { toPublicError } from '../../graph/to-public-error';
import { directivesOf, textOf } from '../sdl-nodes';
import { supergraphGraphs } from '../supergraph/supergraph-graphs';
import { nodesName } from './check-catalog-part';
import { nodesSdl } from './composed-nodes';
import { getOrMake } from '../../common/once';

/** The type of each id; null where there is no such object, an Error where it must not be disclosed. */
type TypesOf = (ids: readonly string[], context: unknown) => Promise<readonly (string | null | Error)[]>;

/**
 * The subgraph of nodes for execution, of a supergraph that may include it. It answers the type of each id; the object
 * itself is then fetched from the subgraphs that define the type.
 */
export function runnableNodes(supergraph: DocumentNode, typesOf: TypesOf): GraphQLSchema | undefined {
  const key = supergraphGraphs(supergraph).find(({ name }) => name === nodesName)?.key;
  if (key === undefined) return undefined;
  const types = supergraph.definitions.filter(isTypeDefinitionNode).flatMap((type) => {
    const isNode = directivesOf(type, 'join__type').some(
      (join) => textOf(join, 'graph') === key && textOf(join, 'key') === 'id',
    );
    return isNode ? [type.name.value] : [];
  });
  const find = async (ids: readonly string[], context: unknown) =>
    (await typesOf(ids, context)).map((type, index) => {
      if (type instanceof Error) return type;
      return type !== null && types.includes(type) ? { __typename: type, id: ids[index] } : null;
    });
  return makeExecutableSchema({
    typeDefs: nodesSdl(types),
    resolvers: {
      Node: { __resolveType: ({ __typename }: { readonly __typename: string }) => __typename },
      Query: {
        node: async (_, { id }: { readonly id: string }, context) => (await find([id], context))[0],
        nodes: (_, { ids }: { readonly ids: readonly string[] }, context) => find(ids, context),
      },
    },
    assumeValidSDL: true,
  });
}

const typesQuery = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }';

/**
 * Determines the types of ids. The catalog is queried first, because its ids do not contain a type. An id that it does
 * not find may belong to another subgraph, in Relay's usual form. Ids requested together become one operation, and an
 * object for which the caller lacks the scope is refused just as without federation (D26).
 */
export function createNodeTypes(graph: Pick<LocalGraph, 'schema' | 'execute'>): TypesOf {
  const operation = createPlainOperationMaker(graph.schema)(typesQuery, parse(typesQuery, { noLocation: true }));
  const loaders = new WeakMap<object, DataLoader<string, string | null>>();

  const find = async (ids: readonly string[], { principal, cancellation }: GraphqlContext) => {
    const { data, errors = [] } = await graph.execute(operation, principal, { ids }, cancellation);
    const nodes = (data?.['nodes'] ?? []) as readonly ({ readonly __typename: string } | null)[];
    const refusals = new Map(errors.map((error) => [error.path?.[1], toPublicError(error)]));
    // An error of the list, not of an item, applies to each item.
    return ids.map((id, index) => {
      const refusal = refusals.get(index) ?? refusals.get(undefined);
      return refusal ?? nodes[index]?.__typename ?? typeOfGlobalId(id);
    });
  };

  return (ids, context) => {
    const known = context as GraphqlContext;
    return getOrMake(loaders, known, () => new DataLoader((keys) => find(keys, known))).loadMany(ids);
  };
}

/** Relay's usual form of a global id: base64 of `Type:key`. */
export const typeOfGlobalId = (id: string): string | null =>
  /^([A-Za-z_]\w*):/.exec(Buffer.from(id, 'base64url').toString('latin1'))?.[1] ?? null;
