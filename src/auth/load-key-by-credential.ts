import { timingSafeEqual } from 'node:crypto';
import { digestSecret } from './api-key';
import { nilShopId, shopIdOfClientId } from './client-id';
import type { KeyAddress, KeyReader, KeyRecord } from './key-reader';

/** A client id and a secret as they were presented. */
export interface PresentedCredential {
  /** Undefined when the id was given without it: the token endpoint accepts both spellings (D13). */
  readonly keyPrefix: string | undefined;
  readonly clientId: string;
  readonly secret: string;
}

/** Replaces the digest of a key that does not exist; no secret is known for it. */
const dummyDigest = digestSecret('no such key').toString('hex');

/** Returns where to look for a client id. An id without a shop is looked up like any other, where there are no rows. */
export function toKeyAddress(clientId: string): KeyAddress {
  const shopId = shopIdOfClientId(clientId);
  return shopId === undefined ? { shopId: nilShopId, clientId: '' } : { shopId, clientId };
}

/** Whether an existing key may be used now: it may not once it is revoked or expired. */
export const isUsable = (record: KeyRecord, now: number): boolean => !record.revoked && isBefore(now, record.expiresAt);

/**
 * Returns the key's row when id, prefix and secret match and the key may be used; otherwise undefined, without a
 * reason. An unknown id, a malformed one and a wrong secret cost the same: one read and two comparisons in constant
 * time (D12).
 */
export async function loadKeyByCredential(
  readKey: KeyReader,
  { keyPrefix, clientId, secret }: PresentedCredential,
  now: number,
): Promise<KeyRecord | undefined> {
  const record = await readKey(toKeyAddress(clientId));
  const digest = digestSecret(secret);
  const isCurrent = equalsDigest(digest, record?.secretDigest);
  const isPrevious = equalsDigest(digest, record?.previousSecretDigest);
  if (record === undefined) return undefined;
  const secretMatches = isCurrent || (isPrevious && isBefore(now, record.previousSecretExpiresAt));
  const prefixMatches = keyPrefix === undefined || keyPrefix === record.keyPrefix;
  return secretMatches && prefixMatches && isUsable(record, now) ? record : undefined;
}

const equalsDigest = (digest: Buffer, stored: string | null | undefined): boolean =>
  timingSafeEqual(digest, Buffer.from(stored ?? dummyDigest, 'hex')) && stored != null;

/** No end, or one in the future. */
const isBefore = (now: number, end: number | string | null): boolean => end === null || now < Number(end);
