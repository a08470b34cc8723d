import { isPlausible, parseClientId } from '../api-key';
import type { PresentedCredential } from '../authenticator';
import type { TokenForm } from './parse-form';
import { TokenError } from './token-error';
import type { TokenRequest } from './token-messages';

const basicCredentials = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Parses client id and secret from HTTP Basic, the only supported authentication method (D13). Returns undefined when
 * there are none, or none that this service can have issued. A client that uses two methods at the same time gets an
 * error, as RFC 6749 2.3 requires.
 */
export function parseClientCredentials(
  { authorization }: TokenRequest,
  form: TokenForm,
): PresentedCredential | undefined {
  const ways = authorization.length + (form.has('client_secret') ? 1 : 0) + (form.has('client_assertion') ? 1 : 0);
  if (ways > 1) throw new TokenError('invalid_request', 'Expected one authentication method, got several.');
  const credentials = parseBasic(authorization[0] ?? '');
  const named = form.get('client_id');
  if (credentials !== undefined && named !== undefined && named !== credentials.user) {
    throw new TokenError('invalid_request', 'client_id is another client than that of the Authorization header.');
  }
  const client = credentials && parseClientId(credentials.user);
  if (client === undefined) return undefined;
  const presented = { ...client, secret: credentials?.password ?? '' };
  return isPlausible(presented) ? presented : undefined;
}

function parseBasic(header: string): { user: string; password: string } | undefined {
  const encoded = basicCredentials.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // One spelling, with its padding (RFC 7617 2, RFC 4648 3.2 and 3.5); Node's decoder accepts many.
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('utf8');
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
