import type { ShopRecord } from '../../auth/principal';
import type { Catalog } from '../catalog';

export const shopResolvers = {
  Query: {
    // The request's one read of its key has returned the shop too.
    shop: (_: unknown, _arguments: unknown, { readShop }: Catalog) => readShop(),
  },
  Shop: {
    grantedScopes: (_shop: ShopRecord, _arguments: unknown, { principal }: Catalog) => principal.scopes,
  },
};
