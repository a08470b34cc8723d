import type { Principal, ShopRecord } from '../auth/principal';
import { shopVersionOf } from '../auth/principal';
import type { StatementAsker } from '../database/statement-asker';
import type { CursorCodec } from '../relay/cursor';
import { createByIdLoader } from './by-id-loader';
import { readCollections } from './collection/collection-reader';
import { readOrders } from './order/order-reader';
import { readProducts } from './product/product-reader';
import type { RowSource } from './shop-rows';
import { ShopRows } from './shop-rows';
import { createVariantLoader, createVariantsOfProductLoader } from './variant/variant-loaders';
import { VersionsRead } from './versions-read';

/**
 * What the resolvers of one operation work with: the caller, the rows of the caller's shop and the loaders over them.
 * Made anew for every operation, so that nothing loaded for one is seen by another.
 */
export interface Catalog {
  readonly principal: Principal;
  readonly cursors: CursorCodec;
  readonly rows: ShopRows;
  /** Everything that the operation has read so far. */
  readonly versions: VersionsRead;
  /** The shop's own record, of the moment at which the key was read. */
  readShop(): ShopRecord;
  readonly products: ReturnType<typeof createLoaders>['products'];
  readonly variants: ReturnType<typeof createLoaders>['variants'];
  readonly variantsOfProduct: ReturnType<typeof createLoaders>['variantsOfProduct'];
  readonly collections: ReturnType<typeof createLoaders>['collections'];
  readonly orders: ReturnType<typeof createLoaders>['orders'];
}

/** Everything readable for one caller. */
export function createCatalog(
  source: RowSource,
  cursors: CursorCodec,
  principal: Principal,
  asker?: StatementAsker,
): Catalog {
  const versions = new VersionsRead();
  const rows = new ShopRows(source, shopVersionOf(principal), asker, versions);
  const readShop = () => {
    versions.add(principal.dataVersion);
    return principal.shop;
  };
  return { principal, cursors, rows, versions, readShop, ...createLoaders(rows) };
}

const createLoaders = (rows: ShopRows) => ({
  products: createByIdLoader((ids) => readProducts(rows, ids)),
  variants: createVariantLoader(rows),
  variantsOfProduct: createVariantsOfProductLoader(rows),
  collections: createByIdLoader((ids) => readCollections(rows, ids)),
  orders: createByIdLoader((ids) => readOrders(rows, ids)),
});
