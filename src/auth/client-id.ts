import { randomInt } from 'node:crypto';
import { parseBase62, toBase62 } from './base62';

/** 62^22 is the first power of 62 above 2^128: every UUID fits, every shop's ids have the same length. */
const shopWidth = 22;
const ownWidth = 10;
const shape = new RegExp(`^[0-9A-Za-z]{${shopWidth + ownWidth}}$`);

/** The shop of an id that contains none. No row has it, so a lookup by it costs the same as any other. */
export const nilShopId = '00000000-0000-0000-0000-000000000000';

/**
 * Generates a client id, without the key's prefix. It contains its shop's id, so that a key can be found by (shop_id,
 * client_id) alone: on a sharded installation the shard is known before anything is read.
 */
export function createClientId(shopId: string): string {
  const shop = toBase62(BigInt(`0x${shopId.replaceAll('-', '')}`), shopWidth);
  return shop + toBase62(BigInt(randomInt(62 ** 5)), 5) + toBase62(BigInt(randomInt(62 ** 5)), 5);
}

/** The shop that a client id without prefix belongs to; undefined when the text is not a client id. */
export function shopIdOfClientId(clientId: string): string | undefined {
  if (!shape.test(clientId)) return undefined;
  const value = parseBase62(clientId.slice(0, shopWidth));
  if (value === undefined || value >= 1n << 128n) return undefined;
  const hex = value.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
