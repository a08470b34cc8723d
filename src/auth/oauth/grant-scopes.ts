import type { Scope } from '../principal';
import { isScope, scopes, toCommonScopes } from '../principal';
import type { TokenForm } from './parse-form';
import { TokenError } from './token-error';

/**
 * Grants all requested scopes or throws, never a part of them; grants all of the key's scopes when none were requested
 * (D13).
 */
export function grantScopes(form: TokenForm, ofKey: readonly string[]): readonly Scope[] {
  const asked = form.get('scope');
  if (asked === undefined) return toCommonScopes(ofKey);
  const words = asked.split(' ');
  const wrong = words.find((word) => !ofKey.includes(word));
  if (wrong !== undefined) {
    const granted = toCommonScopes(ofKey).join(' ');
    const known = isScope(wrong) ? '' : ` The API has ${scopes.join(' ')}.`;
    throw new TokenError(
      'invalid_scope',
      `scope: expected what this key grants (${granted}), separated by spaces, got ${describe(wrong)}.${known}`,
    );
  }
  return toCommonScopes(ofKey, words);
}

/** RFC 6749 allows few characters in descriptions: those of scopes, and the space. */
const describe = (word: string): string =>
  /^[\x21\x23-\x5b\x5d-\x7e]{1,60}$/.test(word) ? word : 'something that is not a scope';
