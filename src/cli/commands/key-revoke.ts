import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { parseDomain } from '../option-values';

export const keyRevokeCommand: CliCommand = {
  name: 'key revoke',
  login: 'catalog_admin',
  summary: 'revoke an API key permanently',
  details: `The key and every access token made from it are rejected from the next request on. Revoking a second time changes
nothing. To replace a key without an interruption, rotate it instead.`,
  examples: ['catalog key revoke ck_4fZ…', 'catalog key revoke ck_4fZ… --json'],
  define(command, perform) {
    command
      .argument('<client_id>', 'the part of the key before the dot')
      .option('--shop <domain>', 'refuse a key of another shop', parseDomain);
    addJsonOption(command, '{client_id, revoked_at}').action((clientId: string, { shop }: { readonly shop?: string }) =>
      perform(async ({ clock, database }) => {
        const { revokeApiKey, requireKeyOf } = await import('../../auth/api-keys.js');
        const opened = await database();
        await requireKeyOf(opened, shop, clientId);
        const revoked = await revokeApiKey(opened, clientId, clock);
        return {
          json: { client_id: revoked.clientId, revoked_at: revoked.revokedAt },
          text: `Revoked ${revoked.clientId} (${revoked.revokedAt}).`,
        };
      }),
    );
  },
};
