import { decodePercent } from '../../common/parse-json';
import { maskMessage } from '../../privacy/addresses';
import { isPlausible, parseClientId, isScope, scopes, toCommonScopes } from '../api-key';
import type { PresentedCredential } from '../authenticator';
import type { Scope } from '../api-key';

/** A parsed Content-Type. */
export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  /** The values of all `charset` parameters in lower case. A malformed parameter is '', so that it is refused. */
  readonly charsets: readonly string[];
}

/** A request to the token endpoint, independent of the HTTP server. */
export interface TokenRequest {
  readonly method: string;
  /** The values of all Authorization headers. */
  readonly authorization: readonly string[];
  readonly contentType: MediaType | undefined;
  readonly body: Buffer | string;
  /** Failed attempts are counted by IP address. */
  readonly ip: string;
  /** Identifies the request in the log. */
  readonly requestId?: string | undefined;
}

/** The codes of RFC 6749 5.2 and RFC 8707 2, and those of RFC 6749 4.1.2.1 for a server that cannot answer. */
export type TokenErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'temporarily_unavailable'
  | 'server_error';

/** An error response of the token endpoint. Its description is public and may quote the request, so it is masked. */
export class TokenError extends Error {
  override readonly name = 'TokenError';

  constructor(
    readonly code: TokenErrorCode,
    description: string,
    readonly status = 400,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(maskMessage(description));
  }
}

const invalidRequest = (description: string, status?: number, headers?: Readonly<Record<string, string>>): TokenError =>
  new TokenError('invalid_request', description, status, headers);

/** Far more than a grant type and three scopes need. */
export const maximumBodyBytes = 16_384;

/** Form-encoded text is ASCII, which has the same bytes in each of these; some clients send ISO-8859-1 by default. */
const acceptedCharsets = ['utf-8', 'utf8', 'us-ascii', 'iso-8859-1'];

/** Checks method, size, media type and charset, then parses the body. No body is an empty form. */
export function parseForm({ method, contentType, body }: TokenRequest): URLSearchParams {
  if (method !== 'POST') {
    // Only letters, because an error description may not contain every character.
    const name = method.replace(/[^A-Z]/g, '').slice(0, 20);
    throw invalidRequest(`Expected POST, got ${name}.`, 405, { Allow: 'POST, OPTIONS' });
  }
  if (Buffer.byteLength(body) > maximumBodyBytes) {
    throw invalidRequest(`Expected a body of at most ${maximumBodyBytes} bytes.`, 413);
  }
  if (contentType === undefined ? body.length > 0 : !isForm(contentType)) {
    throw invalidRequest('Expected a body of type application/x-www-form-urlencoded in UTF-8.', 415);
  }
  const text = body.toString();
  // URLSearchParams would keep invalid percent-encoding as text.
  if (/%(?![0-9A-Fa-f]{2})/.test(text))
    throw invalidRequest('Expected a form-encoded body; got invalid percent-encoding.');
  const form = new URLSearchParams(text);
  // RFC 8707 allows several resources; RFC 6749 3.2 allows no other repetition.
  const names = [...form.keys()].filter((name) => name !== 'resource');
  if (new Set(names).size < names.length) throw invalidRequest('Parameters must not be repeated.');
  return form;
}

/** A parameter without a value counts as omitted (RFC 6749 3.2). */
const read = (form: URLSearchParams, name: string): string | undefined => form.get(name) || undefined;

const isForm = ({ essence, charsets }: MediaType): boolean =>
  essence === 'application/x-www-form-urlencoded' && charsets.every((charset) => acceptedCharsets.includes(charset));

const basicCredentials = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** In the terms of HTTP: the user is the client ID, the password its secret. */
interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/**
 * Parses the client ID and secret from HTTP Basic or from the body (RFC 6749 2.3.1). Returns undefined if they are
 * missing or this service cannot have issued them.
 * @throws TokenError when the client uses two authentication methods at once (RFC 6749 2.3)
 */
export function parseCredential(
  { authorization }: TokenRequest,
  form: URLSearchParams,
): PresentedCredential | undefined {
  const id = read(form, 'client_id');
  const secret = read(form, 'client_secret');
  // Assertions are not supported, but count: a client that also sends one is misconfigured.
  const methods = [...authorization, secret, read(form, 'client_assertion')].filter((method) => method !== undefined);
  if (methods.length > 1) throw invalidRequest('Expected one client authentication method, got several.');
  const basic = parseBasic(authorization[0] ?? '');
  if (basic !== undefined && id !== undefined && id !== basic.user) {
    throw invalidRequest('client_id does not match the Authorization header.');
  }
  const { user, password } = basic ?? { user: id ?? '', password: secret ?? '' };
  const client = parseClientId(user);
  const presented = client && { ...client, secret: password };
  return presented && isPlausible(presented) ? presented : undefined;
}

/** Parses an Authorization header; undefined if it is not valid HTTP Basic. */
function parseBasic(header: string): BasicCredentials | undefined {
  const encoded = basicCredentials.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  // Node also decodes text that is not canonical Base64: unpadded, or with stray bits (RFC 4648 3.2 and 3.5).
  if (bytes.toString('base64') !== encoded) return undefined;
  const text = bytes.toString('utf8');
  const colon = text.indexOf(':');
  if (colon < 0) return undefined;
  const user = decodeFormText(text.slice(0, colon));
  const password = decodeFormText(text.slice(colon + 1));
  return user === undefined || password === undefined ? undefined : { user, password };
}

/** RFC 6749 2.3.1: ID and secret are form-encoded before they are joined; some clients even encode `_` as %5F. */
const decodeFormText = (text: string): string | undefined => decodePercent(text.replaceAll('+', ' '));

/**
 * Returns all requested scopes, by default all scopes of the key (D13).
 * @param resources The URLs of this service's APIs. A token is valid for all of them, even if `resource` names one.
 * @throws TokenError for another grant type, a resource of another service, or a scope that the key does not have
 */
export function grantScopes(
  form: URLSearchParams,
  keyScopes: readonly string[],
  resources: readonly string[],
): readonly Scope[] {
  const grantType = read(form, 'grant_type');
  if (grantType === undefined) throw invalidRequest('Expected grant_type=client_credentials.');
  if (grantType !== 'client_credentials') {
    throw new TokenError('unsupported_grant_type', 'The only supported grant type is client_credentials.');
  }
  // A trailing slash is optional.
  if (
    !form.getAll('resource').every((resource) => resource === '' || resources.includes(resource.replace(/\/$/, '')))
  ) {
    throw new TokenError('invalid_target', `resource: expected one of ${resources.join(', ')}.`);
  }
  const requested = read(form, 'scope');
  if (requested === undefined) return toCommonScopes(keyScopes);
  const words = requested.split(' ');
  const wrong = words.find((word) => !keyScopes.includes(word));
  if (wrong !== undefined) {
    const granted = toCommonScopes(keyScopes).join(' ');
    const hint = isScope(wrong) ? '' : ` Scopes of this API: ${scopes.join(' ')}.`;
    throw new TokenError(
      'invalid_scope',
      `scope: expected a space-separated list of the scopes granted to this key (${granted}), got ${describeScope(wrong)}.${hint}`,
    );
  }
  return toCommonScopes(keyScopes, words);
}

/** Quotes the scope if it is short and has only characters that RFC 6749 5.2 allows in an error description. */
const describeScope = (word: string): string =>
  /^[\x21\x23-\x5b\x5d-\x7e]{1,60}$/.test(word) ? word : 'an invalid scope';
