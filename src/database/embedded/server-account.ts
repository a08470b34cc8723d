import { readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** The operating-system user that PostgreSQL runs as. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root. When the service is started by root, PostgreSQL runs as the owner of the existing
 * data, else as `postgres`, `nobody` or any other account; none is added to the machine. Undefined: as the user who
 * starts it.
 */
export async function chooseServerAccount(clusterDirectory: string): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  // The owner needs no name: only the creation of a database looks it up.
  const owner = await stat(clusterDirectory).catch(() => undefined);
  if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const accounts = (await readAccounts()).filter(({ uid }) => uid > 0);
  const account =
    accounts.find(({ name }) => name === 'postgres') ?? accounts.find(({ name }) => name === 'nobody') ?? accounts[0];
  if (account !== undefined) return { uid: account.uid, gid: account.gid };
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and /etc/passwd has no other user. ' +
      'Add one (useradd postgres), start the service as an ordinary user, or set DATABASE_URL.',
  );
}

/**
 * How a process of the server's account names its working directory: as root's child it begins there, though the
 * account may enter none of the directories above. Only Linux has such a name.
 */
export const workingDirectoryOfAccount = '/proc/self/cwd';

async function readAccounts(): Promise<(ServerAccount & { readonly name: string })[]> {
  const text = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return text
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}
