import { fc } from '../support/properties';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedProduct, seedShop } from '../support/seed';
import { useService } from '../support/service';

const service = useService({ rateLimit: 100_000 });

interface Node {
  readonly id: string;
}

interface Page {
  readonly nodes: readonly Node[];
  readonly totalCount: number;
  readonly pageInfo: { readonly endCursor: string; readonly startCursor: string; readonly hasNextPage: boolean };
}

const page = 'totalCount nodes { id } pageInfo { startCursor endCursor hasNextPage }';
const idsOf = ({ nodes }: { readonly nodes: readonly Node[] }) => nodes.map(({ id }) => id);

async function seedMembers(places: readonly (number | null)[]) {
  const shop = await seedShop(service.sql);
  const { apiKey } = await seedApiKey(service.sql, shop);
  const summer = await seedCollection(service.sql, shop, { external_id: 'summer' });
  const products: { id: string; place: number | null }[] = [];
  for (const place of places) {
    const memberships = [{ collection_external_id: 'summer', position: place }];
    products.push({ id: await seedProduct(service.sql, shop, { memberships }), place });
  }
  const ask = async <Data>(query: string, variables: Record<string, unknown> = {}) => {
    const { data, errors } = await askGraphql<Data>(service.origin, apiKey, query, { id: summer, ...variables });
    expect(errors).toBeUndefined();
    return data;
  };
  return { shop, summer, products, ask };
}

const inOrder = (products: readonly { id: string; place: number | null }[]): string[] =>
  products
    .toSorted((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id);

describe('the products of a collection', () => {
  it('are in its order, then by id, forward and backward, whatever the size of the pages', async () => {
    const place = fc.oneof(fc.constant(null), fc.integer({ min: -2, max: 3 }));
    await fc.assert(
      fc.asyncProperty(fc.array(place, { maxLength: 7 }), fc.integer({ min: 1, max: 4 }), async (places, size) => {
        const { products, ask } = await seedMembers(places);
        for (const [first, after, end] of [
          ['first', 'after', 'endCursor'],
          ['last', 'before', 'startCursor'],
        ] as const) {
          const found: string[] = [];
          for (let cursor: string | null = null; found.length < products.length || cursor === null;) {
            const { collection }: { collection: { products: Page } } = await ask(
              `query ($id: ID!, $cursor: String) { collection(id: $id) { products(${first}: ${size}, ${after}: $cursor) { ${page} } } }`,
              { cursor },
            );
            const ids = idsOf(collection.products);
            expect(collection.products.totalCount).toBe(products.length);
            if (first === 'first') found.push(...ids);
            else found.unshift(...ids);
            if (ids.length === 0) break;
            cursor = collection.products.pageInfo[end];
          }
          expect(found).toEqual(inOrder(products));
        }
      }),
      { numRuns: 12 },
    );
  });

  it('are read for many collections, and each product lists its collections', async () => {
    const { shop, products, ask } = await seedMembers([1, 2]);
    await seedCollection(service.sql, shop, { external_id: 'winter' });
    await service.sql(
      `UPDATE products SET memberships = '[{"collection_external_id":"winter","position":null},{"collection_external_id":"summer","position":9},
         {"collection_external_id":"gone","position":1}]' WHERE id = $1`,
      [products[0]?.id],
    );
    const ids = products.map(({ id }) => id);
    const { collections } = await ask<{ collections: { nodes: { externalId: string; products: Page }[] } }>(
      `{ collections { nodes { externalId products(first: 1) { nodes { id collections { externalId } } } } } }`,
    );
    expect(collections.nodes).toEqual([
      { externalId: 'summer', products: { nodes: [{ id: ids[1], collections: [{ externalId: 'summer' }] }] } },
      {
        externalId: 'winter',
        products: { nodes: [{ id: ids[0], collections: [{ externalId: 'winter' }, { externalId: 'summer' }] }] },
      },
    ]);
  });

  it('are a change of the product and of its collections, old and new, when a membership changes', async () => {
    const { shop, summer, products, ask } = await seedMembers([1]);
    const winter = await seedCollection(service.sql, shop, { external_id: 'winter' });
    const changed = async (statement: string) => {
      const start = (await ask<{ shop: { changesCursor: string } }>('{ shop { changesCursor } }')).shop.changesCursor;
      await service.sql(statement, [products[0]?.id]);
      const { changes } = await ask<{ changes: { nodes: { type: string; id: string }[] } }>(
        'query ($start: String) { changes(after: $start) { nodes { type id } } }',
        { start },
      );
      return changes.nodes.map(({ id }) => id).sort();
    };
    const id = products[0]?.id ?? '';
    const moved = `UPDATE products SET memberships = '[{"collection_external_id":"winter","position":1}]' WHERE id = $1`;
    expect(await changed(moved)).toEqual([id, summer, winter].sort());
    expect(await changed(`UPDATE products SET title = 'Cup' WHERE id = $1`)).toEqual([id]);
    expect(await changed('UPDATE products SET deleted_at = now() WHERE id = $1')).toEqual([id, winter].sort());
    expect(await changed('UPDATE products SET deleted_at = NULL WHERE id = $1')).toEqual([id, winter].sort());
    expect(await changed('DELETE FROM products WHERE id = $1')).toEqual([id, winter].sort());
  });
});
