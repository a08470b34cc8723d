import type { TokenForm } from './parse-form';
import { TokenError } from './token-error';

/** RFC 6749 4.4: the only grant type is the client's own. */
export function checkGrantType(form: TokenForm): void {
  const grantType = form.get('grant_type');
  if (grantType === undefined) throw new TokenError('invalid_request', 'Expected grant_type=client_credentials.');
  if (grantType !== 'client_credentials') {
    throw new TokenError('unsupported_grant_type', 'The only supported grant type is client_credentials.');
  }
}
