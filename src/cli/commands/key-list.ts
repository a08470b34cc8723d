import type { ApiKeySummary } from '../../auth/api-keys';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { parseDomain } from '../option-values';
import { textTable } from '../text-table';

export const keyListCommand: CliCommand = {
  name: 'key list',
  login: 'catalog_admin',
  summary: "list a shop's API keys, never their secrets",
  details: 'Revoked and expired keys are listed too. CLIENT_ID is the part of the key before the dot.',
  examples: [
    'catalog key list --shop shop.example',
    "catalog key list --shop shop.example --json | jq -r '.[].client_id'",
  ],
  define(command, perform) {
    command.requiredOption('--shop <domain>', "the shop's domain", parseDomain);
    addJsonOption(command, 'an array of keys').action((options: { readonly shop: string }) =>
      perform(async ({ clock, database }) => {
        const { listApiKeys } = await import('../../auth/api-keys.js');
        const keys = await listApiKeys(await database(), options.shop);
        return { json: keys.map(toJson), text: toText(keys, clock()) };
      }),
    );
  },
};

const toJson = (key: ApiKeySummary) => ({
  client_id: key.clientId,
  name: key.name,
  scopes: key.scopes,
  created_at: key.createdAt,
  expires_at: key.expiresAt,
  revoked_at: key.revokedAt,
  last_used_at: key.lastUsedAt,
  previous_secret_expires_at: key.previousSecretExpiresAt,
});

function toText(keys: readonly ApiKeySummary[], now: number): string {
  if (keys.length === 0) return 'No key yet. `catalog key create` makes one.';
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
