import type { RestClient } from './rest-client';
import { seedApiKey, seedShop } from './seed';
import type { Service } from './service';

/** A shop with a key that has every scope. */
export interface ShopFixture {
  readonly shopId: string;
  readonly apiKey: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly client: RestClient;
}

/** @param columns of the shop's row */
export async function createShop(service: Service, columns: Parameters<typeof seedShop>[1] = {}): Promise<ShopFixture> {
  const shopId = await seedShop(service.sql, columns);
  const key = await seedApiKey(service.sql, shopId);
  return { shopId, ...key, client: service.client(key.apiKey) };
}
