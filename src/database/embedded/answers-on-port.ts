import { connect } from 'node:net';

/**
 * Requests TLS, to which every PostgreSQL server responds with one byte, whatever its settings (protocol 3.0,
 * SSLRequest).
 */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Whether a PostgreSQL server accepts connections on a port of this machine. A server that was just killed briefly
 * keeps its process id, and its children keep its listening socket.
 */
export function answersOnPort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const settle = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', () => socket.write(sslRequest));
    socket.once('data', () => settle(true));
    socket.once('timeout', () => settle(false));
    socket.once('error', () => settle(false));
    socket.once('close', () => settle(false));
  });
}
