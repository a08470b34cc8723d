import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { connect, createServer } from 'node:net';

export interface SilentProxy {
  readonly port: number;
  /** From now on, open connections carry nothing; new ones work. */
  silence(): void;
  connectionCount(): number;
  close(): void;
}

/** A proxy between client and server that can drop what they send, like a network that lost a route. */
export async function startSilentProxy(targetPort: number): Promise<SilentProxy> {
  const sockets: Socket[] = [];
  const silent = new WeakSet<Socket>();
  let connections = 0;
  const server = createServer((client) => {
    connections += 1;
    const target = connect(targetPort, '127.0.0.1');
    sockets.push(client, target);
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      from.on('data', (chunk) => silent.has(from) || to.write(chunk));
      from.on('close', () => silent.has(from) || to.destroy());
      from.on('error', () => undefined);
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    silence: () => sockets.forEach((socket) => silent.add(socket)),
    connectionCount: () => connections,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
