import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finishTestRun } from './global-teardown';

/** The directory of this run; Jest runs the setup of each project that has tests, in one process. */
let directory: string | undefined;

/**
 * One directory for everything that a test creates in tmpdir(). Tests, and processes that they start, inherit it; it is
 * removed with the run, so none of them has to clean up.
 */
export default async function provideTemporaryDirectory(): Promise<void> {
  if (directory !== undefined && process.env['TMPDIR'] === directory) return;
  const made = await mkdtemp(join(tmpdir(), 'catalog-test-'));
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
