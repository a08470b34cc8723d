// The process that runs the embedded PostgreSQL of a data directory for all processes that use it. They are connected
// to its socket: the first one starts it, and it stops the server and ends when the last connection closes, however
// that process ended. A server that dies is restarted on its port.
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { explainFileError } from '../../common/data-directory';
import { provideCluster, provideServerPassword } from './cluster';
import type { KeeperMessage } from './control-socket';
import { connectToKeeper, controlPathOf } from './control-socket';
import type { PostgresServer } from './postgres-server';
import { startServer, stopServer } from './postgres-server';

const [dataDirectory = '', durable = '', keepsRunning = ''] = process.argv.slice(2);

/** A process that starts the keeper may be killed before it is connected. */
const waitForUserMilliseconds = 10_000;
const longestPauseMilliseconds = 30_000;

const users = new Set<Socket>();
let latest: KeeperMessage = {};
let starting: Promise<PostgresServer> | undefined;
let isEnding = false;

const tell = (user: Socket, message: KeeperMessage): void => void user.write(`${JSON.stringify(message)}\n`);
const log = (line: string): void => users.forEach((user) => tell(user, { log: line }));
function announce(message: KeeperMessage): void {
  latest = message;
  users.forEach((user) => tell(user, message));
}

const listener = createServer({ allowHalfOpen: true }, (user) => {
  const leave = (): void => {
    if (!users.delete(user)) return void user.end();
    if (users.size > 0) user.end();
    else void end(user);
  };
  user.on('error', () => undefined);
  user.once('end', leave).once('close', leave);
  // Another keeper that only looks whether this one is there says nothing.
  user.once('data', () => {
    users.add(user);
    tell(user, latest);
  });
});

async function end(last?: Socket): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  // Who comes now starts another keeper, which waits for this server to end.
  listener.close();
  const server = await starting?.catch(() => undefined);
  if (server !== undefined) await stopServer(server);
  last?.end(() => process.exit());
  setTimeout(() => process.exit(), 1_000);
}

/** @returns whether this process is the keeper; otherwise another one is. */
async function listen(path: string): Promise<boolean> {
  for (;;) {
    listener.listen(path);
    const error = await once(listener, 'listening').then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error,
    );
    if (error === undefined) return true;
    if (error.code !== 'EADDRINUSE') throw error;
    if ((await connectToKeeper(path))?.destroy() !== undefined) return false;
    // macOS leaves the socket of a keeper that was killed.
    if (!path.startsWith('\0')) await rm(path, { force: true });
  }
}

async function keep(): Promise<void> {
  if (!(await listen(await controlPathOf(dataDirectory, await provideServerPassword(dataDirectory))))) return;
  setTimeout(() => users.size === 0 && void end(), waitForUserMilliseconds).unref();
  let pause = 0;
  let hasStarted = false;
  const cluster = await provideCluster({ dataDirectory, durable: durable === 'true', log });
  while (!isEnding) {
    try {
      starting = startServer(cluster);
      const server = await starting;
      pause = 0;
      log(`PostgreSQL started on port ${server.port}`);
      hasStarted = true;
      announce({ port: server.port });
      await server.ended;
      // Who comes now waits for the next server.
      latest = {};
      if (isEnding || keepsRunning !== 'true') return await end();
      log('the embedded PostgreSQL exited unexpectedly and is restarted');
    } catch (error) {
      if (!hasStarted) throw error;
      pause = Math.min(Math.max(1_000, pause * 2), longestPauseMilliseconds);
      log(`${(error as Error).message} The next attempt is in ${pause / 1_000} s.`);
      await delay(pause);
    }
  }
}

keep().catch((error: unknown) => announce({ error: (explainFileError(error, dataDirectory) as Error).message }));
