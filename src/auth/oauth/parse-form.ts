import { TokenError } from './token-error';
import type { TokenRequest } from './token-messages';

export type TokenForm = ReadonlyMap<string, string>;

/**
 * Parses the parameters of the body. One without a value counts as omitted, and none may occur twice (RFC 6749 3.2).
 */
export function parseForm({ body }: TokenRequest): TokenForm {
  const text = body.toString();
  // URLSearchParams keeps broken escapes.
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) throw new TokenError('invalid_request', 'The body is not form-encoded.');
  const form = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    if (seen.has(name)) throw new TokenError('invalid_request', 'Each parameter may be given only once.');
    seen.add(name);
    if (value !== '') form.set(name, value);
  }
  return form;
}
