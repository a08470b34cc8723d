import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { burdenSince, CallerLedger } from '../../src/common/caller-ledger';
import { maximumBufferedBytes, readBody } from '../../src/http/request/buffered-bytes';
import type { Exchange } from '../../src/http/server/connections';
import { guardConnections } from '../../src/http/server/guard-connections';
import type { ConnectionLoss } from '../../src/observability/metrics';
import { fc } from '../support/properties';

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

/** A connection whose system accepts bytes in steps, as Linux does: only once a third of its buffer is free. */
class FakeSocket extends EventEmitter {
  writableLength = 0;
  readonly _handle = { bytesWritten: 0, writeQueueSize: 0 };
  isLost = false;
  #read = 0;

  constructor(
    readonly remoteAddress: string,
    readonly bufferBytes: number,
    public answerBytes: number,
  ) {
    super();
    this.#write();
  }

  get isRead(): boolean {
    return this.#read >= this.answerBytes;
  }

  read(bytes: number): void {
    this.#read = Math.min(this.#read + bytes, this.answerBytes);
    this.#write();
  }

  #write(): void {
    const accepted = this._handle.bytesWritten - this._handle.writeQueueSize;
    const free = this.#read + this.bufferBytes - accepted;
    if (accepted > 0 && free < this.bufferBytes / 3) return;
    this._handle.bytesWritten = this.answerBytes;
    this._handle.writeQueueSize = Math.max(0, this.answerBytes - accepted - free);
  }

  resetAndDestroy(): void {
    this.isLost = true;
    this.emit('close');
  }
}

class FakeServer extends EventEmitter {
  readonly losses: ConnectionLoss[] = [];
  readonly exchanges = new Map<unknown, Exchange>();
  readonly open = new Set<FakeSocket>();

  constructor(private readonly maximumConnections: number) {
    super();
    guardConnections(this as unknown as Server, {
      maximumConnections,
      latestOn: (socket) => this.exchanges.get(socket),
      onConnectionLost: (loss) => void this.losses.push(loss),
    });
    this.emit('listening');
  }

  connect(address = '127.0.0.1', bufferBytes = 4_194_304, answerBytes = 0): FakeSocket | undefined {
    if (this.open.size >= this.maximumConnections) return void this.emit('drop');
    const socket = new FakeSocket(address, bufferBytes, answerBytes);
    this.open.add(socket);
    socket.once('close', () => this.open.delete(socket));
    this.emit('connection', socket);
    return socket;
  }

  /** A request of a shop that has or has not arrived in full, and whose response has or has not begun. */
  ask(socket: FakeSocket, shopId: string | undefined, { complete = true, finished = false } = {}): void {
    const request = { complete, socket } as unknown as IncomingMessage;
    const locals = shopId === undefined ? {} : { principal: { shop: { id: shopId } } };
    const response = { req: request, locals, writableFinished: finished } as unknown as ServerResponse;
    this.exchanges.set(socket, { request, response, begunAt: performance.now() });
  }
}

/** How a client reads: `bytesPerSecond` on average, in bursts of a few seconds. */
interface Reader {
  readonly bytesPerSecond: number;
  readonly secondsPerBurst: number;
  readonly bufferBytes: number;
  readonly answerBytes: number;
}

/** @returns whether it finished within an hour */
function readAll({ bytesPerSecond, secondsPerBurst, bufferBytes, answerBytes }: Reader): boolean {
  const server = new FakeServer(10);
  const socket = server.connect('127.0.0.1', bufferBytes, answerBytes) as FakeSocket;
  for (let second = 1; second <= 3600 && !socket.isLost && !socket.isRead; second += 1) {
    jest.advanceTimersByTime(1000);
    if (second % secondsPerBurst === 0) socket.read(bytesPerSecond * secondsPerBurst);
  }
  expect(server.losses).toEqual(socket.isLost ? ['stalled'] : []);
  server.emit('close');
  return socket.isRead;
}

const megabyte = 1_000_000;
const readers = {
  secondsPerBurst: fc.integer({ min: 1, max: 8 }),
  // From the smallest to the usual largest of Linux (net.ipv4.tcp_wmem).
  bufferBytes: fc.integer({ min: 16_384, max: 4_194_304 }),
};

describe('the lower bound of speed', () => {
  it('lets any client finish that reads 45 kB/s or more, whatever buffers there are and however it pauses', () => {
    fc.assert(
      fc.property(
        fc.record({
          ...readers,
          bytesPerSecond: fc.integer({ min: 45_000, max: 5 * megabyte }),
          answerBytes: fc.integer({ min: 1, max: 100 * megabyte }),
        }),
        (reader) => expect(readAll(reader)).toBe(true),
      ),
      { numRuns: 60 },
    );
  });

  it('disconnects any client that reads 5 kB/s or less of what exceeds the buffers', () => {
    fc.assert(
      fc.property(
        fc.record({
          ...readers,
          bytesPerSecond: fc.integer({ min: 0, max: 5_000 }),
          answerBytes: fc.integer({ min: 6 * megabyte, max: 100 * megabyte }),
        }),
        (reader) => expect(readAll(reader)).toBe(false),
      ),
      { numRuns: 60 },
    );
  });

  it('waits for a client that reads nothing at first, and then fast', () => {
    const server = new FakeServer(10);
    const socket = server.connect('127.0.0.1', 4_194_304, 50 * megabyte) as FakeSocket;
    jest.advanceTimersByTime(38_000);
    socket.read(50 * megabyte);
    jest.advanceTimersByTime(60_000);
    expect(server.losses).toEqual([]);
  });
});

describe('when all connections are in use', () => {
  it.each<[string, (server: FakeServer, socket: FakeSocket) => void]>([
    ['send nothing', () => undefined],
    ['are idle', (server, socket) => server.ask(socket, 'many', { finished: true })],
    ['send half of a request', (server, socket) => server.ask(socket, undefined, { complete: false })],
    [
      'read nothing of a response',
      (server, socket) => {
        socket.writableLength = 1;
        server.ask(socket, 'many');
      },
    ],
  ])('the caller that holds most loses those that %s, and others keep theirs', (_, act) => {
    const server = new FakeServer(100);
    const neighbor = server.connect('10.0.0.1') as FakeSocket;
    server.ask(neighbor, 'few', { finished: true });
    const answered = server.connect('10.0.0.1') as FakeSocket;
    server.ask(answered, 'many');
    for (let round = 0; round < 50; round += 1) {
      for (let index = 0; index < 20; index += 1) {
        const socket = server.connect();
        if (socket !== undefined) act(server, socket);
      }
      jest.advanceTimersByTime(1000);
      // The neighbor continues, and others arrive.
      server.ask(neighbor, 'few', { finished: true });
    }
    expect(neighbor.isLost).toBe(false);
    // It is waiting for its response: the service keeps it waiting, not the reverse.
    expect(answered.isLost).toBe(false);
    expect(server.losses).toContain('evicted');
    const late = [server.connect('10.0.0.2'), server.connect('10.0.0.2')];
    jest.advanceTimersByTime(1000);
    expect(late.concat(server.connect('10.0.0.2')).filter((socket) => socket !== undefined)).not.toEqual([]);
  });
});

describe('what callers hold', () => {
  it('includes bodies that have not arrived in full', async () => {
    const bytes = 256 * 1024;
    let lost = 0;
    const sent: PassThrough[] = [];
    for (let index = 0; index < (maximumBufferedBytes / bytes) * 1.1; index += 1) {
      const socket = { remoteAddress: '127.0.0.1', resetAndDestroy: () => void (lost += 1) };
      const request = Object.assign(new PassThrough({ highWaterMark: bytes }), { headers: {}, socket, res: {} });
      request.res = { req: request, locals: {} };
      sent.push(request);
      void readBody(request as unknown as Request, bytes).catch(() => undefined);
      request.write(Buffer.alloc(bytes - 1));
      await new Promise(process.nextTick);
    }
    expect(lost).toBeGreaterThan(0);
    for (const request of sent) request.destroy();
  });

  it('is dropped for the caller with the largest burden, never for one that is served quickly', () => {
    const amounts = fc.integer({ min: 1, max: 8 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), amounts), { minLength: 30, maxLength: 80 }),
        (held) => {
          const ledger = new CallerLedger();
          const ended: string[] = [];
          const hold = (name: string, amount: number) => {
            const since = performance.now();
            return ledger.hold({
              caller: () => name,
              amount,
              burden: () => burdenSince(since, amount),
              giveWay: () => void ended.push(name),
            });
          };
          for (const [caller, amount] of held) {
            hold(`slow ${caller}`, amount);
            jest.advanceTimersByTime(1000);
            // Larger than any of the others, and read at once.
            const release = hold('quick', 8);
            while (ledger.total > 100 && ledger.evict() > 0);
            release();
            expect(ledger.total).toBeLessThanOrEqual(100);
          }
          expect(ended).not.toContain('quick');
        },
      ),
      { numRuns: 50 },
    );
  });
});
