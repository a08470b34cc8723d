import { hash } from 'node:crypto';
import type { Principal } from '../auth/principal';

/**
 * Makes strong entity tags without looking at a body: everything that the body is a function of goes in, most of all the
 * version of the shop's data that the body was read in (D7).
 * @param epoch Changes with the program and its secrets: what the same data looks like, and whether others can guess a tag.
 */
export function createEntityTagger(epoch: string) {
  return ({ shop, scopes }: Principal, dataVersion: string, operation: string, variables: unknown): string => {
    const inputs = [epoch, shop.id, dataVersion, scopes, operation, variables];
    return `"${hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 27)}"`;
  };
}

/** The strong tag of a body that is of no one version. */
export const tagOfBytes = (body: Buffer): string => `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
