import { hash, randomBytes, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The scopes of the specification, in its order. */
export const scopes = ['catalog:read', 'orders:read', 'account:read'] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (word: unknown): word is Scope => (scopes as readonly unknown[]).includes(word);

/** The specification's scopes that are in all the lists, in its order. */
export const toCommonScopes = (...lists: readonly (readonly string[])[]): readonly Scope[] =>
  scopes.filter((scope) => lists.every((list) => list.includes(scope)));

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = 62n;

/** `value` in base 62 with leading zeros up to `width` characters; `value` must be below 62^width. */
export function toBase62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= base) text = digits.charAt(Number(rest % base)) + text;
  return text.padStart(width, '0');
}

/** The number that `text` represents; undefined when a character is not a base 62 digit. */
function parseBase62(text: string): bigint | undefined {
  let value = 0n;
  for (const character of text) {
    const digit = digits.indexOf(character);
    if (digit < 0) return undefined;
    value = value * base + BigInt(digit);
  }
  return value;
}

/** 62^22 is the first power of 62 above 2^128: every UUID fits, every shop's ids have the same length. */
const shopWidth = 22;
const ownWidth = 10;
const shape = new RegExp(`^[0-9A-Za-z]{${shopWidth + ownWidth}}$`);

/** Placeholder for IDs without a shop. No row has it, so a lookup costs the same as any other. */
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

/** The parts of `<key_prefix>_<client_id>.<client_secret>` (D12). */
interface ApiKey {
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

/** Whether this service could have issued the two together, judging by their lengths and checksum alone. */
export const isPlausible = ({ clientId, secret }: Pick<ApiKey, 'clientId' | 'secret'>): boolean =>
  secret.length === randomWidth + checksumWidth &&
  secret.slice(randomWidth) === toChecksum(clientId, secret.slice(0, randomWidth));

/** The stored form of a secret. A secret of 256 random bits needs no slow hash: it cannot be guessed, salted or not. */
export const digestSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The client id as it is shown everywhere: the part of the key before the dot (D12). */
export const toPublicClientId = (keyPrefix: string, clientId: string): string => `${keyPrefix}_${clientId}`;

export const toApiKeyText = ({ keyPrefix, clientId, secret }: ApiKey): string =>
  `${toPublicClientId(keyPrefix, clientId)}.${secret}`;

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
