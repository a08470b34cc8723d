import { spawn } from 'node:child_process';
import { extname, join } from 'node:path';

/** Watches this process from outside. */
export interface Guard {
  /** This process detaches from the server itself: the guard has nothing to do. */
  dismiss(): void;
}

/**
 * Ensures that the server does not outlive its users: a process that is killed, or exits on a second signal, cannot
 * stop it. A shell waits on a pipe that closes with this process, however it exits, and only then starts the program
 * that stops the server. Windows has no such shell; there, the next process that uses the directory finds the server.
 * @param registration The file that registers this process as a user of the server.
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
    // A separate session: Ctrl-C at a terminal reaches every process of the terminal's session.
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // Without a shell there is no guard; everything else works.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  return { dismiss: () => void shell.stdin.end('dismissed\n') };
}
