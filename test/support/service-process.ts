import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { testSecrets } from './test-signing-keys';
import { compiledBefore } from './compiled-before';

const root = join(__dirname, '../..');

/** The service as it is deployed: a separate process, from dist/. */
export interface ServiceProcess {
  readonly origin: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Everything on standard error, up to now. */
  log(): string;
  /** Discards the log up to now, which a long run no longer needs. */
  forgetLog(): void;
  /** Sends a signal and waits for the end. */
  end(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Time limits that no run reaches, even on a busy machine: for tests of something else. */
export const patientSettings = {
  DATABASE_CONNECTION_TIMEOUT_MS: '20000',
  DATABASE_STATEMENT_TIMEOUT_MS: '20000',
  REQUEST_TIMEOUT_MS: '20000',
};

const running = new Set<ChildProcess>();

/**
 * Kills the processes that a test left behind when it failed between start and end; workers end with their primary. For
 * afterEach, afterAll and `finally`.
 */
export async function killServiceProcesses(): Promise<void> {
  const left = [...running].map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(left);
}

/** Starts it with settings that every test has, and resolves when it accepts requests. */
export async function startServiceProcess(
  databaseUrl: string,
  { workers, ...settings }: Readonly<Record<string, string>> & { readonly workers?: string } = {},
): Promise<ServiceProcess> {
  const dataDirectory = mkdtempSync(join(tmpdir(), 'catalog-process-'));
  const entry = workers === undefined ? ['dist/src/main.js'] : ['dist/src/cli/main.js', 'serve', '--workers', workers];
  const child = spawn(process.execPath, entry, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      ...compiledBefore,
      PORT: '0',
      // The same for all, so that an access token is valid at each of them.
      PUBLIC_URL: 'https://catalog.example',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDirectory,
      ...testSecrets,
      RATE_LIMIT_REQUESTS: '1000000',
      ...settings,
    },
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  running.add(child);
  child.once('exit', () => {
    running.delete(child);
    rmSync(dataDirectory, { recursive: true, force: true });
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const port = await new Promise<number>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const found = /listening on http:\/\/127\.0\.0\.1:(\d+)"/.exec(line);
      if (found !== null) resolve(Number(found[1]));
    });
    void exited.then(([code]) => reject(new Error(`the service ended with ${code}: ${log}`)));
  });
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    child,
    log: () => log,
    forgetLog: () => void (log = ''),
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      const [code, by] = await exited;
      return { code, signal: by };
    },
  };
}
