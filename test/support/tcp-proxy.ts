import type { AddressInfo, Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { finished, Transform } from 'node:stream';

/** A network connection that can be cut, delayed and disturbed: connections through it reach the target until then. */
export interface TcpProxy {
  readonly port: number;
  /** Resets every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, at the same port. */
  mend(): Promise<void>;
  /** Delays everything sent from now on by this time, in either direction. */
  slowDown(milliseconds: number): void;
  /** The connections that are open carry nothing any more, as if a network lost their route; new ones work. */
  silence(): void;
  /** Resets one connection, the oldest; does nothing if there is none. */
  resetOne(): void;
  /**
   * Connections that have received more than a megabyte from the target receive nothing more. @returns a function that
   * releases them
   */
  holdLong(): () => void;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const clients = new Set<Socket>();
  let delayMilliseconds = 0;
  let held: Promise<void> | undefined;
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket));
  };
  /** In order, and nothing is lost when the delay changes: a chunk waits for the one before. */
  const wire = () =>
    new Transform({
      transform: (chunk: Buffer, _encoding, pass) => {
        if (delayMilliseconds === 0) pass(null, chunk);
        else setTimeout(pass, delayMilliseconds, null, chunk);
      },
    });
  const heldWire = () => {
    let bytes = 0;
    return new Transform({
      transform(chunk: Buffer, _encoding, pass) {
        bytes += chunk.length;
        if (held === undefined || bytes < 1_000_000) pass(null, chunk);
        else void held.then(() => pass(null, chunk));
      },
    });
  };
  const server = createServer((incoming) => {
    const outgoing = keep(connect(target));
    clients.add(incoming);
    keep(incoming).pipe(wire()).pipe(outgoing).pipe(wire()).pipe(heldWire()).pipe(incoming);
    incoming.on('close', () => {
      clients.delete(incoming);
      // Bytes of a client that has sent everything and disconnected are still delivered: cancel requests work that way.
      // Then the server's side is closed: a server that is writing notices nothing else.
      if (!incoming.readableEnded) outgoing.destroy();
      else finished(outgoing, { readable: false }, () => outgoing.destroy());
    });
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
    slowDown: (milliseconds) => (delayMilliseconds = milliseconds),
    silence: () => sockets.forEach((socket) => socket.unpipe().pause()),
    resetOne() {
      const [oldest] = clients;
      oldest?.resetAndDestroy();
    },
    holdLong() {
      let release = (): void => undefined;
      held = new Promise((resolve) => (release = resolve));
      return () => {
        held = undefined;
        release();
      };
    },
  };
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
