import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import type { TcpProxy } from '../support/tcp-proxy';
import { startTcpProxy } from '../support/tcp-proxy';

/** A server that does not read while it writes, as PostgreSQL does not in a COPY. */
let server: Server;
let proxy: TcpProxy;
const accepted: Socket[] = [];
beforeAll(async () => {
  server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    const write = (): void => {
      while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
    };
    socket.on('drain', write);
    socket.on('error', () => undefined).resume();
    socket.write('x');
    socket.on('end', write);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await startTcpProxy({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
});
afterAll(async () => {
  await proxy.cut();
  for (const socket of accepted) socket.destroy();
  server.close();
});

const endings = {
  'that has read everything and closes': (socket: Socket) => socket.destroy(),
  'that resets': (socket: Socket) => socket.resetAndDestroy(),
  'that ends what it sends, and then closes': (socket: Socket) =>
    socket.end(() => setImmediate(() => socket.destroy())),
};

describe('the proxy of the tests', () => {
  it.each(Object.entries(endings))('ends the connection to the server for a client %s', async (_name, end) => {
    const client = connect({ port: proxy.port, host: '127.0.0.1' }).on('error', () => undefined);
    await once(client, 'data');
    const serving = accepted.at(-1) as Socket;
    const closed = new Promise((resolve) => serving.once('close', resolve));
    end(client);
    await closed;
    expect(serving.destroyed).toBe(true);
  });
});
