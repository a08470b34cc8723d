import { withSignal } from './clock.ts';
import type { ErrorCode } from './errors.ts';
import { CatalogError } from './errors.ts';
import type { HttpAnswer, TransportParts } from './exchange.ts';
import { detailsOf, exchange, parseJson, unexpected } from './exchange.ts';
import type { Scope } from './types.ts';

/** The caller's credential: an API key, the two halves of one for access tokens, or tokens that something else provides. */
export type CredentialOptions =
  | { readonly apiKey: string }
  | {
      readonly clientId: string;
      readonly clientSecret: string;
      /** All scopes of the key when they are absent. */
      readonly scopes?: readonly Scope[];
      /** `/oauth/token` of the origin when it is absent. */
      readonly tokenUrl?: string;
    }
  | { readonly getToken: (signal?: AbortSignal) => Promise<string> };

export interface Credentials {
  /** What the key is called, which is no secret; undefined when it is not known. */
  readonly name: string | undefined;
  get(signal?: AbortSignal): Promise<string>;
  /** A credential was refused. @returns whether another one can be had */
  forget(credential: string): boolean;
}

export function createCredentials(options: CredentialOptions, origin: string, parts: TransportParts): Credentials {
  if ('apiKey' in options) {
    const { apiKey } = options;
    if (!/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError(
        'apiKey: expected an API key, which has visible ASCII characters only. Was a line break read with it?',
      );
    }
    return { name: apiKey.split('.')[0], get: () => Promise.resolve(apiKey), forget: () => false };
  }
  if ('clientId' in options) return createTokenSource({ tokenUrl: `${origin}/oauth/token`, ...options }, parts);
  return { name: undefined, get: (signal) => options.getToken(signal), forget: () => false };
}

interface Token {
  readonly text: string;
  /** When another is fetched instead. */
  readonly renewAt: number;
}

type ClientOptions = Extract<CredentialOptions, { readonly clientId: string }>;

/** Access tokens, fetched when they are needed, once for all calls that wait for one. */
function createTokenSource(options: ClientOptions & { readonly tokenUrl: string }, parts: TransportParts): Credentials {
  let token: Token | undefined;
  let pending: Promise<Token> | undefined;

  const fetchToken = async (): Promise<Token> => {
    token = await requestToken(options, parts);
    return token;
  };

  return {
    name: options.clientId,
    async get(signal) {
      if (token !== undefined && parts.clock.now() < token.renewAt) return token.text;
      // One caller's signal ends its own waiting, not what the others wait for.
      const fetching = (pending ??= fetchToken().finally(() => (pending = undefined)));
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
  const body = parseJson(answer) as {
    readonly access_token?: string;
    readonly expires_in?: number;
    readonly error?: string;
    readonly error_description?: string;
  } | null;
  if (typeof body?.error === 'string') {
    throw new CatalogError(
      body.error as ErrorCode,
      body.error_description ?? `The token endpoint said ${body.error}.`,
      {
        status: answer.status,
        ...detailsOf(answer.headers),
      },
    );
  }
  if (answer.status !== 200 || typeof body?.access_token !== 'string') throw unexpected(answer, 'an access token');
  const lifetime = (body.expires_in ?? 3600) * 1000;
  // A tenth early, a minute at most: no call leaves with a token that ends on its way.
  return { text: body.access_token, renewAt: sentAt + lifetime - Math.min(60_000, lifetime / 10) };
}
