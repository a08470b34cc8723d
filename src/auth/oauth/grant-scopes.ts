import type { Scope } from '../scopes';
import { toCommonScopes } from '../scopes';
import type { TokenForm } from './parse-form';
import { TokenError } from './token-error';

/** All that was asked for or an error, never a part of it; all of the key's when nothing was asked for (D13). */
export function grantScopes(form: TokenForm, ofKey: readonly string[]): readonly Scope[] {
  const asked = form.get('scope');
  if (asked === undefined) return toCommonScopes(ofKey);
  const words = asked.split(' ');
  if (!words.every((word) => ofKey.includes(word))) {
    throw new TokenError('invalid_scope', `This key grants ${toCommonScopes(ofKey).join(' ')}, separated by spaces.`);
  }
  return toCommonScopes(ofKey, words);
}
