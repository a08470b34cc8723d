/* global fetch */
import { assertSame } from './oracle.mjs';

const query = `query($after: String) { products(first: 200, after: $after) {
  edges { cursor node { id createdAt } } pageInfo { hasNextPage endCursor } } }`;

/**
 * Paginates through all products of a shop and compares the result with the oracle: every product once, oldest first.
 * @returns the ids in order, and every `step`th position with the cursor that our API returns for it
 */
export async function walkProducts(origin, key, oracle, shopId, step) {
  const ids = [];
  const positions = [];
  for (let after = null, isMore = true; isMore;) {
    const response = await fetch(`${origin}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { after } }),
    });
    const { data, errors } = await response.json();
    if (errors) throw new Error(`WRONG RESPONSE: walking the products: ${JSON.stringify(errors)}`);
    const { edges, pageInfo } = data.products;
    for (const { cursor, node } of edges) {
      if (ids.length % step === step - 1) positions.push({ index: ids.length, cursor, ...node });
      ids.push(node.id);
    }
    after = pageInfo.endCursor;
    isMore = pageInfo.hasNextPage;
  }
  const expected = await oracle.ids(shopId);
  if (ids.join() !== expected.join()) assertSame('the walk over all products', ids, expected);
  return { ids, positions };
}
