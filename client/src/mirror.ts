import { CatalogError, isCatalogError } from './errors.ts';
import type { Clock } from './clock.ts';
import type { RunGraphql } from './graphql.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Collection, Order, Product, Variant } from './types.ts';

/** What can be mirrored, each with the members that the REST API gives it. */
interface MirroredTypes {
  readonly product: Product;
  readonly variant: Variant & {
    /** `id` of the product that it is a version of. */
    readonly product_id: string;
  };
  readonly collection: Collection;
  readonly order: Order;
}

export type MirroredType = keyof MirroredTypes;

/** An object in its latest state. */
export type MirroredObject = {
  readonly [Type in MirroredType]: { readonly type: Type; readonly object: MirroredTypes[Type] };
}[MirroredType];

/** An object that readers of the shop do not see any more: deleted, or hidden by the plan's product limit. */
export interface RemovedObject {
  readonly type: MirroredType;
  readonly id: string;
  readonly external_id: string;
}

export interface MirrorOptions extends CallOptions {
  /**
   * Writes objects to the copy, over those of the same type and id. May be called again with what it has written already. A variant may
   * come before its product.
   */
  apply(objects: readonly MirroredObject[]): void | Promise<void>;
  /** Removes objects from the copy; some may never have been there. Called before `apply` where a page has both. */
  remove(objects: readonly RemovedObject[]): void | Promise<void>;
  /** Stores where to continue, after everything before it was applied. */
  saveCursor(cursor: string): void | Promise<void>;
  /** What was saved last; everything is read when it is absent. */
  readonly cursor?: string | undefined;
  /**
   * Empties the copy. Called before everything is read: without a cursor, and when the service has gone back to an earlier state of the shop
   * (a backup was restored). Without it, the latter throws RESYNC_REQUIRED, and nothing is read from an export: an export does not say what
   * an older copy has too much.
   */
  restart?(): void | Promise<void>;
  /** Of which types; all that the credential's scopes allow when it is absent. A cursor belongs to its types. */
  readonly types?: readonly MirroredType[] | undefined;
  /** Objects per page, 1 to 200; 200 when it is absent, which takes the fewest calls. */
  readonly pageSize?: number | undefined;
  /** Continues to poll for changes this often, until the signal ends it. Without it the mirror ends when the copy is current. */
  readonly pollEveryMs?: number | undefined;
}

export interface MirrorReport {
  readonly cursor: string;
  readonly applied: number;
  readonly removed: number;
}

/** Members of two types with the same name must be alike, or one of them has another name. */
const changesDocument = `query Mirror($after: String, $first: Int, $types: [ObjectType!]) {
  changes(after: $after, first: $first, types: $types) {
    nodes {
      type id externalId deleted
      node {
        ... on Product {
          handle title status vendor productType tags descriptionHtml seoTitle seoDescription imageUrl variantCount minPrice maxPrice
          totalStock publishedAt createdAt updatedAt
        }
        ... on Variant {
          ownTitle: title sku barcode price compareAtPrice costPrice inventoryQuantity weight weightUnit position imageUrl
          options { name value } createdAt updatedAt product { id }
        }
        ... on Collection {
          title handle descriptionHtml published collectionType productsCount imageUrl seoTitle seoDescription
          ownCreatedAt: createdAt ownUpdatedAt: updatedAt
        }
        ... on Order {
          orderNumber customerName currency totalPrice subtotalPrice totalTax totalShipping financialStatus fulfillmentStatus itemsCount
          tags ownCreatedAt: createdAt ownUpdatedAt: updatedAt
        }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Change {
  readonly type: Uppercase<MirroredType>;
  readonly id: string;
  readonly externalId: string;
  readonly deleted: boolean;
  readonly node: Readonly<Record<string, unknown>> | null;
}

interface ChangesData {
  readonly changes: {
    readonly nodes: readonly Change[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const largestPage = 200;

interface MirrorParts {
  readonly origin: string;
  readonly graphql: RunGraphql;
  readonly transport: Pick<Transport, 'stream'>;
  readonly sleep: Clock['sleep'];
}

/**
 * Makes a copy of the shop, or brings one up to date: the change feed from the saved cursor on. Without one, an export and the feed behind
 * it, or the feed from its start, where it has every object once. Killed anywhere, it continues from the cursor that was saved last.
 */
export async function runMirror(
  { origin, graphql, transport, sleep }: MirrorParts,
  options: MirrorOptions,
): Promise<MirrorReport> {
  const { signal, pollEveryMs, pageSize = largestPage } = options;
  const types = options.types?.map((type) => type.toUpperCase());
  let { cursor } = options;
  let applied = 0;
  let removed = 0;

  const readPage = async (): Promise<ChangesData['changes']> => {
    try {
      return await withFittingSize(pageSize, async (first) => {
        const { changes } = await graphql<ChangesData>(changesDocument, { after: cursor, first, types }, { signal });
        return changes;
      });
    } catch (error) {
      if (cursor === undefined || options.restart === undefined || !isCatalogError(error, 'RESYNC_REQUIRED'))
        throw error;
      await begin();
      return readPage();
    }
  };

  /** @returns the cursor of the feed behind the export; undefined when there is no export, or it broke off */
  const readExport = async (): Promise<string | undefined> => {
    let start: string | undefined;
    let objects: MirroredObject[] = [];
    const flush = async (): Promise<void> => {
      if (objects.length > 0) await options.apply(objects);
      applied += objects.length;
      objects = [];
    };
    const query = options.types === undefined ? '' : `?types=${toTables(options.types)}`;
    const lines = transport.stream({ url: `${origin}/export${query}` }, signal);
    for (;;) {
      // What apply throws is the caller's; what the export throws is answered by the feed, which has its own waiting.
      const { value, done } = await lines.next().catch((error: unknown) => {
        if (isCatalogError(error)) return { value: undefined, done: true };
        throw error;
      });
      if (done === true || value === undefined) return undefined;
      try {
        for (const line of value) {
          const { type, ...object } = JSON.parse(line) as ExportedLine;
          if (type === 'shop') start = object['changes_cursor'] as string;
          else if (type === 'complete') {
            await flush();
            return start;
          } else objects.push(...toObjects(type, object).filter((each) => options.types?.includes(each.type) ?? true));
          if (objects.length >= pageSize) await flush();
        }
      } catch (error) {
        await lines.return();
        throw error;
      }
    }
  };

  const begin = async (): Promise<void> => {
    cursor = undefined;
    if (options.restart === undefined) return;
    await options.restart();
    cursor = await readExport();
    if (cursor !== undefined) await options.saveCursor(cursor);
  };

  if (cursor === undefined) await begin();
  for (;;) {
    const { nodes, pageInfo } = await readPage();
    const gone = nodes.filter(({ deleted }) => deleted);
    const here = nodes.filter(({ deleted }) => !deleted);
    if (gone.length > 0) await options.remove(gone.map(toRemoved));
    if (here.length > 0) await options.apply(here.map(toMirrored));
    applied += here.length;
    removed += gone.length;
    if (pageInfo.endCursor !== cursor) await options.saveCursor(pageInfo.endCursor);
    cursor = pageInfo.endCursor;
    if (pageInfo.hasNextPage) continue;
    if (pollEveryMs === undefined) return { cursor, applied, removed };
    await sleep(pollEveryMs, signal);
  }
}

/** Requests half as many changes while the products of their variants would make the answer too large. */
async function withFittingSize<Value>(size: number, ask: (size: number) => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await ask(size);
    } catch (error) {
      if (size <= 1 || !isCatalogError(error, 'ANSWER_TOO_LARGE')) throw error;
      size = Math.ceil(size / 2);
    }
  }
}

interface ExportedLine {
  readonly type: 'shop' | 'complete' | Exclude<MirroredType, 'variant'>;
  readonly [member: string]: unknown;
}

/** Variants are in their products. */
function toObjects(type: Exclude<MirroredType, 'variant'>, line: Readonly<Record<string, unknown>>): MirroredObject[] {
  const { variants = [], ...object } = line as { readonly id: string; readonly variants?: readonly Variant[] };
  const own = variants.map((variant) => ({ type: 'variant', object: { ...variant, product_id: object.id } }));
  return [{ type, object }, ...own] as MirroredObject[];
}

const toTables = (types: readonly MirroredType[]): string =>
  [...new Set(types.map((type) => `${type === 'variant' ? 'product' : type}s`))].join();

const toType = (type: Uppercase<MirroredType>): MirroredType => type.toLowerCase() as MirroredType;

const toRemoved = ({ type, id, externalId }: Change): RemovedObject => ({
  type: toType(type),
  id,
  external_id: externalId,
});

function toMirrored({ type, id, externalId, node }: Change): MirroredObject {
  if (node === null)
    throw new CatalogError('UNEXPECTED_RESPONSE', `The change feed answered ${type} ${id} without it.`);
  const { product, ...members } = node;
  const object: Record<string, unknown> = { id, external_id: externalId };
  for (const [name, value] of Object.entries(members)) object[toRestName(name)] = value;
  if (type === 'VARIANT') object['product_id'] = (product as { readonly id: string } | null)?.id;
  return { type: toType(type), object } as unknown as MirroredObject;
}

/** `ownCreatedAt` → `created_at`. */
const toRestName = (name: string): string =>
  name.replace(/^own(?=[A-Z])/, '').replace(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`);
