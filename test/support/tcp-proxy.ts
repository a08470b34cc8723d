import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

/** A wire that can be cut: connections through it reach the target until then. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Lets connections through again, at the same port. */
  mend(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connect(target));
    keep(incoming).pipe(outgoing).pipe(incoming);
    incoming.on('close', () => outgoing.destroy());
    outgoing.on('close', () => incoming.destroy());
  });
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async cut() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.resetAndDestroy();
      await closed;
    },
    mend: () => listen(server, port),
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
