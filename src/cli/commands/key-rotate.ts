import { Option } from 'commander';
import type { CliCommand } from '../command';
import { issuedKey } from '../issued-key';
import { addJsonOption } from '../json-option';

import { parseDomain, parseDuration } from '../option-values';

export const keyRotateCommand: CliCommand = {
  name: 'key rotate',
  login: 'catalog_admin',
  summary: 'give an API key a new secret; the old one works for a while',
  details: `The client id, the scopes and the rate limit stay. Deploy the new secret before the overlap ends. A secret from before an
earlier rotation is invalid immediately: there are never more than two. --overlap 0s invalidates the old secret now.`,
  examples: [
    'catalog key rotate ck_4fZ…',
    'catalog key rotate ck_4fZ… --overlap 7d',
    'catalog key rotate ck_4fZ… --overlap 0s --json',
  ],
  define(command, perform) {
    command
      .argument('<client_id>', 'the part of the key before the dot')
      .option('--shop <domain>', 'refuse a key of another shop', parseDomain)
      .addOption(
        new Option('--overlap <duration>', 'how long the old secret still works')
          .argParser(parseDuration)
          .default(parseDuration('24h'), '24h'),
      );
    addJsonOption(command, '{client_id, client_secret, api_key, scopes, expires_at}').action(
      (clientId: string, { overlap, shop }: { readonly overlap: number; readonly shop?: string }) =>
        perform(async ({ config, clock, database }) => {
          const { rotateApiKey, requireKeyOf } = await import('../../auth/api-keys.js');
          const opened = await database();
          await requireKeyOf(opened, shop, clientId);
          const key = await rotateApiKey(opened, clientId, { overlapMilliseconds: overlap, clock });
          const end = new Date(clock() + overlap).toISOString();
          const previous =
            overlap === 0 ? 'The old secret is rejected from now on.' : `The old secret works until ${end}.`;
          return issuedKey(key, config, `New secret for ${key.clientId}, shown only now. ${previous}`);
        }),
    );
  },
};
