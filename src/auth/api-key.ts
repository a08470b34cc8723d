import { createHash, randomBytes } from 'node:crypto';
import { toBase62 } from './base62';

/** The parts of `<key_prefix>_<client_id>.<client_secret>` (D12). */
export interface ApiKey {
  readonly keyPrefix: string;
  /** Bare: without the prefix. */
  readonly clientId: string;
  readonly secret: string;
}

// Wide enough for every key this service ever gave out, narrow enough that no text of a client reaches the database
// unchecked. No part of it can hold a dot, so it never takes a JWT for a key.
const keyShape = /^(?<keyPrefix>[a-z][a-z0-9]{0,15})_(?<clientId>[0-9A-Za-z]{1,64})\.(?<secret>[0-9A-Za-z]{1,128})$/;
const clientIdShape = /^(?:(?<keyPrefix>[a-z][a-z0-9]{0,15})_)?(?<clientId>[0-9A-Za-z]{1,64})$/;

/** 256 random bits; 62^43 is the first power of 62 above 2^256. */
export const createSecret = (): string => toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), 43);

/** What is stored of a secret. A secret of 256 random bits needs no slow hash: nobody guesses it, salted or not. */
export const digestSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The client id as it is shown everywhere: the part of the key before the dot (D12). */
export const toShownClientId = (keyPrefix: string, clientId: string): string => `${keyPrefix}_${clientId}`;

export const toApiKeyText = ({ keyPrefix, clientId, secret }: ApiKey): string =>
  `${toShownClientId(keyPrefix, clientId)}.${secret}`;

/** The parts of an API key; undefined when the text has another shape. */
export function parseApiKey(text: string): ApiKey | undefined {
  const parts = keyShape.exec(text)?.groups;
  if (parts === undefined) return undefined;
  const { keyPrefix = '', clientId = '', secret = '' } = parts;
  return { keyPrefix, clientId, secret };
}

/** A client id as people write it, with or without its prefix (D13); undefined when the text has another shape. */
export function parseClientId(text: string): { keyPrefix: string | undefined; clientId: string } | undefined {
  const parts = clientIdShape.exec(text)?.groups;
  return parts === undefined ? undefined : { keyPrefix: parts['keyPrefix'], clientId: parts['clientId'] ?? '' };
}
