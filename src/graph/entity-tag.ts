import { hash } from 'node:crypto';
import type { Principal } from '../auth/principal';

/**
 * Makes strong entity tags without looking at a body: everything that the body is a function of goes in, most of all the
 * shop's data version, which the read of the key returned in the same moment (D7).
 * @param epoch Changes with the program and its secrets: what the same data looks like, and whether others can guess a tag.
 */
export function createEntityTagger(epoch: string) {
  return (principal: Principal, operation: string, variables: unknown): string => {
    const inputs = [epoch, principal.shop.id, principal.dataVersion, principal.scopes, operation, variables];
    return `"${hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 27)}"`;
  };
}
