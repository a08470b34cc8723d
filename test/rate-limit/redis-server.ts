import type { ChildProcess } from 'node:child_process';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { findFreePort, isListening } from '../support/free-port';

/** Why these tests cannot run here; undefined if they can. */
export const redisMissing: string | undefined =
  spawnSync('redis-server', ['--version']).status === 0 ? undefined : 'there is no redis-server on this machine';

export interface RedisServer {
  readonly url: string;
  signal(name: NodeJS.Signals): void;
  /** Starts it again, empty, on the same port. */
  start(): Promise<void>;
  /** Kills it and waits until it has exited. */
  kill(): Promise<void>;
}

/** A real Redis for this test on a free loopback port, without a file on disk. */
export async function startRedis(): Promise<RedisServer> {
  const port = await findFreePort();
  let server: ChildProcess | undefined;
  const start = async () => {
    const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawn('redis-server', options, { stdio: 'ignore' });
    while (!(await isListening(port))) if (server.exitCode !== null) throw new Error('redis-server did not start');
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    signal: (name) => server?.kill(name),
    start,
    async kill() {
      if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
      const gone = once(server, 'exit');
      server.kill('SIGKILL');
      await gone;
    },
  };
}
