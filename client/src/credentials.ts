import { withSignal } from './clock.ts';
import type { ErrorCode } from './errors.ts';
import { CatalogError } from './errors.ts';
import type { HttpAnswer, TransportParts } from './exchange.ts';
import { detailsOf, exchange, inTime, parseJson, unexpected } from './exchange.ts';
import type { Scope } from './types.ts';

/** The caller's credential: an API key, its two parts for access tokens, or a function that provides tokens. */
export type CredentialOptions =
  | { readonly apiKey: string }
  | {
      readonly clientId: string;
      readonly clientSecret: string;
      /** Default: all scopes of the key. */
      readonly scopes?: readonly Scope[] | undefined;
      /** Default: `/oauth/token` of the service. */
      readonly tokenUrl?: string | undefined;
    }
  | { readonly getToken: (signal?: AbortSignal) => Promise<string> };

export interface Credentials {
  /** Public name of the key; undefined if unknown. */
  readonly name: string | undefined;
  get(signal?: AbortSignal): Promise<string>;
  /** Discards a rejected credential. @returns whether a new one can be requested */
  forget(credential: string): boolean;
}

export function createCredentials(options: CredentialOptions, origin: string, parts: TransportParts): Credentials {
  demand(typeof options === 'object' && options !== null, 'credentials', options, 'an object');
  if (!['apiKey', 'clientId', 'getToken'].some((name) => name in options))
    throw new TypeError('credentials: expected the property apiKey, clientId or getToken.');
  if ('apiKey' in options) {
    const apiKey = checkSecret('apiKey', options.apiKey, 'an API key as a string');
    return { name: apiKey.split('.')[0], get: () => Promise.resolve(apiKey), forget: () => false };
  }
  if ('clientId' in options) {
    demand(typeof options.clientId === 'string', 'clientId', options.clientId, 'a string');
    demand(typeof options.clientSecret === 'string', 'clientSecret', options.clientSecret, 'a string');
    return createTokenSource({ ...options, tokenUrl: options.tokenUrl ?? `${origin}/oauth/token` }, parts);
  }
  demand(typeof options.getToken === 'function', 'getToken', options.getToken, 'a function');
  return {
    name: undefined,
    async get(signal) {
      // May return a string or throw in plain JavaScript.
      const getToken = async (attempt: AbortSignal): Promise<string> => options.getToken(attempt);
      return checkSecret('getToken()', await inTime('getToken()', parts.timeoutMs, getToken, signal), 'a token');
    },
    forget: () => false,
  };
}

/** Headers cannot have other characters: the error of fetch would contain the secret. */
function checkSecret(name: string, secret: unknown, expected = 'a string'): string {
  demand(typeof secret === 'string', name, secret, expected);
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw new TypeError(
    `${name}: expected one or more visible ASCII characters. Is the value empty, or does it contain a line break?`,
  );
}

/**
 * A missing string usually means an unset environment variable. Reports only the type of the value, which may be a
 * secret.
 */
export function demand(isRight: boolean, name: string, value: unknown, expected: string): asserts isRight {
  if (isRight) return;
  const hint = value === undefined && expected.endsWith('string') ? ' Is the environment variable set?' : '';
  throw new TypeError(`${name}: expected ${expected}, got ${value === null ? 'null' : typeof value}.${hint}`);
}

/** Timers treat NaN and negative delays as 1 ms. */
export function demandNumber(name: string, value: number): number {
  if (value >= 0) return value;
  throw new TypeError(`${name}: expected a number of at least 0, got ${value}.`);
}

/** Plain JavaScript may pass the AbortController, which would fail only after the request was sent. */
export function demandSignal(signal: AbortSignal | undefined): void {
  demand(!signal || typeof signal.aborted === 'boolean', 'signal', signal, 'an AbortSignal');
}

interface Token {
  readonly text: string;
  /** When to fetch a new one. */
  readonly renewAt: number;
}

type ClientOptions = Extract<CredentialOptions, { readonly clientId: string }>;

/** Fetches access tokens on demand. Concurrent calls share one request. */
function createTokenSource(options: ClientOptions & { readonly tokenUrl: string }, parts: TransportParts): Credentials {
  let token: Token | undefined;
  let pending: Promise<Token> | undefined;

  return {
    name: options.clientId,
    async get(signal) {
      signal?.throwIfAborted();
      if (token !== undefined && parts.clock.now() < token.renewAt) return token.text;
      // A caller's signal cancels only its own wait, not the shared request.
      const fetching = (pending ??= requestToken(options, parts)
        .then((fetched) => (token = fetched))
        .finally(() => (pending = undefined)));
      const { text } = await withSignal<Token>(signal, (resolve, reject) => {
        fetching.then(resolve, reject);
        return () => undefined;
      });
      return text;
    },
    forget(credential) {
      if (token?.text === credential) token = undefined;
      return true;
    },
  };
}

async function requestToken(
  { clientId, clientSecret, scopes = [], tokenUrl }: ClientOptions & { readonly tokenUrl: string },
  parts: TransportParts,
): Promise<Token> {
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length > 0) body.set('scope', scopes.join(' '));
  const basic = btoa(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`);
  const headers = { Authorization: `Basic ${basic}`, 'Content-Type': 'application/x-www-form-urlencoded' };
  const sentAt = parts.clock.now();
  return readToken(await exchange({ url: tokenUrl, method: 'POST', headers, body: body.toString() }, parts), sentAt);
}

function readToken(answer: HttpAnswer, sentAt: number): Token {
  const { access_token: text, expires_in: seconds, error, error_description: description } = parseJson(answer);
  if (typeof error === 'string') {
    const message = typeof description === 'string' ? description : `The token endpoint returned ${error}.`;
    throw new CatalogError(error as ErrorCode, message, { status: answer.status, ...detailsOf(answer.headers) });
  }
  if (answer.status !== 200 || typeof text !== 'string') throw unexpected(answer, 'an access token');
  const lifetime = (typeof seconds === 'number' ? seconds : 3600) * 1000;
  // A tenth of the lifetime early, at most a minute, so that no token expires in transit.
  return { text: checkSecret('access_token', text), renewAt: sentAt + lifetime - Math.min(60_000, lifetime / 10) };
}
