import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { OwnServer } from './own-server';
import { createServerPlace } from './own-server';

const versionsDirectory = '/usr/lib/postgresql';

/** The directory of PostgreSQL's own programs, which the embedded one lacks; undefined where none is installed. */
export const findNativeBinaries = (...programs: readonly string[]): string | undefined =>
  (existsSync(versionsDirectory) ? readdirSync(versionsDirectory) : [])
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(versionsDirectory, version, 'bin'))
    .find((directory) => ['initdb', 'postgres', ...programs].every((name) => existsSync(join(directory, name))));

const binaries = findNativeBinaries('pg_basebackup');

/** Why replication cannot be tried here; undefined if it can. */
export const replicationMissing: string | undefined =
  binaries === undefined ? `there is no PostgreSQL with pg_basebackup in ${versionsDirectory}` : undefined;

/** A primary and a standby that follows it by streaming, both private to the test, on installed binaries. */
export async function startReplication(): Promise<{ primary: OwnServer; standby: OwnServer; remove(): void }> {
  const place = await createServerPlace(binaries);
  const primary = await place.launch(place.initialize('primary'));
  const standbyDirectory = join(place.directory, 'standby');
  place.run(
    'pg_basebackup',
    `--dbname=${primary.url}`,
    `--pgdata=${standbyDirectory}`,
    '--write-recovery-conf',
    '--checkpoint=fast',
    '--no-sync',
  );
  const standby = await place.launch(standbyDirectory);
  return { primary, standby, remove: () => place.remove() };
}
