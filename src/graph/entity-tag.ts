import { hash, webcrypto } from 'node:crypto';
import type { Principal } from '../auth/principal';

export type EntityTagger = (principal: Principal, dataVersion: string, operation: string, variables: unknown) => string;

/**
 * Computes strong entity tags without inspecting the body, from everything that the body is a function of, most of all
 * the version of the shop's data that it was read in (D7).
 * @param epoch Changes with the program and its secrets: with the representation of the same data, and with what makes
 * tags unguessable.
 */
export function createEntityTagger(epoch: string): EntityTagger {
  return ({ shop, scopes }, dataVersion, operation, variables) => {
    const inputs = [epoch, shop.id, dataVersion, scopes, operation, variables];
    return `"${hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 27)}"`;
  };
}

/** Hashing more takes a millisecond and longer; then a thread of libuv does it. */
const quickBytes = 256 * 1024;

/** The strong tag of a body that was not read in a single version. */
export async function tagOfBytes(body: Buffer): Promise<string> {
  const digest =
    body.length <= quickBytes
      ? hash('sha256', body, 'base64url')
      : Buffer.from(await webcrypto.subtle.digest('SHA-256', body)).toString('base64url');
  return `"${digest.slice(0, 27)}"`;
}
