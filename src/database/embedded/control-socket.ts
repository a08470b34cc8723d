import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the keeper tells a user, one line of JSON each. */
export interface KeeperMessage {
  readonly log?: string;
  /** The server accepts connections there. */
  readonly port?: number;
  /** The server cannot be started. */
  readonly error?: string;
}

/**
 * Where the keeper of a data directory listens. Linux and Windows forget such a name with the process that has it, so
 * there is one keeper. The password is in it: others on this machine cannot guess the name.
 */
export async function controlPathOf(dataDirectory: string, password: string): Promise<string> {
  const name = `catalog-${createHash('sha256')
    .update(`${await realpath(dataDirectory)}\n${password}`)
    .digest('hex')}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name.slice(0, 40));
}

/** Returns undefined where no one listens. */
export function connectToKeeper(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => resolve(socket.off('error', refuse).on('error', () => undefined)));
    const refuse = (error: NodeJS.ErrnoException): void =>
      ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '') ? resolve(undefined) : reject(error);
    socket.on('error', refuse);
  });
}
