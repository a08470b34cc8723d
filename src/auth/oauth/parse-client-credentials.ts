import { parseClientId } from '../api-key';
import type { PresentedCredential } from '../load-key-by-credential';
import type { TokenForm } from './parse-form';
import { TokenError } from './token-error';
import type { TokenRequest } from './token-request';

const basicCredentials = /^basic +([A-Za-z0-9+/\-_]+=*)$/i;

/**
 * Client id and secret out of HTTP Basic, the only way of authenticating here (D13); undefined when there are none, or
 * none that can be read. Whoever tries two ways at once is told so, as RFC 6749 2.3 demands.
 */
export function parseClientCredentials(
  { authorization }: TokenRequest,
  form: TokenForm,
): PresentedCredential | undefined {
  const ways = authorization.length + (form.has('client_secret') ? 1 : 0) + (form.has('client_assertion') ? 1 : 0);
  if (ways > 1) throw new TokenError('invalid_request', 'Expected one way of authenticating, got several.');
  const credentials = parseBasic(authorization[0]?.trim() ?? '');
  const named = form.get('client_id');
  if (credentials !== undefined && named !== undefined && named !== credentials.user) {
    throw new TokenError('invalid_request', 'client_id names another client than the Authorization header.');
  }
  if (credentials === undefined) return undefined;
  // An id that is none goes on as the empty one: it is looked for and not found like any other unknown id.
  const { keyPrefix, clientId } = parseClientId(credentials.user) ?? { keyPrefix: undefined, clientId: '' };
  return { keyPrefix, clientId, secret: credentials.password };
}

function parseBasic(header: string): { user: string; password: string } | undefined {
  const encoded = basicCredentials.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const user = decodeFormText(text.slice(0, colon));
  const password = decodeFormText(text.slice(colon + 1));
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** RFC 6749 2.3.1: both halves are form-encoded before they are joined; strict clients even encode `_` as %5F. */
function decodeFormText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
