import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from '../support/test-database';

export type RoleName = 'catalog_reader' | 'catalog_writer' | 'catalog_admin';

const roleNames: readonly RoleName[] = ['catalog_reader', 'catalog_writer', 'catalog_admin'];

/** The roles of docs/deploy/roles.sql in a test database, each with a login. */
export interface RoleLogins {
  /** The database URL for a login with that role. */
  url(role: RoleName): string;
  /** The role's name on this server. */
  name(role: RoleName): string;
  drop(): Promise<void>;
}

/**
 * docs/deploy/roles.sql. Roles belong to the whole server, which other runs may use, so their names here end with the
 * suffix.
 */
export const readRolesScript = (suffix: string): string =>
  readFileSync(join(__dirname, '../../docs/deploy/roles.sql'), 'utf8').replace(
    /catalog_(reader|writer|admin)/g,
    `catalog_$1_${suffix}`,
  );

export async function createRoleLogins({ sql, url }: Pick<TestDatabase, 'sql' | 'url'>): Promise<RoleLogins> {
  const suffix = randomUUID().slice(0, 8);
  const script = readRolesScript(suffix);
  const name = (role: RoleName): string => `${role}_${suffix}`;
  const login = (role: RoleName): string => `${name(role)}_login`;
  await sql(script);
  // It may be run again.
  await sql(script);
  for (const role of roleNames) await sql(`CREATE ROLE ${login(role)} LOGIN PASSWORD 'secret' IN ROLE ${name(role)}`);
  return {
    url: (role) => Object.assign(new URL(url), { username: login(role), password: 'secret' }).href,
    name,
    async drop() {
      for (const role of roleNames) await sql(`DROP OWNED BY ${name(role)}; DROP ROLE ${login(role)}, ${name(role)}`);
    },
  };
}
