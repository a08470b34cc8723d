import type { Clock } from '../common/clock';
import type { Database } from '../database/database';
import { readJson } from '../database/read-json';
import { sql } from '../database/sql';
import { ApiError } from '../errors/api-error';
import {
  createClientId,
  createSecret,
  digestSecret,
  parseClientId,
  toApiKeyText,
  toPublicClientId,
  isScope,
  scopes,
  toCommonScopes,
} from './api-key';
import { toKeyAddress } from './authenticator';
import type { Scope } from './api-key';

/** Later years do not have four digits, so D23 cannot represent them. */
const latestMoment = Date.UTC(9999, 11, 31);

/** A key together with its secret, which is not stored anywhere: it is shown once (D12). */
export interface IssuedApiKey {
  /** The part of `apiKey` before the dot. */
  readonly clientId: string;
  readonly clientSecret: string;
  readonly apiKey: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

/** A key for listings. Times as in D23. */
export interface ApiKeySummary {
  readonly clientId: string;
  readonly name: string | null;
  readonly scopes: readonly Scope[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
  /** Until when the secret from before the latest rotation remains valid. */
  readonly previousSecretExpiresAt: string | null;
}

interface CreateApiKeyOptions {
  readonly shopDomain: string;
  readonly scopes: readonly string[];
  readonly name?: string | null | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt?: number | null | undefined;
  readonly keyPrefix: string;
  readonly clock: Clock;
}

/**
 * @throws ApiError NOT_FOUND when there is no such shop, PLAN_LIMIT_EXCEEDED when it is not on business (D12),
 * BAD_USER_INPUT for unknown scopes or a time in the past
 */
export async function createApiKey(database: Database, options: CreateApiKeyOptions): Promise<IssuedApiKey> {
  const { shopDomain, name = null, expiresAt = null, keyPrefix, clock } = options;
  const granted = parseScopes(options.scopes);
  const now = clock();
  if (expiresAt !== null && (expiresAt <= now || expiresAt > latestMoment)) {
    throw new ApiError('BAD_USER_INPUT', "The key's expiry must be in the future and before the year 10000.");
  }
  const shop = await loadShop(database, shopDomain);
  const clientId = createClientId(shop.id);
  const secret = createSecret(clientId);
  // The plan is checked again where the row is written: it may have changed since it was read.
  const written = await database.prisma.$executeRaw`
      INSERT INTO api_keys (shop_id, client_id, key_prefix, name, scopes, secret_digest, created_at, expires_at)
      SELECT shop_id, ${clientId}, ${keyPrefix}, ${name}::text, ${granted}::text[],
             decode(${digestSecret(secret).toString('hex')}, 'hex'), ${toText(now)}::timestamptz, ${toText(expiresAt)}::timestamptz
        FROM shops WHERE shop_id = ${shop.id}::uuid AND plan = 'business'`;
  if (written === 0) throw planLimitExceeded(shopDomain, shop.plan);
  return toIssued({ keyPrefix, clientId, secret, scopes: granted, expiresAt: toText(expiresAt) });
}

/** Lists all keys of a shop, oldest first. @throws ApiError NOT_FOUND when there is no such shop */
export async function listApiKeys(database: Database, shopDomain: string): Promise<readonly ApiKeySummary[]> {
  const shop = await loadShop(database, shopDomain);
  const keys = await database.prisma.apiKey.findMany({
    where: { shopId: shop.id },
    omit: { secretDigest: true, previousSecretDigest: true },
    orderBy: [{ createdAt: 'asc' }, { clientId: 'asc' }],
  });
  const uses = await database.prisma.keyUsage.groupBy({
    by: ['clientId'],
    where: { shopId: shop.id },
    _max: { lastUsedAt: true },
  });
  const lastUses = new Map(uses.map(({ clientId, _max: { lastUsedAt } }) => [clientId, lastUsedAt]));
  return keys.map((key) => ({
    clientId: toPublicClientId(key.keyPrefix, key.clientId),
    name: key.name,
    scopes: toCommonScopes(key.scopes),
    createdAt: toText(key.createdAt),
    expiresAt: toText(key.expiresAt),
    revokedAt: toText(key.revokedAt),
    lastUsedAt: toText(lastUses.get(key.clientId) ?? null),
    previousSecretExpiresAt: toText(key.previousSecretExpiresAt),
  }));
}

/** @throws ApiError NOT_FOUND when the caller named a shop and the key is not one of its keys */
export async function requireKeyOf(
  database: Database,
  shopDomain: string | undefined,
  clientId: string,
): Promise<void> {
  if (shopDomain !== undefined && (await loadShop(database, shopDomain)).id !== toKeyName(clientId).shopId)
    throw noSuchKey(` of ${shopDomain}`);
}

/**
 * Revokes a key: the key and every token issued for it stop working immediately (D14). A second revocation changes
 * nothing.
 * @throws ApiError NOT_FOUND when there is no such key
 */
export async function revokeApiKey(
  database: Database,
  clientId: string,
  clock: Clock,
): Promise<{ readonly clientId: string; readonly revokedAt: string }> {
  const where = toKeyName(clientId);
  await database.prisma.apiKey.updateMany({
    where: { ...where, revokedAt: null },
    data: { revokedAt: new Date(clock()) },
  });
  const key = await database.prisma.apiKey.findFirst({
    where,
    select: { keyPrefix: true, clientId: true, revokedAt: true },
  });
  if (!key?.revokedAt) throw noSuchKey();
  return { clientId: toPublicClientId(key.keyPrefix, key.clientId), revokedAt: toText(key.revokedAt) };
}

/**
 * Replaces the secret of a key and keeps its client id. The old secret works until the overlap ends (D12). A secret
 * from before an earlier rotation stops working now: there are never more than two.
 * @throws ApiError NOT_FOUND when there is no such key, or it is revoked or expired
 */
export async function rotateApiKey(
  database: Database,
  clientId: string,
  { overlapMilliseconds, clock }: { readonly overlapMilliseconds: number; readonly clock: Clock },
): Promise<IssuedApiKey> {
  const secret = createSecret(parseClientId(clientId)?.clientId ?? '');
  const now = clock();
  const hasOverlap = overlapMilliseconds > 0;
  // One statement: of two concurrent rotations, the second sees the first one's secret as the previous one. Citus
  // computes nothing in RETURNING.
  const { shopId, clientId: id, keyPrefix = null } = toKeyName(clientId);
  const key = await readJson<{ keyPrefix: string; clientId: string; scopes: string[]; expiresAt: string | null }>(
    database,
    sql`
    WITH rotated AS (
      UPDATE api_keys
         SET secret_digest = decode(${digestSecret(secret).toString('hex')}, 'hex'),
             previous_secret_digest = CASE WHEN ${hasOverlap}::boolean THEN secret_digest END,
             previous_secret_expires_at = ${hasOverlap ? toText(now + overlapMilliseconds) : null}::timestamptz
       WHERE shop_id = ${shopId}::uuid AND client_id = ${id} AND key_prefix = coalesce(${keyPrefix}::text, key_prefix)
         AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${toText(now)}::timestamptz)
      RETURNING key_prefix, client_id, scopes, expires_at
    )
    SELECT json_build_object('keyPrefix', key_prefix, 'clientId', client_id, 'scopes', scopes,
                             'expiresAt', to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text
      FROM rotated`,
  );
  if (key === null) throw noSuchKey();
  return toIssued({ ...key, secret, scopes: toCommonScopes(key.scopes) });
}

const toIssued = (key: {
  keyPrefix: string;
  clientId: string;
  secret: string;
  scopes: readonly Scope[];
  expiresAt: string | null;
}): IssuedApiKey => ({
  clientId: toPublicClientId(key.keyPrefix, key.clientId),
  clientSecret: key.secret,
  apiKey: toApiKeyText(key),
  scopes: key.scopes,
  expiresAt: key.expiresAt,
});

async function loadShop(database: Database, domain: string): Promise<{ id: string; plan: string }> {
  const shop = await database.prisma.shop.findUnique({ where: { domain }, select: { shopId: true, plan: true } });
  if (shop === null)
    throw new ApiError('NOT_FOUND', `Shop ${domain} not found. List the shops with \`catalog shop list\`.`);
  return { id: shop.shopId, plan: shop.plan };
}

function parseScopes(words: readonly string[]): Scope[] {
  const known = words.filter(isScope);
  if (words.length === 0 || known.length !== words.length) {
    throw new ApiError('BAD_USER_INPUT', `Expected one or more of the scopes ${scopes.join(', ')}.`);
  }
  return [...toCommonScopes(known)];
}

/** Usage of a key on one day. */
export interface KeyUsage {
  readonly day: string;
  readonly clientId: string;
  readonly keyName: string | null;
  readonly requests: number;
  readonly rateLimited: number;
  readonly errors: number;
  readonly bytes: number;
  readonly cost: number;
}

/**
 * Usage of a shop's keys by day up to today, latest first.
 * @throws ApiError NOT_FOUND when there is no such shop
 */
export async function listKeyUsage(
  database: Database,
  shopDomain: string,
  days: number,
  clock: Clock,
): Promise<readonly KeyUsage[]> {
  // No limit: a command runs in its own process.
  return readKeyUsage(database, (await loadShop(database, shopDomain)).id, days, clock, 1_000_000_000);
}

/** Creating objects from this many rows takes 50 ms. Twelve keys have fewer in 400 days. */
const mostUsageRows = 5_000;

/**
 * Usage of each key of a shop by day up to today, latest first.
 * @throws ApiError BAD_USER_INPUT when there are more than `most` rows
 */
export async function readKeyUsage(
  { prisma }: Pick<Database, 'prisma'>,
  shopId: string,
  days: number,
  clock: Clock,
  most = mostUsageRows,
): Promise<readonly KeyUsage[]> {
  const since = new Date(new Date(clock()).setUTCHours(0, 0, 0, 0) - (days - 1) * 86_400_000);
  const [rows, keys] = await Promise.all([
    prisma.keyUsage.findMany({
      where: { shopId, day: { gte: since } },
      orderBy: [{ day: 'desc' }, { clientId: 'asc' }],
      take: most + 1,
    }),
    prisma.apiKey.findMany({ where: { shopId }, select: { clientId: true, keyPrefix: true, name: true } }),
  ]);
  if (rows.length > most)
    throw new ApiError(
      'BAD_USER_INPUT',
      `days: expected a smaller number: the usage of ${days} days has more than ${most} rows, one for each key and day.`,
    );
  const byId = new Map(keys.map((key) => [key.clientId, key]));
  return rows.map(({ day, clientId, requests, rateLimited, errors, bytes, cost }) => ({
    day: day.toISOString().slice(0, 10),
    clientId: toPublicClientId(byId.get(clientId)?.keyPrefix ?? '', clientId),
    keyName: byId.get(clientId)?.name ?? null,
    requests: Number(requests),
    rateLimited: Number(rateLimited),
    errors: Number(errors),
    bytes: Number(bytes),
    cost: Number(cost),
  }));
}

/** Identifies the row of a displayed client id; the prefix may be omitted. */
function toKeyName(text: string): { shopId: string; clientId: string; keyPrefix?: string } {
  const parsed = parseClientId(text);
  return {
    ...toKeyAddress(parsed?.clientId ?? ''),
    ...(typeof parsed?.keyPrefix === 'string' && { keyPrefix: parsed.keyPrefix }),
  };
}

// Does not quote the input, which may be a whole API key including its secret.
const noSuchKey = (ofShop = '') =>
  new ApiError('NOT_FOUND', `No active key${ofShop} has this client ID (the part of the API key before the dot).`);

const planLimitExceeded = (domain: string, plan: string) =>
  new ApiError('PLAN_LIMIT_EXCEEDED', `API keys require the "business" plan; the shop "${domain}" is on "${plan}".`);

const toText = <Moment extends number | Date | null>(moment: Moment) =>
  (moment === null ? null : new Date(moment).toISOString()) as Moment extends null ? null : string;
