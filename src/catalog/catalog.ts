import type { Principal, ShopRecord } from '../auth/principal';
import { shopVersionOf } from '../auth/principal';
import type { Cancellation } from '../database/statement-run';
import type { CursorCodec } from '../relay/cursor';
import { WorkTurns } from '../common/event-loop-turns';
import { toPageBytes } from './answer-size';
import { OperationMemory } from './operation-memory';
import { createByIdLoader } from './by-id-loader';
import { readCollections } from './collection/collection-reader';
import { readNodes } from './node/node-reader';
import { readOrders } from './order/order-reader';
import type { HeldProduct } from './product/held-product';
import { readProducts } from './product/product-reader';
import type { RowSource } from './rows/shop-rows';
import { ShopRows } from './rows/shop-rows';
import { createVariantPageLoader, createVariantsOfProductLoader } from './variant/variant-loaders';
import { readVariants } from './variant/variant-reader';
import { VersionsRead } from './rows/versions-read';

/**
 * The context of the resolvers of one operation: the caller, the rows of the caller's shop and the loaders over them. Created for every
 * operation, so that nothing loaded for one is visible to another.
 */
export interface Catalog {
  readonly principal: Principal;
  readonly cursors: CursorCodec;
  readonly rows: ShopRows;
  /** Everything that the operation has read so far. */
  readonly versions: VersionsRead;
  /** Work on many objects yields to other operations. */
  readonly turns: WorkTurns;
  /** What it has read counts here until its answer is made. */
  readonly memory: OperationMemory;
  /** Takes a product that is too large for one answer; unset where answers are not written while they are read. */
  readonly heldProduct: HeldProduct | undefined;
  /** The shop's own record, as of the time when the key was read. */
  readShop(): ShopRecord;
  readonly products: ReturnType<typeof createLoaders>['products'];
  readonly variants: ReturnType<typeof createLoaders>['variants'];
  readonly variantsOfProduct: ReturnType<typeof createLoaders>['variantsOfProduct'];
  readonly variantPages: ReturnType<typeof createLoaders>['variantPages'];
  readonly collections: ReturnType<typeof createLoaders>['collections'];
  readonly orders: ReturnType<typeof createLoaders>['orders'];
  readonly nodes: ReturnType<typeof createLoaders>['nodes'];
}

/**
 * Everything that one caller can read.
 * @param reads How many fields of the operation read rows (answer-size.ts).
 */
export function createCatalog(
  source: RowSource,
  cursors: CursorCodec,
  principal: Principal,
  cancellation?: Cancellation,
  reads = 1,
  heldProduct?: HeldProduct,
): Catalog {
  const versions = new VersionsRead();
  const turns = new WorkTurns(principal.shop.id);
  const memory = new OperationMemory(principal.shop.id, (error) => turns.fail(error));
  const options = { cancellation, versions, turns, memory, pageBytes: toPageBytes(reads) };
  const rows = new ShopRows(source, shopVersionOf(principal), options);
  const readShop = () => {
    versions.add(principal.dataVersion);
    return principal.shop;
  };
  return {
    principal,
    cursors,
    rows,
    versions,
    turns,
    memory,
    heldProduct,
    readShop,
    ...createLoaders(rows, turns, principal.scopes),
  };
}

function createLoaders(rows: ShopRows, turns: WorkTurns, scopes: readonly string[]) {
  return {
    products: createByIdLoader((ids) => readProducts(rows, ids), turns),
    variants: createByIdLoader((ids) => readVariants(rows, ids), turns),
    variantsOfProduct: createVariantsOfProductLoader(rows, turns),
    variantPages: createVariantPageLoader(rows, turns),
    collections: createByIdLoader((ids) => readCollections(rows, ids), turns),
    orders: createByIdLoader((ids) => readOrders(rows, ids), turns),
    nodes: createByIdLoader((ids) => readNodes(rows, ids, scopes), turns),
  };
}
