import type { RateLimiter } from '../../rate-limit/rate-limiter';
import { tokenBucket } from '../../rate-limit/rate-limiter';
import type { KeyGate, PresentedCredential } from '../authenticator';
import { loadKeyByCredential } from '../authenticator';
import type { KeyRecord } from '../key-reader';
import { invalidClient, tooManyFailures } from './token-error';

export interface ClientAuthentication {
  readonly keys: KeyGate;
  readonly rateLimiter: RateLimiter;
  readonly realm: string;
}

/**
 * Returns the key's row for the credential. Failures are counted by address and successes are not, so that a client
 * that shares its address with a guesser still gets tokens (D13).
 */
export async function authenticateClient(
  { keys, rateLimiter, realm }: ClientAuthentication,
  credential: PresentedCredential | undefined,
  { ip, now }: { readonly ip: string; readonly now: number },
): Promise<KeyRecord> {
  const bucket = tokenBucket(ip);
  const record =
    credential &&
    (await keys.find({ credential: toText(credential), nameBucket: () => bucket, now }, (readKey) =>
      loadKeyByCredential(readKey, credential, now),
    ));
  if (record !== undefined) return record;
  const { admitted, resetSeconds } = await rateLimiter.consume(bucket);
  throw admitted ? invalidClient(realm) : tooManyFailures(resetSeconds);
}

const toText = ({ keyPrefix = '', clientId, secret }: PresentedCredential): string =>
  `${keyPrefix}_${clientId}.${secret}`;
