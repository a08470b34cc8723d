import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toBase62 } from './base62';
import { shopIdOfClientId } from './client-id';

/** The parts of `<key_prefix>_<client_id>.<client_secret>` (D12). */
export interface ApiKey {
  readonly keyPrefix: string;
  /** Bare: without the prefix. */
  readonly clientId: string;
  readonly secret: string;
}

// No part of it can hold a dot, so it never takes a JWT for a key.
const keyShape = /^(?<keyPrefix>[a-z][a-z0-9]{0,15})_(?<clientId>[0-9A-Za-z]{1,64})\.(?<secret>[0-9A-Za-z]{1,128})$/;
const clientIdShape = /^(?:(?<keyPrefix>[a-z][a-z0-9]{0,15})_)?(?<clientId>[0-9A-Za-z]{1,64})$/;

/** 62^43 is the first power of 62 above 2^256. */
const randomWidth = 43;
/** 62^6 is the first power of 62 above 2^32. */
const checksumWidth = 6;

/**
 * A new secret for a bare client id: 256 random bits, then a checksum over both.
 * The checksum is no security feature, anybody can compute it: it lets noise and slips of copying be refused without a look at the
 * database (docs/decisions.md 46).
 */
export function createSecret(clientId: string): string {
  const random = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomWidth);
  return random + toChecksum(clientId, random);
}

const toChecksum = (clientId: string, random: string): string =>
  toBase62(BigInt(crc32(`${clientId}.${random}`)), checksumWidth);

/**
 * Whether this service can have issued the two together, as far as they themselves say. Secrets from before there were checksums
 * are shorter, and stay valid.
 */
export function isPlausible({ clientId, secret }: Pick<ApiKey, 'clientId' | 'secret'>): boolean {
  if (secret.length === randomWidth) return shopIdOfClientId(clientId) !== undefined;
  const isChecked = secret.length === randomWidth + checksumWidth;
  return isChecked && secret.slice(randomWidth) === toChecksum(clientId, secret.slice(0, randomWidth));
}

/** What is stored of a secret. A secret of 256 random bits needs no slow hash: nobody guesses it, salted or not. */
export const digestSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The client id as it is shown everywhere: the part of the key before the dot (D12). */
export const toShownClientId = (keyPrefix: string, clientId: string): string => `${keyPrefix}_${clientId}`;

export const toApiKeyText = ({ keyPrefix, clientId, secret }: ApiKey): string =>
  `${toShownClientId(keyPrefix, clientId)}.${secret}`;

/** The parts of an API key; undefined when no key of this service reads like that. */
export function parseApiKey(text: string): ApiKey | undefined {
  const parts = keyShape.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { keyPrefix = '', clientId = '', secret = '' } = parts;
  return isPlausible({ clientId, secret }) ? { keyPrefix, clientId, secret } : undefined;
}

/** A client id as people write it, with or without its prefix (D13); undefined when the text has another shape. */
export function parseClientId(text: string): { keyPrefix: string | undefined; clientId: string } | undefined {
  const parts = clientIdShape.exec(text)?.groups;
  return parts === undefined ? undefined : { keyPrefix: parts['keyPrefix'], clientId: parts['clientId'] ?? '' };
}
