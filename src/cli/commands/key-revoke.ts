import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';

export const keyRevokeCommand: CliCommand = {
  name: 'key revoke',
  login: 'catalog_admin',
  summary: 'revoke an API key permanently',
  details: `The key and every access token made from it are rejected from the next request on. Revoking a second time changes
nothing. To replace a key without an interruption, rotate it instead.`,
  examples: ['catalog key revoke ck_4fZ…', 'catalog key revoke ck_4fZ… --json'],
  define(command, perform) {
    command.argument('<client_id>', 'the part of the key before the dot');
    addJsonOption(command, '{client_id, revoked_at}').action((clientId: string) =>
      perform(async ({ clock, database }) => {
        const { revokeApiKey } = await import('../../auth/api-keys.js');
        const revoked = await revokeApiKey(await database(), clientId, clock);
        return {
          json: { client_id: revoked.clientId, revoked_at: revoked.revokedAt },
          text: `Revoked ${revoked.clientId} (${revoked.revokedAt}).`,
        };
      }),
    );
  },
};
