import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { toBase62 } from './base62';
import { shopIdOfClientId } from './client-id';

/** The parts of `<key_prefix>_<client_id>.<client_secret>` (D12). */
export interface ApiKey {
  readonly keyPrefix: string;
  /** Without the prefix. */
  readonly clientId: string;
  readonly secret: string;
}

// No part of it can contain a dot, so a JWT is never mistaken for a key.
const keyShape = /^(?<keyPrefix>[a-z][a-z0-9]{0,15})_(?<clientId>[0-9A-Za-z]{1,64})\.(?<secret>[0-9A-Za-z]{1,128})$/;
const clientIdShape = /^(?:(?<keyPrefix>[a-z][a-z0-9]{0,15})_)?(?<clientId>[0-9A-Za-z]{1,64})$/;

/** 62^43 is the first power of 62 above 2^256. */
const randomWidth = 43;
/** 62^6 is the first power of 62 above 2^32. */
const checksumWidth = 6;

/**
 * Generates a secret for a client id without prefix: 256 random bits, then a checksum over both. The checksum is not a
 * security feature, since anybody can compute it. It lets malformed credentials and copying mistakes be refused without
 * a database query (docs/decisions.md 7).
 */
export function createSecret(clientId: string): string {
  const random = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomWidth);
  return random + toChecksum(clientId, random);
}

const toChecksum = (clientId: string, random: string): string =>
  toBase62(BigInt(crc32(`${clientId}.${random}`)), checksumWidth);

/**
 * Whether this service can have issued the two together, as far as they show it themselves. Secrets from before
 * checksums existed are shorter and remain valid.
 */
export function isPlausible({ clientId, secret }: Pick<ApiKey, 'clientId' | 'secret'>): boolean {
  if (secret.length === randomWidth) return shopIdOfClientId(clientId) !== undefined;
  const isChecked = secret.length === randomWidth + checksumWidth;
  return isChecked && secret.slice(randomWidth) === toChecksum(clientId, secret.slice(0, randomWidth));
}

/** The stored form of a secret. A secret of 256 random bits needs no slow hash: it cannot be guessed, salted or not. */
export const digestSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The client id as it is shown everywhere: the part of the key before the dot (D12). */
export const toShownClientId = (keyPrefix: string, clientId: string): string => `${keyPrefix}_${clientId}`;

export const toApiKeyText = ({ keyPrefix, clientId, secret }: ApiKey): string =>
  `${toShownClientId(keyPrefix, clientId)}.${secret}`;

/** Parses an API key; undefined when the text does not have the format of this service's keys. */
export function parseApiKey(text: string): ApiKey | undefined {
  const parts = keyShape.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { keyPrefix = '', clientId = '', secret = '' } = parts;
  return isPlausible({ clientId, secret }) ? { keyPrefix, clientId, secret } : undefined;
}

/** Parses a client id, with or without its prefix (D13); undefined when the text has another format. */
export function parseClientId(text: string): { keyPrefix: string | undefined; clientId: string } | undefined {
  const parts = clientIdShape.exec(text)?.groups;
  return parts === undefined ? undefined : { keyPrefix: parts['keyPrefix'], clientId: parts['clientId'] ?? '' };
}
