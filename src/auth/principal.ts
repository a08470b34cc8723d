import type { ShopVersion } from '../database/database';
import type { Scope } from './scopes';

/** The connected shop as its row describes it, in the names of the GraphQL schema. Timestamps as in D23. */
export interface ShopRecord {
  readonly id: string;
  readonly name: string | null;
  readonly domain: string;
  readonly platform: string | null;
  readonly currency: string | null;
  readonly plan: 'free' | 'starter' | 'pro' | 'business';
  readonly planStatus: string;
  readonly productLimit: number | null;
  /** Products readable through the API: min(limit, live products) (D8). */
  readonly productCount: number;
  readonly lastSyncAt: string | null;
  readonly createdAt: string;
}

/**
 * The caller, as one read of the database at the start of the request returned it: key, scopes, shop, plan, limit and
 * data version of the same snapshot. It determines everything that the request may see.
 */
export interface Principal {
  /** The part of the API key before the dot, prefix included (D12). */
  readonly clientId: string;
  /**
   * Effective scopes: the key's, for an access token those that the token has too (D14, D15). In the specification's
   * order.
   */
  readonly scopes: readonly Scope[];
  readonly shop: ShopRecord;
  /** Increases with every committed change to the data of the shop's answers. */
  readonly dataVersion: string;
}

/** The version of the shop's data at authentication: answers are based on none that is older. */
export const shopVersionOf = ({ shop, dataVersion }: Principal): ShopVersion => ({ shopId: shop.id, dataVersion });
