import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { onErrorCode } from '../../common/data-directory';
import { EmbeddedPostgresError } from './embedded-postgres-error';
import { identifyProcess, isProcessAlive } from './process-identity';

const waitAtMostMilliseconds = 60_000;
let counter = 0;

/** Runs `work` while no other process runs it for the same directory. Takes over the lock of a dead process. */
export async function withDirectoryLock<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const lock = join(directory, 'postgres.lock');
  const mine = `${lock}.${process.pid}.${counter++}`;
  await writeFile(mine, `${await identifyProcess(process.pid)} ${counter}`, { mode: 0o644 });
  try {
    await acquire(lock, mine);
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  } finally {
    await rm(mine, { force: true });
  }
}

async function acquire(lock: string, mine: string): Promise<void> {
  const deadline = Date.now() + waitAtMostMilliseconds;
  // link() succeeds for exactly one process, and the lock contains its owner's name from the start.
  while (!(await tryLink(mine, lock))) {
    const owner = await readFile(lock, 'utf8').catch(onErrorCode(['ENOENT'], undefined));
    if (owner === undefined) continue;
    if (!(await isProcessAlive(toIdentity(owner)))) await breakLock(lock, mine, owner);
    else if (Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `Process ${owner.split(' ')[0]} has been starting or stopping the embedded PostgreSQL for a minute (${lock}).`,
      );
    } else await delay(20);
  }
}

const toIdentity = (owner: string): string => owner.split(' ').slice(0, 2).join(' ');

/**
 * Removes a dead process's lock. Another process may have done so already and hold the lock now: then the lock is given
 * back to it.
 */
async function breakLock(lock: string, mine: string, deadOwner: string): Promise<void> {
  const taken = `${mine}.taken`;
  try {
    await rename(lock, taken);
    if ((await readFile(taken, 'utf8')) !== deadOwner) await tryLink(taken, lock);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  } finally {
    await rm(taken, { force: true });
  }
}

const tryLink = (from: string, to: string): Promise<boolean> =>
  link(from, to).then(() => true, onErrorCode(['EEXIST'], false));
