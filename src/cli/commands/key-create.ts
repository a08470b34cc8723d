import type { Scope } from '../../auth/principal';
import type { CliCommand } from '../command';
import { issuedKey } from '../issued-key';
import { addJsonOption } from '../json-option';
import { collectScope, parseDomain, parseLifetime, parseName } from '../option-values';

interface Options {
  readonly shop: string;
  readonly scope: readonly Scope[];
  readonly name?: string;
  readonly expiresIn?: number;
}

export const keyCreateCommand: CliCommand = {
  name: 'key create',
  login: 'catalog_admin',
  summary: 'create an API key; it is shown once',
  details: `The key is both credentials in one: as it is, \`Authorization: Bearer <api_key>\`; or its two halves as client id and
client secret at the OAuth token endpoint. Only a digest of the secret is stored: a lost secret cannot be recovered.
Grant the narrowest scopes that do the job. The shop must be on the plan business.

Scopes:
  catalog:read  products, variants, collections
  orders:read   orders
  account:read  the shop, its plan and counters`,
  examples: [
    'catalog key create --shop shop.example --scope catalog:read --name storefront',
    'catalog key create --shop a.example --scope catalog:read --expires-in 90d',
    'catalog key create --shop a.example --scope orders:read --json | jq .api_key',
  ],
  define(command, perform) {
    command
      .requiredOption('--shop <domain>', "the shop's domain", parseDomain)
      .requiredOption('--scope <scope>', 'catalog:read, orders:read or account:read; may be repeated', collectScope)
      .option('--name <name>', 'what the key is for, shown in key list', parseName)
      .option(
        '--expires-in <duration>',
        'how long it is valid, such as 90d or 12h (default: until it is revoked)',
        parseLifetime,
      );
    addJsonOption(command, '{client_id, client_secret, api_key, scopes, expires_at}').action((options: Options) =>
      perform(async ({ config, clock, database }) => {
        const { createApiKey } = await import('../../auth/api-keys.js');
        const key = await createApiKey(await database(), {
          shopDomain: options.shop,
          scopes: options.scope,
          name: options.name,
          expiresAt: options.expiresIn === undefined ? undefined : clock() + options.expiresIn,
          keyPrefix: config.keyPrefix,
          clock,
        });
        return issuedKey(key, config, `Created a key for ${options.shop}. The secret is shown only now.`);
      }),
    );
  },
};
