import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Position } from './position';

const version = 1;
const macBytes = 16;

/** Seals positions into opaque cursors and opens them again (D10). */
export interface CursorCodec {
  /**
   * @param binding What the cursor belongs to: shop, resource and filters. The cursor opens only with the same binding.
   */
  seal(binding: string, position: Position): string;
  /**
   * Returns the position, or undefined for anything that `seal` did not create for this binding, without saying why.
   */
  open(binding: string, cursor: string): Position | undefined;
}

/**
 * Creates cursors: base64url of a version byte, a MAC and the position. The MAC (HMAC-SHA256, 128 bits) covers version,
 * binding and position, so that none of them can be changed or exchanged.
 * @param secrets The first one seals, all of them open: secrets can be rotated without breaking pagination in progress.
 */
export function createCursorCodec(secrets: readonly [string, ...string[]]): CursorCodec {
  const mac = (secret: string, binding: string, payload: string): Buffer =>
    createHmac('sha256', secret)
      .update(`${version}\n${binding.length}\n${binding}${payload}`)
      .digest()
      .subarray(0, macBytes);

  return {
    seal(binding, position) {
      const payload = JSON.stringify(position);
      return Buffer.concat([Buffer.of(version), mac(secrets[0], binding, payload), Buffer.from(payload)]).toString(
        'base64url',
      );
    },

    open(binding, cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      // Node's decoder skips invalid characters; a cursor has exactly one spelling.
      if (bytes.length <= 1 + macBytes || bytes[0] !== version || bytes.toString('base64url') !== cursor)
        return undefined;
      const given = bytes.subarray(1, 1 + macBytes);
      const payload = bytes.subarray(1 + macBytes).toString();
      const isOurs = secrets.some((secret) => timingSafeEqual(given, mac(secret, binding, payload)));
      return isOurs ? (JSON.parse(payload) as Position) : undefined;
    },
  };
}
