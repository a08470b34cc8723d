import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { JWTPayload } from 'jose' with { 'resolution-mode': 'import' };
import { clockSkewSeconds } from '../../auth/access-token-verifier';
import { parseBearerToken } from '../../auth/authenticator';
import { ApiError } from '../../errors/api-error';
import type { Caller } from '../supergraph/scope-requirements';
import { anonymous } from '../supergraph/scope-requirements';
import { readBoundedText } from '../transport/bounded-text';

interface BearerCallersOptions {
  /** The URL or the file of the JSON Web Key Set of the issuer of the tokens. */
  readonly jwks: string;
  /** `iss` of every token. */
  readonly issuer: string;
  /** The name of this graph, which `aud` has to contain. */
  readonly audience: string;
  /** Receives the reason, for the log, when the keys cannot be loaded. */
  readonly onKeyFailure: (problem: string) => void;
  readonly now?: (() => number) | undefined;
}

/**
 * Returns the caller of a request from its Authorization headers: anonymous without a bearer token.
 * @throws ApiError: 401 for a token that is not valid, 503 when that cannot be decided.
 */
export type ReadCaller = (authorization: readonly string[]) => Promise<Caller>;

/** Asymmetric ones only: with a symmetric one, anyone who knows the public keys could sign. */
const algorithms = [
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];

/**
 * Types of access tokens: that of RFC 9068, and those that older issuers use. Other tokens of the same issuer, such as
 * logout tokens, have other types.
 */
const types: ReadonlySet<unknown> = new Set([undefined, 'jwt', 'at+jwt', 'application/at+jwt']);

/** Minimum time between lookups of unknown keys, so that made-up keys cause no more requests. */
const reloadMilliseconds = 30_000;
/** A withdrawn key is accepted no longer than this. */
const maxAgeMilliseconds = 10 * 60_000;
const timeoutMilliseconds = 5000;
const keySetLimits = { maxBytes: 1024 * 1024, maxValues: 10_000, maxDepth: 20 };

/**
 * Creates a reader of callers that verifies bearer tokens (JWT) by the keys of their issuer.
 * @throws Error when the keys are in a file that has none.
 */
export async function createBearerCallers(options: BearerCallersOptions): Promise<ReadCaller> {
  const { issuer, audience, onKeyFailure, now = Date.now } = options;
  // Loaded here and not above: only a gateway that verifies tokens needs it.
  const { createRemoteJWKSet, customFetch, errors, jwtVerify } = await import('jose');
  const isUrl = /^https?:\/\//i.test(options.jwks);
  const keys = createRemoteJWKSet(isUrl ? new URL(options.jwks) : pathToFileURL(resolve(options.jwks)), {
    cooldownDuration: reloadMilliseconds,
    cacheMaxAge: maxAgeMilliseconds,
    timeoutDuration: timeoutMilliseconds,
    [customFetch]: isUrl ? fetchBounded : readBounded,
  });
  await keys.reload().catch((thrown: unknown) => {
    const problem = `--jwks ${options.jwks}: expected a JSON Web Key Set: ${describeKeySetFailure(thrown)}`;
    if (!isUrl) throw new Error(problem);
    // The issuer may be available again before the first token arrives.
    onKeyFailure(problem);
  });

  const isRefusal = (thrown: unknown): boolean =>
    thrown instanceof errors.JOSEError &&
    !(thrown instanceof errors.JWKSTimeout || thrown instanceof errors.JWKSInvalid) &&
    thrown.code !== 'ERR_JOSE_GENERIC';

  return async (authorization) => {
    const presented = parseBearerToken(authorization);
    if (presented.kind === 'none') return anonymous;
    if (presented.kind === 'malformed') throw invalidToken('expected one bearer token');
    try {
      const { payload, protectedHeader } = await jwtVerify(presented.token, keys, {
        algorithms,
        issuer,
        audience,
        requiredClaims: ['exp'],
        clockTolerance: clockSkewSeconds,
        currentDate: new Date(now()),
      });
      if (!types.has(protectedHeader.typ?.toLowerCase())) throw invalidToken('expected an access token');
      // The clock tolerance is for the start of a token's validity, not for its end.
      if ((payload.exp ?? 0) * 1000 <= now()) throw invalidToken('the token has expired');
      return { isAuthenticated: true, scopes: scopesOf(payload) };
    } catch (thrown) {
      if (thrown instanceof ApiError) throw thrown;
      if (isRefusal(thrown)) {
        throw invalidToken(thrown instanceof errors.JWTExpired ? 'the token has expired' : 'the token is not valid');
      }
      onKeyFailure(`--jwks ${options.jwks}: ${describeKeySetFailure(thrown)}`);
      throw new ApiError('SERVICE_UNAVAILABLE', 'Tokens cannot be verified right now. Try again.');
    }
  };
}

/** `scope` is text (RFC 8693 4.2); some issuers use `scp` instead, as text or a list. */
function scopesOf(payload: JWTPayload): ReadonlySet<string> {
  const claim = payload['scope'] ?? payload['scp'];
  const words: readonly unknown[] = typeof claim === 'string' ? claim.split(' ') : Array.isArray(claim) ? claim : [];
  return new Set(words.filter((word): word is string => typeof word === 'string' && word !== ''));
}

/** RFC 6750 3: the challenge says why the token was refused. */
const invalidToken = (description: string): ApiError =>
  new ApiError('UNAUTHORIZED', `The bearer token was rejected: ${description}.`, {
    credentialFault: { error: 'invalid_token', description },
  });

async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  const body = response.body === null ? Readable.from([]) : Readable.fromWeb(response.body);
  return new Response(await readBoundedText(body, keySetLimits), { status: response.status });
}

const readBounded = async (url: string): Promise<Response> => new Response(await readFile(new URL(url)));

const describeKeySetFailure = (thrown: unknown): string => {
  const { message, cause } = thrown as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
};
