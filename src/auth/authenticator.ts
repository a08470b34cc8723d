import { LRUCache } from 'lru-cache';
import { hash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../common/clock';
import type { SigningKeys } from '../config/signing-key-set';
import { toDatabaseApiError, StandbyError } from '../database/database-failure';
import { ApiError } from '../errors/api-error';
import { toApiError } from '../errors/to-api-error';
import type { IsSpent } from '../rate-limit/rate-limiter';
import { addressBucket, windowSeconds } from '../rate-limit/rate-limiter';
import { toTokenAudience } from './access-token';
import type { UntimelyAccessToken, VerifiedAccessToken } from './access-token-verifier';
import { clockSkewSeconds, createAccessTokenVerifier } from './access-token-verifier';
import {
  digestSecret,
  nilShopId,
  parseApiKey,
  parseClientId,
  shopIdOfClientId,
  toPublicClientId,
  toCommonScopes,
} from './api-key';
import type { Principal, ShopRecord } from './principal';
import { createCoalescedRead } from '../database/bounded-pool';
import type { Database } from '../database/database';
import { fence, sql } from '../database/sql';
import { usesCitus } from '../database/sharding/shard-groups';

type PresentedToken =
  /** `none`: no credential, or one of another scheme; both are a call without authentication (RFC 6750 3.1). */
  | { readonly kind: 'none'; readonly value: string }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string };

const bearerScheme = /^bearer(?: |$)/i;
/** RFC 6750 2.1: credentials = "Bearer" 1*SP b64token; the scheme in any case (RFC 9110 11.1). */
const bearerCredentials = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Finds the bearer token among the values of all Authorization headers, around which Node.js has removed the white
 * space of HTTP (RFC 9110 5.5). Two values are malformed, because neither takes precedence.
 */
export function parseBearerToken(authorization: readonly string[]): PresentedToken {
  const [value = '', ...others] = authorization;
  if (others.length > 0) return { kind: 'malformed' };
  if (!bearerScheme.test(value)) return { kind: 'none', value };
  const token = bearerCredentials.exec(value)?.[1];
  return token === undefined ? { kind: 'malformed' } : { kind: 'token', token };
}

/** A presented client id and secret. */
export interface PresentedCredential {
  /** Undefined when the id was given without it: the token endpoint accepts both spellings (D13). */
  readonly keyPrefix: string | undefined;
  readonly clientId: string;
  readonly secret: string;
}

/** A presented secret, or a token that was issued for it. */
interface PresentedKey extends Pick<PresentedCredential, 'keyPrefix' | 'clientId'> {
  readonly secretDigest: Buffer;
}

export const toPresented = ({ keyPrefix, clientId, secret }: PresentedCredential): PresentedKey => ({
  keyPrefix,
  clientId,
  secretDigest: digestSecret(secret),
});

/** Replaces the digest of a key that does not exist; no secret is known for it. */
const dummyDigest = digestSecret('no such key').toString('hex');

/** Returns where to look for a client id. An id without a shop is looked up like any other, where there are no rows. */
export function toKeyAddress(clientId: string): KeyAddress {
  const shopId = shopIdOfClientId(clientId);
  return shopId === undefined ? { shopId: nilShopId, clientId: '' } : { shopId, clientId };
}

/** Whether an existing key may be used now: it may not once it is revoked or expired. */
export const isUsable = (record: KeyRecord, now: number): boolean => !record.revoked && isBefore(now, record.expiresAt);

/**
 * Returns the key's row when id, prefix and secret match and the key may be used; otherwise undefined, without a
 * reason. An unknown id, a malformed one and a wrong secret cost the same: one read and two comparisons in constant
 * time (D12).
 */
export async function loadKey(
  readKey: KeyReader,
  { keyPrefix, clientId, secretDigest }: PresentedKey,
  now: number,
): Promise<KeyRecord | undefined> {
  const record = await readKey(toKeyAddress(clientId));
  const isCurrent = equalsDigest(secretDigest, record?.secretDigest);
  const isPrevious = equalsDigest(secretDigest, record?.previousSecretDigest);
  if (record === undefined) return undefined;
  const secretMatches = isCurrent || (isPrevious && isBefore(now, record.previousSecretExpiresAt));
  const prefixMatches = keyPrefix === undefined || keyPrefix === record.keyPrefix;
  return secretMatches && prefixMatches && isUsable(record, now) ? record : undefined;
}

const equalsDigest = (digest: Buffer, stored: string | null | undefined): boolean =>
  timingSafeEqual(digest, Buffer.from(stored ?? dummyDigest, 'hex')) && stored != null;

/** Whether `end` is null or in the future. */
const isBefore = (now: number, end: number | null): boolean => end === null || now < end;

/** A credential with the format of this service, and its origin. */
interface Attempt {
  /** API key, access token, or client id and secret. Only a digest of it is stored. */
  readonly credential: string;
  /** The bucket of the address against which failures are counted. */
  readonly nameBucket: () => string;
  readonly now: number;
}

/** Guards the key's row: a credential that is known to be refused is not read again (docs/decisions.md 7). */
export interface KeyGate {
  /**
   * Returns what `load` finds with the given reader. Returns undefined without a read when the bucket of the address is
   * empty and this very credential found nothing from this address within the window.
   */
  find(attempt: Attempt, load: (readKey: KeyReader) => Promise<KeyRecord | undefined>): Promise<KeyRecord | undefined>;
}

interface KeyGateOptions {
  readonly readKey: KeyReader;
  /** For addresses with an empty bucket: however many keys they try, they do not delay others. */
  readonly readSuspectKey?: KeyReader;
  readonly isSpent?: IsSpent;
}

/** At most three megabytes. When more credentials are tried, the oldest are dropped and read once more. */
const maximumRefusals = 20_000;

export function createKeyGate({ readKey, readSuspectKey = readKey, isSpent = () => false }: KeyGateOptions): KeyGate {
  const refusedUntil = new LRUCache<string, number>({ max: maximumRefusals });
  return {
    async find({ credential, nameBucket, now }, load) {
      const isSuspect = isSpent(nameBucket);
      if (isSuspect && now < (refusedUntil.get(toName(nameBucket, credential)) ?? -Infinity)) return undefined;
      const record = await load(isSuspect ? readSuspectKey : readKey);
      if (record === undefined) refusedUntil.set(toName(nameBucket, credential), now + windowSeconds * 1000);
      return record;
    },
  };
}

const toName = (nameBucket: () => string, credential: string): string =>
  `${nameBucket()} ${hash('sha256', credential, 'base64url')}`;

export interface Authenticator {
  /**
   * Authenticates the caller by the values of all Authorization headers of the request.
   * @param client Its address is computed only when needed, because that takes time.
   * @throws ApiError UNAUTHORIZED, with a fault if a credential was presented (D16), SERVICE_UNAVAILABLE; nothing else
   */
  authenticate(authorization: readonly string[], client?: AuthenticatedClient): Promise<Principal>;
}

interface AuthenticatedClient {
  readonly ip?: string | undefined;
  /** Its call has begun: an access token had to be valid then, its secret has to be valid now. */
  readonly hasBegun?: boolean;
}

interface AuthenticatorOptions {
  readonly keys: KeyGate;
  readonly signingKeys: SigningKeys;
  /** Origin of issuer and audience (D17). */
  readonly publicUrl: string;
  readonly clock: Clock;
  /** Called with every key that is used. */
  readonly noteUse?: ((principal: Principal) => void) | undefined;
}

/**
 * Authenticates by API key or access token: both lead to the key's row, which determines what they may do now (D12,
 * D14).
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { keys, signingKeys, publicUrl, clock, noteUse } = options;
  const verifyAccessToken = createAccessTokenVerifier(signingKeys, toTokenAudience(publicUrl));

  const loadPrincipal = async (token: string, client: AuthenticatedClient): Promise<Principal | undefined> => {
    const now = clock();
    const apiKey = parseApiKey(token);
    const accessToken = apiKey === undefined ? verifyAccessToken(token, client.hasBegun ? undefined : now) : undefined;
    if (accessToken !== undefined && 'untimely' in accessToken) throw refuse(...describeUntimely(accessToken));
    const presented = apiKey ? toPresented(apiKey) : accessToken && toPresentedByToken(accessToken);
    if (presented === undefined) return undefined;
    const attempt = { credential: token, nameBucket: () => addressBucket(client.ip), now };
    const record = await keys.find(attempt, (readKey) => loadKey(readKey, presented, now));
    if (record === undefined) return undefined;
    const principal: Principal = {
      clientId: toPublicClientId(record.keyPrefix, record.clientId),
      scopes: toCommonScopes(record.scopes, accessToken?.scopes ?? record.scopes),
      shop: record.shop,
      dataVersion: record.dataVersion,
    };
    noteUse?.(principal);
    return principal;
  };

  return {
    async authenticate(authorization, client = {}) {
      const presented = parseBearerToken(authorization);
      if (presented.kind === 'none') {
        throw new ApiError('UNAUTHORIZED', describeMissing(presented.value));
      }
      const principal =
        presented.kind === 'token'
          ? await loadPrincipal(presented.token, client).catch((thrown: unknown) => {
              throw toDatabaseApiError(thrown) ?? toApiError(thrown);
            })
          : undefined;
      if (principal === undefined) {
        throw refuse(
          'The API key or access token is malformed, unknown, expired or revoked.',
          'The credential is not valid',
        );
      }
      return principal;
    },
  };
}

const refuse = (message: string, description: string): ApiError =>
  new ApiError('UNAUTHORIZED', message, { credentialFault: { error: 'invalid_token', description } });

const expectation = 'Expected a credential in the Authorization header: Bearer <API key or access token>';

/** Describes the header value without quoting it, because it may contain a key. */
function describeMissing(value: string): string {
  if (value === '') return `${expectation}.`;
  const scheme = /^[A-Za-z]+(?= )/.exec(value)?.[0];
  if (scheme !== undefined) return `${expectation}; got a different scheme.`;
  return `${expectation}; got a value that does not start with "Bearer ".`;
}

/** The message, and the description for the challenge. */
function describeUntimely({ untimely, seconds }: UntimelyAccessToken): [message: string, description: string] {
  if (untimely === 'expired') {
    const description = `The access token expired ${seconds} s ago`;
    return [`${description}. Request a new one from the token endpoint.`, description];
  }
  const description = `The access token becomes valid in ${seconds} s`;
  return [
    `${description}; at most ${clockSkewSeconds} s of clock skew is allowed. ` +
      'Check the clocks of the issuer and of this server.',
    description,
  ];
}

/** A token is valid only as long as the secret that it was issued for, and its key (D14). */
function toPresentedByToken({ clientId, secretDigest }: VerifiedAccessToken): PresentedKey | undefined {
  const parsed = parseClientId(clientId);
  return parsed?.keyPrefix === undefined ? undefined : { ...parsed, secretDigest };
}

/** Where a key's row is: every lookup includes the shop, so that it can be routed to the shop's shard. */
interface KeyAddress {
  readonly shopId: string;
  /** Without the prefix. */
  readonly clientId: string;
}

/** The result of one read: a key, its shop and the version of the shop's data, all from one snapshot. */
export interface KeyRecord {
  readonly keyPrefix: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** SHA-256 in hexadecimal, like the previous one. */
  readonly secretDigest: string;
  readonly previousSecretDigest: string | null;
  /** Milliseconds since the epoch, like the next one; either may be infinite. */
  readonly previousSecretExpiresAt: number | null;
  readonly expiresAt: number | null;
  readonly revoked: boolean;
  readonly dataVersion: string;
  readonly shop: ShopRecord;
}

/** Reads a key's row. The statement begins after the call, and nothing is cached between calls. */
type KeyReader = (address: KeyAddress) => Promise<KeyRecord | undefined>;

/** One read per request returns everything that authentication needs (D14); concurrent requests share it. */
export function createKeyReader(database: Database, maximumInFlight = 2): KeyReader {
  let hasShards: Promise<boolean> | undefined;
  const detectShards = (): Promise<boolean> =>
    usesCitus(database).catch((error: unknown) => {
      hasShards = undefined;
      throw error;
    });
  const select = (group: readonly KeyAddress[]) =>
    selectKeys(database, group).catch((error: unknown) => error as Error);
  return createCoalescedRead({
    async readMany(addresses) {
      const shopIds = new Set(addresses.map(({ shopId }) => shopId));
      // Behind a router of shards each shop has another server.
      const isSplit = shopIds.size > 1 && (await (hasShards ??= detectShards()));
      const groups = isSplit ? [...shopIds].map((id) => addresses.filter(({ shopId }) => shopId === id)) : [addresses];
      const found = await Promise.all(groups.map(select));
      const ofShop = new Map([...shopIds].map((shopId, index) => [shopId, found[isSplit ? index : 0]]));
      return addresses.map((address) => {
        const keys = ofShop.get(address.shopId);
        return keys instanceof Error ? keys : keys?.get(nameOf(address));
      });
    },
    maximumKeys: 1_000,
    maximumInFlight,
    maximumDelayMilliseconds: 250,
  });
}

const nameOf = ({ shopId, clientId }: KeyAddress): string => `${shopId} ${clientId}`;

/**
 * The keys at these addresses, as one text: Prisma's cost is per value, not per byte. Arrays of text cost PostgreSQL
 * half as much as JSON objects. A standby returns only null, because its data about a key is old.
 */
async function selectKeys(
  database: Database,
  addresses: readonly KeyAddress[],
): Promise<ReadonlyMap<string, KeyRecord>> {
  const shopIds = addresses.map(({ shopId }) => shopId);
  const clientIds = addresses.map(({ clientId }) => clientId);
  // One by one, so that each is found by its key whatever the planner estimates for the arrays.
  const found = shopIds.every((shopId) => shopId === shopIds[0])
    ? sql`api_keys AS k JOIN shops AS s ON s.shop_id = k.shop_id
     WHERE k.shop_id = ${shopIds[0]}::uuid AND k.client_id = ANY (${[...new Set(clientIds)]}::text[])`
    : sql`(SELECT DISTINCT * FROM unnest(${shopIds}::uuid[], ${clientIds}::text[]) AS u) AS asked (shop_id, client_id)
     CROSS JOIN LATERAL (
           SELECT * FROM api_keys AS k WHERE k.shop_id = asked.shop_id AND k.client_id = asked.client_id ${fence}) AS k
     CROSS JOIN LATERAL (SELECT * FROM shops AS s WHERE s.shop_id = asked.shop_id ${fence}) AS s`;
  const [[json] = []] = await database.readRows(
    sql`
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN coalesce(json_agg(ARRAY[
             k.key_prefix, k.client_id, array_to_string(k.scopes, ' '), k.revoked_at::text,
             encode(k.secret_digest, 'hex'), encode(k.previous_secret_digest, 'hex'),
             extract(epoch FROM k.previous_secret_expires_at)::text, extract(epoch FROM k.expires_at)::text,
             s.data_version::text, s.shop_id::text, s.name, s.domain, s.platform, s.currency, s.plan, s.plan_status,
             s.product_limit::text, least(s.product_limit, s.live_product_count)::text,
             extract(epoch FROM s.last_sync_at)::text, extract(epoch FROM s.created_at)::text]), '[]')::text END AS keys
      FROM ${found}`,
  );
  if (typeof json !== 'string') throw new StandbyError();
  const records = (JSON.parse(json) as KeyRow[]).map(toKeyRecord);
  return new Map(records.map((record) => [nameOf({ shopId: record.shop.id, clientId: record.clientId }), record]));
}

type OrNull = string | null;
/** The columns, as `toKeyRecord` names them. Times in seconds since the epoch. */
type KeyRow = readonly [
  ...[string, string, string, OrNull, string, OrNull, OrNull, OrNull, string, string, OrNull, string],
  ...[OrNull, OrNull, ShopRecord['plan'], string, OrNull, string, OrNull, string],
];

function toKeyRecord(row: KeyRow): KeyRecord {
  const [keyPrefix, clientId, scopes, revokedAt, secretDigest, previousSecretDigest, previousEnd, end, ...others] = row;
  const [dataVersion, id, name, domain, platform, currency, plan, planStatus, limit, count, syncedAt, createdAt] =
    others;
  return {
    keyPrefix,
    clientId,
    scopes: scopes.split(' '),
    secretDigest,
    previousSecretDigest,
    previousSecretExpiresAt: orNull(previousEnd, toMilliseconds),
    expiresAt: orNull(end, toMilliseconds),
    revoked: revokedAt !== null,
    dataVersion,
    shop: {
      id,
      name,
      domain,
      platform,
      currency,
      plan,
      planStatus,
      productLimit: orNull(limit, Number),
      productCount: Number(count),
      lastSyncAt: orNull(syncedAt, toText),
      createdAt: toText(createdAt),
    },
  };
}

const orNull = <Value>(text: OrNull, convert: (text: string) => Value): Value | null =>
  text === null ? null : convert(text);
const toMilliseconds = (seconds: string): number => Math.round(Number(seconds) * 1000);
const toText = (seconds: string): string => new Date(toMilliseconds(seconds)).toISOString();
