import { chmod, chown, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** The operating-system user that PostgreSQL runs as. */
export interface ServerAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root. When the service is started by root, PostgreSQL runs as the owner of the existing
 * data, else as `postgres` or `nobody`, whichever exists; no account is added to the machine. Undefined: as the user
 * who starts it.
 */
export async function chooseServerAccount(clusterDirectory: string): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = await readAccounts();
  const owner = await stat(clusterDirectory).catch(() => undefined);
  const account =
    accounts.find(({ uid }) => uid !== 0 && uid === owner?.uid) ??
    accounts.find(({ name }) => name === 'postgres') ??
    accounts.find(({ name }) => name === 'nobody');
  if (account) return account;
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and this machine has neither a user postgres nor nobody. ' +
      'Start the service as an ordinary user, or set DATABASE_URL.',
  );
}

/** The first directory on the path that the account may not enter; undefined when the account can reach `path`. */
export async function findClosedDirectory(path: string, account: ServerAccount): Promise<string | undefined> {
  const parent = dirname(path);
  const above = parent === path ? undefined : await findClosedDirectory(parent, account);
  if (above !== undefined) return above;
  const entry = await stat(path);
  if (!entry.isDirectory()) return undefined;
  const bit = entry.uid === account.uid ? 0o100 : entry.gid === account.gid ? 0o010 : 0o001;
  return (entry.mode & bit) === 0 ? path : undefined;
}

/**
 * Lets the account traverse DATA_DIR, by its group: it cannot list the directory, and every file is protected by its
 * own mode.
 */
export async function openForPassage(directory: string, { gid }: ServerAccount): Promise<void> {
  const { mode, uid } = await stat(directory);
  await chown(directory, uid, gid);
  await chmod(directory, (mode & 0o700) | 0o010);
}

async function readAccounts(): Promise<ServerAccount[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
