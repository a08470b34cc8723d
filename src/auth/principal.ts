import type { ShopVersion } from '../database/database';
import type { Scope } from './scopes';

/** The connected shop as its row says it, in the names of the GraphQL schema. Timestamps as in D23. */
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
 * Who calls, as one read of the database answered it at the start of the request: key, scopes, shop, plan, limit and
 * data version of the same moment. Everything a request may see follows from this.
 */
export interface Principal {
  /** The part of the API key before the dot, prefix included (D12). */
  readonly clientId: string;
  /** Effective scopes: the key's, for an access token those that the token carries too (D14, D15). In the specification's order. */
  readonly scopes: readonly Scope[];
  readonly shop: ShopRecord;
  /** Grows with every committed change of what the shop's answers are made of. */
  readonly dataVersion: string;
}

/** The version of their shop's data that they were authenticated in: what they are answered is of no older one. */
export const shopVersionOf = ({ shop, dataVersion }: Principal): ShopVersion => ({ shopId: shop.id, dataVersion });
