import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from './process.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Seconds from `npm start` to the line that reports where it listens: with an empty DATA_DIR, and then again. */
export async function measureStarts(again) {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-start-'));
  const env = { DATA_DIR: directory, PORT: '0', DATABASE_URL: '', NODE_ENV: 'development', LOG_LEVEL: 'warn' };
  const starts = [];
  try {
    for (let start = 0; start <= again; start += 1) {
      const server = await startServer('npm', ['start'], { env, cwd: root, ownGroup: true });
      starts.push(server.milliseconds / 1000);
      await server.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
  const [first, ...later] = starts;
  return { first, later };
}
