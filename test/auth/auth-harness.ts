import { createAuthenticator, createKeyGate, createKeyReader } from '../../src/auth/authenticator';
import type { TokenResponse } from '../../src/auth/oauth/token-endpoint';
import { createTokenEndpoint } from '../../src/auth/oauth/token-endpoint';
import type { TokenRequest } from '../../src/auth/oauth/token-request';
import { createSigningKeySet, parseSigningKeys } from '../../src/auth/signing-keys';
import type { Database } from '../../src/database/database';
import { parseMediaType } from '../../src/http/request/buffered-bytes';
import { createMemoryRateLimiter, watchSpentBuckets } from '../../src/rate-limit/rate-limiter';
import type { SeededKey } from '../support/seed';

export const publicUrl = 'https://api.example';

/** A request as sent, with the text of its media type. */
export type SentTokenRequest = Omit<TokenRequest, 'contentType'> & { readonly contentType: string | undefined };

/** An authenticator and a token endpoint over one database, with an adjustable clock and a statement counter. */
export function createAuthHarness(database: Database) {
  let now = Date.parse('2026-01-31T12:00:00.000Z');
  let statements = 0;
  const counted: Database = {
    ...database,
    readRows: (statement) => {
      statements += 1;
      return database.readRows(statement);
    },
  };
  const clock = () => now;
  const { rateLimiter, isSpent } = watchSpentBuckets(createMemoryRateLimiter({ points: 120 }));
  const keys = createKeyGate({ readKey: createKeyReader(counted), isSpent });
  const signingKeys = parseSigningKeys(createSigningKeySet(), 'test');
  const authenticator = createAuthenticator({ keys, signingKeys, publicUrl, clock });
  const answerToken = createTokenEndpoint({
    keys,
    signingKeys,
    rateLimiter,
    publicUrl,
    resources: [publicUrl, `${publicUrl}/v1`],
    clock,
  });

  return {
    authenticator,
    signingKeys,
    clock,
    answerToken,
    authenticate: (token: string) => authenticator.authenticate([`Bearer ${token}`]),
    requestToken: (changes: Partial<SentTokenRequest> = {}): Promise<TokenResponse> => {
      const { contentType, ...request } = {
        method: 'POST',
        authorization: [],
        contentType: 'application/x-www-form-urlencoded',
        body: 'grant_type=client_credentials',
        ip: '192.0.2.1',
        ...changes,
      };
      return answerToken({
        ...request,
        contentType: contentType === undefined ? undefined : parseMediaType(contentType),
      });
    },
    /** The number of statements that `work` sends. */
    countStatements: async (work: () => Promise<unknown>) => {
      const before = statements;
      await work().catch(() => undefined);
      return statements - before;
    },
    moveClock: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

export type AuthHarness = ReturnType<typeof createAuthHarness>;

export const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

export async function mintToken({ requestToken }: AuthHarness, key: SeededKey, scope = ''): Promise<string> {
  const { body } = await requestToken({
    authorization: [basic(key.clientId, key.clientSecret)],
    body: `grant_type=client_credentials&scope=${encodeURIComponent(scope)}`,
  });
  return (JSON.parse(body) as { access_token: string }).access_token;
}
