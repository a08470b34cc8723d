import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { IsSpent } from '../rate-limit/spent-buckets';
import { windowSeconds } from '../rate-limit/window';
import type { KeyReader, KeyRecord } from './key-reader';

/** A credential with the format of this service, and its origin. */
export interface Attempt {
  /** API key, access token, or client id and secret. Only a digest of it is stored. */
  readonly credential: string;
  /** The bucket of the address against which failures are counted. */
  readonly nameBucket: () => string;
  readonly now: number;
}

/** Guards the key's row: a credential that is known to be refused is not read again (docs/decisions.md 7). */
export interface KeyGate {
  /**
   * Returns what `load` finds with the given reader. Returns undefined without a read when the bucket of the address is
   * empty and this very credential found nothing from this address within the window.
   */
  find(attempt: Attempt, load: (readKey: KeyReader) => Promise<KeyRecord | undefined>): Promise<KeyRecord | undefined>;
}

interface KeyGateOptions {
  readonly readKey: KeyReader;
  /** For addresses with an empty bucket: however many keys they try, they do not delay others. */
  readonly readSuspectKey?: KeyReader;
  readonly isSpent?: IsSpent;
}

/** At most three megabytes. When more credentials are tried, the oldest are dropped and read once more. */
const maximumRefusals = 20_000;

export function createKeyGate({ readKey, readSuspectKey = readKey, isSpent = () => false }: KeyGateOptions): KeyGate {
  const refusedUntil = new LRUCache<string, number>({ max: maximumRefusals });
  return {
    async find({ credential, nameBucket, now }, load) {
      const isSuspect = isSpent(nameBucket);
      if (isSuspect && now < (refusedUntil.get(toName(nameBucket, credential)) ?? -Infinity)) return undefined;
      const record = await load(isSuspect ? readSuspectKey : readKey);
      if (record === undefined) refusedUntil.set(toName(nameBucket, credential), now + windowSeconds * 1000);
      return record;
    },
  };
}

const toName = (nameBucket: () => string, credential: string): string =>
  `${nameBucket()} ${createHash('sha256').update(credential).digest('base64url')}`;
