import type { IssuedApiKey } from '../auth/api-keys';
import type { Scope } from '../auth/principal';
import type { Config } from '../config/config';
import type { CliResult } from './command';
import { textTable } from './text-table';

/**
 * A new secret, at the only time when it can be shown: members that programs rely on, and for people a call to try it
 * with.
 */
export function issuedKey(key: IssuedApiKey, config: Config, headline: string): CliResult {
  const json = {
    client_id: key.clientId,
    client_secret: key.clientSecret,
    api_key: key.apiKey,
    scopes: key.scopes,
    expires_at: key.expiresAt,
  };
  const table = textTable(
    ['api_key', key.apiKey],
    [
      ['client_id', key.clientId],
      ['client_secret', key.clientSecret],
      ['scopes', key.scopes.join(' ')],
      ['expires', key.expiresAt ?? 'never'],
    ],
  );
  return { json, text: `${headline}\n\n${table}\n\n${invitation(config)}\n  ${curlLine(key, config)}` };
}

/** Another process serves, with settings of its own: without PUBLIC_URL its address is not known here. */
const invitation = ({ publicUrl }: Config): string =>
  publicUrl === undefined
    ? 'Try it while the server runs, at the address that it printed ("listening on ..."); here it is the usual one:'
    : 'Try it while the server runs:';

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
