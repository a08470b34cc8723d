import type { KeyUsageRow } from '../rows/figure-rows';
import type { ShopRows } from '../rows/shop-rows';
import { toPublicClientId } from '../../auth/api-key';

/** What a key did on one day. */
export interface KeyUsage extends Omit<KeyUsageRow, 'keyPrefix'> {
  readonly clientId: string;
}

/** The days up to today in which a key of the shop was used, the latest first. */
export const readKeyUsage = async (rows: ShopRows, days: number): Promise<readonly KeyUsage[]> =>
  (await rows.figures.keyUsage(days)).map(({ keyPrefix, clientId, ...counts }) => ({
    ...counts,
    clientId: toPublicClientId(keyPrefix, clientId),
  }));
