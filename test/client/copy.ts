import type {
  CatalogClient,
  MirroredObject,
  MirrorOptions,
  MirrorReport,
  RemovedObject,
} from '../../client/src/index.ts';

/** A copy as a program keeps it: what is in it, and the cursor, outlive the program. */
export class Copy {
  readonly objects = new Map<string, MirroredObject>();
  cursor: string | undefined;
  restarts = 0;

  constructor(readonly client: CatalogClient) {}

  /**
   * @param mayKill called wherever the program may end: it throws then
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

/** What the feed has beyond the members of REST, of objects without any of these. */
export const beyondRest = {
  product: { url: null, images: [], memberships: [] },
  collection: {},
  order: { line_items: [] },
} as const;

/** What REST answers of the shop, with what the feed has beyond it. */
export async function readSource(client: CatalogClient): Promise<readonly MirroredObject[]> {
  const objects: MirroredObject[] = [];
  for await (const object of client.products.list()) {
    objects.push({ type: 'product', object: { ...object, ...beyondRest.product } });
    for (const variant of (await client.products.get(object.id)).variants) {
      objects.push({ type: 'variant', object: { ...variant, product_id: object.id } });
    }
  }
  for await (const object of client.collections.list()) objects.push({ type: 'collection', object });
  for await (const object of client.orders.list())
    objects.push({ type: 'order', object: { ...object, ...beyondRest.order } });
  return inOrder(objects);
}
