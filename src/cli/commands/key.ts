import type { ApiKeySummary, IssuedApiKey, KeyUsage } from '../../auth/api-keys';
import type { Scope } from '../../auth/api-key';
import type { Config } from '../../config/config';
import { usageDays } from '../../database/sql-constants';
import { argument, command, given, inSnakeCase, needed, usual, type CliResult } from '../command';
import { collectScope, parseDays, parseDomain, parseDuration, parseLifetime, parseName } from '../option-values';
import { textTable } from '../text-table';

const login = 'catalog_admin';
const ofShop = needed('<domain>', "the shop's domain", parseDomain);
const onlyOfShop = given('<domain>', 'fail if the key belongs to another shop', parseDomain);
const clientId = argument('<client_id>', 'the part of the key before the dot');
const issued = '{client_id, client_secret, api_key, scopes, expires_at}';

export const keyCreateCommand = command({
  name: 'key create',
  login,
  summary: 'create an API key (shown only once)',
  details: `Use the key as \`Authorization: Bearer <api_key>\`, or its two parts as client ID and client secret at the OAuth token endpoint.
Only a digest of the secret is stored, so a lost secret cannot be recovered.
Grant only the scopes you need. The shop must be on the business plan.

Scopes:
  catalog:read  products, variants, collections
  orders:read   orders
  account:read  the shop, its plan and counters`,
  examples: [
    'catalog key create --shop shop.example --scope catalog:read --name storefront',
    'catalog key create --shop a.example --scope catalog:read --expires-in 90d',
    'catalog key create --shop a.example --scope orders:read --json | jq .api_key',
  ],
  options: {
    shop: ofShop,
    scope: needed('<scope>', 'catalog:read, orders:read or account:read; can be repeated', collectScope),
    name: given('<name>', 'name of the key, shown by key list', parseName),
    expiresIn: given('<duration>', 'lifetime of the key, such as 90d or 12h (default: until revoked)', parseLifetime),
  },
  json: issued,
  async run({ config, clock, database }, { shop, scope, name, expiresIn }) {
    const { createApiKey } = await import('../../auth/api-keys.js');
    const key = await createApiKey(await database(), {
      shopDomain: shop,
      scopes: scope,
      name,
      expiresAt: expiresIn === undefined ? undefined : clock() + expiresIn,
      keyPrefix: config.keyPrefix,
      clock,
    });
    return issuedKey(key, config, `Created a key for ${shop}. Copy it now: it is not shown again.`);
  },
});

export const keyListCommand = command({
  name: 'key list',
  login,
  summary: "list a shop's API keys, without secrets",
  details: 'Includes revoked and expired keys. CLIENT_ID is the part of the key before the dot.',
  examples: [
    'catalog key list --shop shop.example',
    "catalog key list --shop shop.example --json | jq -r '.[].client_id'",
  ],
  options: { shop: ofShop },
  json: 'an array of keys',
  async run({ clock, database }, { shop }) {
    const { listApiKeys } = await import('../../auth/api-keys.js');
    const keys = await listApiKeys(await database(), shop);
    return { json: keys.map(inSnakeCase), text: toText(keys, clock()) };
  },
});

function toText(keys: readonly ApiKeySummary[], now: number): string {
  if (keys.length === 0) return 'No keys yet. Create one with `catalog key create`.';
  return textTable(
    ['CLIENT_ID', 'NAME', 'SCOPES', 'STATE', 'CREATED', 'LAST USED'],
    keys.map((key) => [
      key.clientId,
      key.name ?? '–',
      key.scopes.join(' '),
      toState(key, now),
      key.createdAt.slice(0, 10),
      key.lastUsedAt?.slice(0, 10) ?? 'never',
    ]),
  );
}

function toState({ revokedAt, expiresAt }: ApiKeySummary, now: number): string {
  if (revokedAt !== null) return `revoked ${revokedAt.slice(0, 10)}`;
  if (expiresAt === null) return 'active';
  return `${Date.parse(expiresAt) > now ? 'active until' : 'expired'} ${expiresAt.slice(0, 10)}`;
}

export const keyRevokeCommand = command({
  name: 'key revoke',
  login,
  summary: 'revoke an API key permanently',
  details: `The key and all its access tokens are rejected from the next request on. Revoking it again changes nothing. To replace a key
without downtime, rotate it instead.`,
  examples: ['catalog key revoke ck_4fZ…', 'catalog key revoke ck_4fZ… --json'],
  argument: clientId,
  options: { shop: onlyOfShop },
  json: '{client_id, revoked_at}',
  async run({ clock, database }, { shop }, id) {
    const { revokeApiKey, requireKeyOf } = await import('../../auth/api-keys.js');
    const opened = await database();
    await requireKeyOf(opened, shop, id);
    const revoked = await revokeApiKey(opened, id, clock);
    return {
      json: inSnakeCase(revoked),
      text: `Revoked ${revoked.clientId} (${revoked.revokedAt}).`,
    };
  },
});

export const keyRotateCommand = command({
  name: 'key rotate',
  login,
  summary: 'rotate the secret of an API key, with an overlap',
  details: `Client ID, scopes, expiry and rate limit stay the same. Deploy the new secret before the overlap ends. At most two secrets are valid:
secrets from before an earlier rotation expire immediately. --overlap 0s revokes the old secret now.`,
  examples: [
    'catalog key rotate ck_4fZ…',
    'catalog key rotate ck_4fZ… --overlap 7d',
    'catalog key rotate ck_4fZ… --overlap 0s --json',
  ],
  argument: clientId,
  options: {
    shop: onlyOfShop,
    overlap: usual('<duration>', 'how long the old secret stays valid', parseDuration, parseDuration('24h'), '24h'),
  },
  json: issued,
  async run({ config, clock, database }, { overlap, shop }, id) {
    const { rotateApiKey, requireKeyOf } = await import('../../auth/api-keys.js');
    const opened = await database();
    await requireKeyOf(opened, shop, id);
    const key = await rotateApiKey(opened, id, { overlapMilliseconds: overlap, clock });
    const end = new Date(clock() + overlap).toISOString();
    const previous =
      overlap === 0 ? 'The old secret is no longer valid.' : `The old secret stays valid until ${end} at the latest.`;
    return issuedKey(key, config, `New secret for ${key.clientId}. Copy it now: it is not shown again. ${previous}`);
  },
});

export const keyUsageCommand = command({
  name: 'key usage',
  login,
  summary: "show the daily usage of a shop's API keys",
  details: `Requests, rate limit rejections, other errors, bytes sent and GraphQL cost by UTC day, latest first. Written once a
minute, kept for ${usageDays} days.`,
  examples: ['catalog key usage --shop shop.example', 'catalog key usage --shop shop.example --days 7 --json'],
  options: { shop: ofShop, days: usual('<n>', `number of days up to today, at most ${usageDays}`, parseDays, 30) },
  json: 'an array with one item per day and key',
  async run({ clock, database }, { shop, days }) {
    const { listKeyUsage } = await import('../../auth/api-keys.js');
    const usage = await listKeyUsage(await database(), shop, days, clock);
    return { json: usage.map(({ keyName: _, ...row }) => inSnakeCase(row)), text: usageText(usage) };
  },
});

function usageText(usage: readonly KeyUsage[]): string {
  if (usage.length === 0) return 'No key usage in this period.';
  return textTable(
    ['DAY', 'CLIENT_ID', 'REQUESTS', 'RATE LIMITED', 'ERRORS', 'BYTES', 'COST'],
    usage.map((row) => [
      row.day,
      row.clientId,
      ...[row.requests, row.rateLimited, row.errors, row.bytes, row.cost].map(String),
    ]),
  );
}

/** A new key, shown only this once: as a document for programs, and with a call to try for people. */
function issuedKey(key: IssuedApiKey, config: Config, headline: string): CliResult {
  const table = textTable(
    ['api_key', key.apiKey],
    [
      ['client_id', key.clientId],
      ['client_secret', key.clientSecret],
      ['scopes', key.scopes.join(' ')],
      ['expires', key.expiresAt ?? 'never'],
    ],
  );
  return {
    json: inSnakeCase(key),
    text: `${headline}\n\n${table}\n\n${invitation(config)}\n  ${curlLine(key, config)}`,
  };
}

/** Another process serves, with its own settings: without PUBLIC_URL, its URL is not known here. */
const invitation = ({ publicUrl }: Config): string =>
  publicUrl === undefined
    ? 'Try it while the server is running (replace the URL if the server printed a different one):'
    : 'Try it while the server is running:';

const cheapestCall: Readonly<Record<Scope, string>> = {
  'catalog:read': 'products?limit=3',
  'orders:read': 'orders?limit=3',
  'account:read': 'shop',
};

/** A call that the key is allowed to make. */
export function curlLine(key: Pick<IssuedApiKey, 'apiKey' | 'scopes'>, config: Config): string {
  const origin = config.publicUrl ?? `http://localhost:${config.port === 0 ? 4000 : config.port}`;
  const [scope = 'catalog:read'] = key.scopes;
  return `curl -H 'Authorization: Bearer ${key.apiKey}' '${origin}/v1/${cheapestCall[scope]}' -w '\\n'`;
}
