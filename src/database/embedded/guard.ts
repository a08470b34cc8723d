import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';

/** Watches over this process from outside. */
export interface Guard {
  /** This process leaves the server by itself: nothing is left to do. */
  dismiss(): void;
}

/**
 * Makes sure that the server does not outlive its users: a process that is killed, or ends by a second signal, cannot stop it. A shell
 * waits on a pipe that ends with this process, however it ends, and only then starts the program that looks after the server. On
 * Windows, which has no such shell, the next process that uses the directory finds the server again.
 * @param registration The file by which this process is known as a user of the server.
 */
export function startGuard(dataDirectory: string, registration: string): Guard {
  if (process.platform === 'win32') return { dismiss: () => undefined };
  const program = [
    process.execPath,
    ...process.execArgv,
    join(__dirname, `guard-process${extname(__filename)}`),
    dataDirectory,
    registration,
  ];
  const shell = spawn('sh', ['-c', 'read -r line; [ "$line" = dismissed ] || exec "$@"', 'guard', ...program], {
    // A session of its own: Ctrl-C at a terminal reaches every process of the terminal's.
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no guard, and everything else works.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return { dismiss: () => void shell.stdin.end('dismissed\n') };
}
