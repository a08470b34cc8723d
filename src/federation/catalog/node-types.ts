import DataLoader from 'dataloader';
import { parse } from 'graphql';
import { createPlainOperationMaker } from '../../graph/operations';
import type { GraphqlContext } from '../../graph/graphql-context';
import type { LocalGraph } from '../../graph/create-graph';
import { toPublicError } from '../../graph/to-public-error';
import type { NodeType } from './node-subgraph';
import { typeOfGlobalId } from './node-subgraph';

const source = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename } }';

/**
 * Determines the types of ids. The catalog is queried first, because its ids do not contain a type. An id that it does
 * not find may belong to another subgraph, in Relay's usual form. Ids requested together become one operation, and an
 * object for which the caller lacks the scope is refused as without federation (D26).
 */
export function createNodeTypes(graph: Pick<LocalGraph, 'schema' | 'execute'>) {
  const operation = createPlainOperationMaker(graph.schema)(source, parse(source, { noLocation: true }));
  const loaders = new WeakMap<object, DataLoader<string, NodeType>>();

  const find = async (
    ids: readonly string[],
    { principal, cancellation }: GraphqlContext,
  ): Promise<readonly NodeType[]> => {
    const { data, errors = [] } = await graph.execute(operation, principal, { ids }, cancellation);
    const nodes = (data?.['nodes'] ?? []) as readonly ({ readonly __typename: string } | null)[];
    const refusals = new Map(errors.map((error) => [error.path?.[1], toPublicError(error)]));
    // An error of the list, not of an item, applies to each item.
    return ids.map((id, index) => {
      const refusal = refusals.get(index) ?? refusals.get(undefined);
      return refusal ?? nodes[index]?.__typename ?? typeOfGlobalId(id);
    });
  };

  return async (ids: readonly string[], context: unknown): Promise<readonly NodeType[]> => {
    const known = context as GraphqlContext;
    const loader = loaders.get(known) ?? new DataLoader<string, NodeType>((keys) => find(keys, known));
    loaders.set(known, loader);
    return loader.loadMany(ids);
  };
}
