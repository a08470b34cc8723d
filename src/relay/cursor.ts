import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Position } from './position';

const version = 1;
const macBytes = 16;

/** Seals positions into opaque cursors and opens them again (D10). */
export interface CursorCodec {
  /** @param binding What the cursor belongs to: shop, resource and filters. It opens with the very same binding only. */
  seal(binding: string, position: Position): string;
  /** The position, or undefined for anything that `seal` did not give out for this binding; the defect is not told. */
  open(binding: string, cursor: string): Position | undefined;
}

/**
 * Cursors are base64url of a version byte, a MAC and the position. The MAC (HMAC-SHA256, 128 bits) covers version, binding and
 * position, so that neither can be changed or exchanged.
 * @param secrets The first seals, all open: a secret can be rotated without breaking walks under way.
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
      // Node's decoder skips what is not base64url; a cursor has exactly one spelling.
      if (bytes.length <= 1 + macBytes || bytes[0] !== version || bytes.toString('base64url') !== cursor)
        return undefined;
      const given = bytes.subarray(1, 1 + macBytes);
      const payload = bytes.subarray(1 + macBytes).toString();
      const isOurs = secrets.some((secret) => timingSafeEqual(given, mac(secret, binding, payload)));
      return isOurs ? (JSON.parse(payload) as Position) : undefined;
    },
  };
}
