// Runs when a process that used the embedded PostgreSQL exited without detaching, and detaches in its place (guard.ts).
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDirectoryLock } from './directory-lock';
import { findPostmaster, stopPostmaster } from './postmaster';
import { isProcessAlive } from './process-identity';
import { unregisterServerUser } from './server-users';

/** The pipe closes shortly before the process ends. */
const waitMilliseconds = 10_000;

async function leaveFor(dataDirectory: string, registration: string): Promise<void> {
  const identity = await readFile(registration, 'utf8').catch(() => '');
  for (const deadline = Date.now() + waitMilliseconds; await isProcessAlive(identity);) {
    if (Date.now() > deadline) return;
    await delay(20);
  }
  await withDirectoryLock(dataDirectory, async () => {
    if (await unregisterServerUser(dataDirectory, registration)) return;
    const clusterDirectory = join(dataDirectory, 'postgres/cluster');
    const server = await findPostmaster(clusterDirectory);
    if (server !== undefined) await stopPostmaster(clusterDirectory, server);
  });
}

const [dataDirectory = '', registration = ''] = process.argv.slice(2);
void leaveFor(dataDirectory, registration).catch(() => (process.exitCode = 1));
