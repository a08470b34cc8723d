import type {
  CatalogClient,
  MirroredObject,
  MirrorOptions,
  MirrorReport,
  OrderDetails,
  ProductDetails,
  RemovedObject,
} from '../../client/src/index.ts';

/** A copy as a program stores it: its content and cursor outlive the program. */
export class Copy {
  readonly objects = new Map<string, MirroredObject>();
  cursor: string | undefined;
  restarts = 0;

  constructor(readonly client: CatalogClient) {}

  /**
   * @param mayKill called at every point where the program may end, and throws to end it
   * @param options of the mirror
   */
  pull(mayKill: () => void = () => undefined, options: Partial<MirrorOptions> = {}): Promise<MirrorReport> {
    return this.client.mirror({
      cursor: this.cursor,
      apply: (objects) => {
        for (const object of objects) {
          mayKill();
          this.objects.set(`${object.type} ${object.object.id}`, object);
        }
        mayKill();
      },
      remove: (objects: readonly RemovedObject[]) => {
        for (const { type, id } of objects) {
          mayKill();
          this.objects.delete(`${type} ${id}`);
        }
        mayKill();
      },
      saveCursor: (cursor) => {
        mayKill();
        this.cursor = cursor;
        mayKill();
      },
      restart: () => {
        this.restarts += 1;
        mayKill();
        this.cursor = undefined;
        this.objects.clear();
        mayKill();
      },
      ...options,
    });
  }

  state(): readonly MirroredObject[] {
    return inOrder([...this.objects.values()]);
  }
}

const inOrder = (objects: readonly MirroredObject[]): readonly MirroredObject[] =>
  [...objects].sort((a, b) => (`${a.type} ${a.object.id}` < `${b.type} ${b.object.id}` ? -1 : 1));

/** What the feed has in addition to REST's members, for objects without any of it. */
export const beyondRest = {
  product: { url: null, images: [], memberships: [] },
  collection: {},
  order: { line_items: [] },
} as const;

const more = {
  products:
    'url images { url alt_text: altText position } memberships { collection_external_id: collectionExternalId position }',
  orders:
    'line_items: lineItems { title sku quantity unit_price: unitPrice total product_external_id: productExternalId variant_external_id: variantExternalId }',
  collections: 'products(first: 200) { nodes { id } }',
} as const;

interface Page<Own> {
  readonly nodes: readonly (Own & { readonly id: string })[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
}

/** What GraphQL returns for each object of a list, by id. */
async function readMore<Own extends object>(
  client: CatalogClient,
  list: keyof typeof more,
): Promise<ReadonlyMap<string, Own>> {
  const found = new Map<string, Own>();
  for (let after: string | null = null, hasMore = true; hasMore;) {
    const document = `query ($after: String) { page: ${list}(after: $after, first: 20) { nodes { id ${more[list]} } pageInfo { hasNextPage endCursor } } }`;
    const { page }: { page: Page<Own> } = await client.graphql(document, { after });
    for (const { id, ...own } of page.nodes) found.set(id, own as unknown as Own);
    ({ hasNextPage: hasMore, endCursor: after } = page.pageInfo);
  }
  return found;
}

/** What REST returns for the shop, plus the feed's additional members as GraphQL returns them. */
export async function readSource(client: CatalogClient): Promise<readonly MirroredObject[]> {
  const objects: MirroredObject[] = [];
  const ofProducts = await readMore<ProductDetails>(client, 'products');
  for await (const object of client.products.list()) {
    objects.push({ type: 'product', object: { ...object, ...(ofProducts.get(object.id) as ProductDetails) } });
    for (const variant of (await client.products.get(object.id)).variants) {
      objects.push({ type: 'variant', object: { ...variant, product_id: object.id } });
    }
  }
  for await (const object of client.collections.list()) objects.push({ type: 'collection', object });
  const ofOrders = await readMore<OrderDetails>(client, 'orders');
  for await (const object of client.orders.list())
    objects.push({ type: 'order', object: { ...object, ...(ofOrders.get(object.id) as OrderDetails) } });
  return inOrder(objects);
}

/** The product ids of each collection, in order. A copy derives them from the memberships of its products. */
export function membersOf(state: readonly MirroredObject[]): Readonly<Record<string, readonly string[]>> {
  const products = state.flatMap((each) => (each.type === 'product' ? [each.object] : []));
  const collections = state.flatMap((each) => (each.type === 'collection' ? [each.object] : []));
  const ofEach = collections.map(({ id, external_id: name }) => {
    const placed = products.flatMap(({ id: product, memberships }) => {
      const own = memberships.filter((each) => each.collection_external_id === name);
      return own.length === 0 ? [] : [{ product, place: Math.min(...own.map(({ position }) => position ?? Infinity)) }];
    });
    placed.sort((a, b) => (a.place === b.place ? (a.product < b.product ? -1 : 1) : a.place - b.place));
    return [id, placed.map(({ product }) => product)] as const;
  });
  return Object.fromEntries(ofEach);
}

/** The same as GraphQL returns it. */
export async function readMembers(client: CatalogClient): Promise<Readonly<Record<string, readonly string[]>>> {
  const found = await readMore<{ products: { nodes: readonly { id: string }[] } }>(client, 'collections');
  return Object.fromEntries([...found].map(([id, { products }]) => [id, products.nodes.map((each) => each.id)]));
}
