import { parseConnectionTarget } from '../config/connection-target';
import { findInsufficientPrivilege } from './database-failure';

/**
 * The sentence for people about a login that lacks a privilege; undefined for any other error.
 * @param needed who may do what was tried: `` `catalog key create` needs a login of catalog_admin ``
 */
export function describeMissingPrivilege(
  thrown: unknown,
  databaseUrl: string | undefined,
  needed: string,
): string | undefined {
  const said = findInsufficientPrivilege(thrown);
  if (said === undefined) return undefined;
  const login = databaseUrl === undefined ? '' : new URL(parseConnectionTarget(databaseUrl).urls[0]).username;
  return (
    `The login ${login === '' ? '' : `${decodeURIComponent(login)} `}of DATABASE_URL lacks a privilege: ${said}. ` +
    `${needed} (docs/deploy/roles.sql).`
  );
}
