import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { onErrorCode } from '../../common/data-directory';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import type { ServerAccount } from './server-account';
import { workingDirectoryOfAccount } from './server-account';

const execute = promisify(execFile);

/** PostgreSQL gets nothing of this process's environment: neither its locale nor a user's PGDATA. */
export const serverEnvironment = { LC_ALL: 'C', TZ: 'UTC' };

/** The superuser of the embedded server. */
export const serverRole = 'catalog';

interface Cluster {
  /** The current or future directory of the cluster. */
  readonly directory: string;
  readonly binaries: string;
  readonly account: ServerAccount | undefined;
  readonly passwordFile: string;
  /** Whether writes survive a crash of the machine; false in tests only. */
  readonly durable: boolean;
}

/** The password of the embedded server, generated once. */
export async function provideServerPassword(passwordFile: string): Promise<string> {
  const known = await readFile(passwordFile, 'utf8').catch(onErrorCode(['ENOENT'], ''));
  if (known !== '') return known;
  const password = randomBytes(24).toString('hex');
  await writeFile(passwordFile, password, { mode: 0o600 });
  return password;
}

/**
 * Creates the cluster. It gets its final name when it is complete, so a cluster that a crash left incomplete is never
 * started.
 */
export async function initialiseCluster({
  directory,
  binaries,
  account,
  passwordFile,
  durable,
}: Cluster): Promise<void> {
  const unfinished = `${directory}.unfinished`;
  const passwordCopy = `${directory}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordCopy, await readFile(passwordFile), { mode: 0o600 });
  if (account) for (const path of [unfinished, passwordCopy]) await chown(path, account.uid, account.gid);
  try {
    await execute(
      join(binaries, 'bin/initdb'),
      [
        `--pgdata=${account ? workingDirectoryOfAccount : unfinished}`,
        `--username=${serverRole}`,
        `--pwfile=${join('..', basename(passwordCopy))}`,
        '--auth=scram-sha-256',
        '--no-instructions',
        // UTF-8 whatever the machine's locale, with a provider that is the same on every machine.
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
        ...(durable ? [] : ['--no-sync']),
      ],
      { cwd: unfinished, env: serverEnvironment, ...account },
    );
  } catch (error) {
    throw explainInitdbFailure(error, directory);
  } finally {
    await rm(passwordCopy, { force: true });
  }
  await rename(unfinished, directory);
}

function explainInitdbFailure(error: unknown, directory: string): EmbeddedPostgresError {
  const { stderr = '', message } = error as { stderr?: string; message: string };
  const nameless = /could not look up effective user ID (\d+)/.exec(stderr)?.[1];
  const reason = stderr.includes('No space left on device')
    ? 'the disk is full'
    : nameless !== undefined
      ? `PostgreSQL demands a user with a name, and the id ${nameless} has none: add it to /etc/passwd, or set DATABASE_URL to a server.`
      : stderr.trim().split('\n').slice(-3).join(' ') || message;
  return new EmbeddedPostgresError(`The embedded PostgreSQL could not create its data in ${directory}: ${reason}`, {
    cause: error,
  });
}
