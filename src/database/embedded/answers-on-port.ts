import { connect } from 'node:net';

/** Asks for TLS, which every PostgreSQL server answers with one byte, whatever its settings (protocol 3.0, SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Whether a PostgreSQL server takes connections at a port of this machine. A server that was just killed still has its
 * process id for a moment, and its listening socket lives on in its children.
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
