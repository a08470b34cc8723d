import { statSync } from 'node:fs';
import { chmod, mkdtemp, readFile, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { finishTestRun } from './global-teardown';
import { isAlive } from './processes';

/** The directory of this run; Jest runs the setup of each project that has tests, in one process. */
let directory: string | undefined;

/**
 * One directory for everything that a test creates in tmpdir(). Tests, and processes that they start, inherit it; it is
 * removed with the run, so none of them has to clean up.
 */
export default async function provideTemporaryDirectory(): Promise<void> {
  if (directory !== undefined && process.env['TMPDIR'] === directory) return;
  const place = await findPlace();
  await removeLeftovers(place);
  const made = await mkdtemp(join(place, `catalog-test-${process.pid}-`));
  // PostgreSQL does not run as root, and some tests start processes as `nobody`: open to all, as /tmp is.
  await chmod(made, 0o1777);
  const outside = process.env['TMPDIR'];
  process.env['TMPDIR'] = directory = made;
  // What test processes compile, cached for later ones: our sources (typescript-hook.cjs), and from Node 22 on V8's own
  // code cache of all modules.
  process.env['TEST_COMPILED'] = join(made, 'compiled');
  const givenCache = process.env['NODE_COMPILE_CACHE'];
  process.env['NODE_COMPILE_CACHE'] = givenCache ?? join(made, 'compiled-by-v8');
  finishTestRun.push(async () => {
    if (givenCache === undefined) delete process.env['NODE_COMPILE_CACHE'];
    if (outside === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = outside;
    // Guards of processes that tests killed may still put their lock there.
    await rm(made, { recursive: true, force: true, maxRetries: 5 });
  });
}

const gibibyte = 2 ** 30;

/**
 * In memory if there is plenty: a test run creates and drops hundreds of databases of a thousand files each. ext4 does
 * not reuse an inode that was just freed, and takes long to find another one.
 */
async function findPlace(): Promise<string> {
  const memory = '/dev/shm';
  try {
    const { bavail, bsize } = await statfs(memory);
    const mount = (await readFile('/proc/mounts', 'utf8')).split('\n').find((line) => line.split(' ')[1] === memory);
    const isUsable = mount !== undefined && !/\bnoexec\b/.test(mount) && bavail * bsize > 6 * gibibyte;
    if (process.env['TMPDIR'] === undefined && isUsable && process.availableMemory() > 10 * gibibyte) return memory;
  } catch {
    // Not Linux.
  }
  return [tmpdir(), '/tmp', '/var/tmp'].find(isOpen) ?? tmpdir();
}

/** Whether every user may enter it: tests start programs as other users, who need access. */
function isOpen(place: string): boolean {
  const isPassable = process.getuid?.() !== 0 || (statSync(place, { throwIfNoEntry: false })?.mode ?? 0) & 0o001;
  return Boolean(isPassable) && (dirname(place) === place || isOpen(dirname(place)));
}

/** Removes what interrupted runs left: at Ctrl-C, Jest ends without a teardown. */
async function removeLeftovers(place: string): Promise<void> {
  for (const name of await readdir(place)) {
    const pid = /^catalog-test-(\d+)-/.exec(name)?.[1];
    // Another user's directories stay.
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(place, name), { recursive: true, force: true }).catch(() => undefined);
  }
}
