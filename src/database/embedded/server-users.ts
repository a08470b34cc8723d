import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identifyProcess, isProcessAlive } from './process-identity';

let counter = 0;

/** Registers this process as a user of the data directory's server. Call under the directory's lock. */
export async function registerServerUser(dataDirectory: string): Promise<string> {
  const directory = join(dataDirectory, 'postgres-users');
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, `${process.pid}-${counter++}`);
  await writeFile(file, await identifyProcess(process.pid));
  return file;
}

/**
 * Removes the registration and returns whether other processes still use the server. Call under the directory's lock.
 */
export async function unregisterServerUser(dataDirectory: string, registration: string): Promise<boolean> {
  await rm(registration, { force: true });
  const directory = join(dataDirectory, 'postgres-users');
  let inUse = false;
  for (const name of await readdir(directory)) {
    const file = join(directory, name);
    const identity = await readFile(file, 'utf8').catch(() => '');
    if (await isProcessAlive(identity)) inUse = true;
    else await rm(file, { force: true }); // it was killed and could not unregister
  }
  return inUse;
}
