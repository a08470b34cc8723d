import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { loadConfig } from '../../src/config/config';
import type { HttpServer, HttpServerOptions } from '../../src/http/server/create-http-server';
import { createHttpServer } from '../../src/http/server/create-http-server';
import { createMetricsServer } from '../../src/http/server/open-server';
import { maximumBufferedBytes } from '../../src/http/request/buffered-bytes';
import { createDraining } from '../../src/http/server/connections';
import type { ConnectionLoss } from '../../src/observability/metrics';
import { createMemoryRateLimiter } from '../../src/rate-limit/rate-limiter';
import { createMemoryLog } from '../support/memory-log';
import { exchange } from '../support/rest-client';

interface Running extends HttpServer {
  readonly port: number;
  readonly losses: ConnectionLoss[];
  /** Resolves with the next connection that the server loses. */
  nextLoss(): Promise<ConnectionLoss>;
}

const running: Running[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  for (const { drain } of running.splice(0)) await drain(0);
});

async function start(app: RequestListener, options: Partial<HttpServerOptions> = {}): Promise<Running> {
  const losses: ConnectionLoss[] = [];
  const waiting: ((loss: ConnectionLoss) => void)[] = [];
  const http = createHttpServer({
    rateLimiter: createMemoryRateLimiter({ points: 120 }),
    draining: createDraining(),
    onConnectionLost: (loss) => {
      losses.push(loss);
      for (const resolve of waiting.splice(0)) resolve(loss);
    },
    ...options,
  });
  http.serve(app);
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  const { port } = http.server.address() as AddressInfo;
  const started = { ...http, port, losses, nextLoss: () => new Promise<ConnectionLoss>((done) => waiting.push(done)) };
  running.push(started);
  return started;
}

/** Connects and sends, but reads nothing until the test says so. */
async function open(port: number, bytes = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  clients.push(socket);
  socket.pause();
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const get = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));
/** More than fits into the buffers of both ends of a connection. */
const large = Buffer.alloc(32 * 1024 * 1024, 'x');

describe('clients that stop reading', () => {
  it.each<[name: string, app: (request: IncomingMessage, response: ServerResponse) => void, bytes: string]>([
    ['one large response', (_request, response) => void response.end(large), get],
    [
      'a response in pieces',
      (_request, response) => {
        const more = () => response.write(large.subarray(0, 65_536), (error) => void (error ?? more()));
        more();
      },
      get,
    ],
    ['pipelined responses', (_request, response) => void response.end(large.subarray(0, 1_000_000)), get.repeat(200)],
    [
      'and continue to send a body',
      (request, response) => {
        request.resume();
        response.end(large);
      },
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999\r\n\r\n',
    ],
    ['and keep sending headers', (_request, response) => void response.end(large), `${get}GET / HTTP/1.1\r\nX-A: `],
    ['and break the protocol', (_request, response) => void response.end(large), `${get}nonsense\r\n\r\n`],
    [
      'and announce that it is their last request',
      (_request, response) => void response.end(large),
      get.replace('Host', 'Connection: close\r\nHost'),
    ],
  ])('%s lose their connection', async (_, app, bytes) => {
    const { port, nextLoss } = await start(app, { windowMilliseconds: 400 });
    const lost = nextLoss();
    const client = await open(port, bytes);
    const dripping = setInterval(() => client.write('a'), 20);
    try {
      expect(await lost).toBe('stalled');
    } finally {
      clearInterval(dripping);
    }
    const gone = closed(client);
    client.resume();
    await gone;
  });

  it("lose their connection after one window: bytes in the system's buffers do not count as read", async () => {
    const windowMilliseconds = 1000;
    const { port, nextLoss } = await start((_request, response) => void response.end(large), { windowMilliseconds });
    const lost = nextLoss();
    await open(port, get);
    // A twentieth of a window, as the server sees it: a busy machine delays both.
    let looks = 0;
    const looking = setInterval(() => (looks += 1), windowMilliseconds / 20);
    try {
      expect(await lost).toBe('stalled');
      expect(looks).toBeLessThan(30);
    } finally {
      clearInterval(looking);
    }
  });

  it('cost the server little: no pipelined response is created before the previous one is read', async () => {
    let begun = 0;
    const app: RequestListener = (_request, response) => {
      begun += 1;
      response.end(large);
    };
    const { port, nextLoss } = await start(app, { windowMilliseconds: 400 });
    const lost = nextLoss();
    await open(port, get.repeat(1000));
    expect(await lost).toBe('stalled');
    expect(begun).toBe(1);
  });
});

describe('clients that are slow', () => {
  it('get the whole response, even one that was written at once, while they continue to read', async () => {
    const { port, losses } = await start((_request, response) => void response.end(large), {
      windowMilliseconds: 1000,
    });
    const client = await open(port, get.replace('Host', 'Connection: close\r\nHost'));
    let received = 0;
    let pauses = 0;
    // Half a megabyte, then a pause of more than twice the time that the server waits for a client without progress.
    let portion = 0;
    client.on('data', (chunk: Buffer) => {
      received += chunk.length;
      portion += chunk.length;
      if (portion < 512 * 1024) return;
      portion = 0;
      pauses += 1;
      client.pause();
      setTimeout(() => client.resume(), 35);
    });
    client.resume();
    await closed(client);
    expect(received).toBeGreaterThan(large.length);
    expect(pauses * 35).toBeGreaterThan(2000);
    expect(losses).toEqual([]);
  });

  it('keep an idle connection for 75 seconds, whatever time a client has to read', async () => {
    const { server, port, losses } = await start((_request, response) => void response.end('x'), {
      windowMilliseconds: 40,
    });
    expect(server.keepAliveTimeout).toBe(75_000);
    const client = await open(port, get);
    client.resume();
    await once(client, 'data');
    await countTurns(server, 40);
    client.write(get);
    await once(client, 'data');
    expect(losses).toEqual([]);
  });

  it('are distinguished from slow servers: a response may begin late', async () => {
    let answer: () => void = () => undefined;
    const { server, port, losses } = await start((_request, response) => void (answer = () => response.end('x')), {
      windowMilliseconds: 40,
    });
    const asked = once(server, 'request');
    const client = await open(port, get);
    client.resume();
    await asked;
    await countTurns(server, 40);
    answer();
    await once(client, 'data');
    expect(losses).toEqual([]);
  });
});

/**
 * Waits until the server has checked its connections that many times. Each check reads each connection's number of
 * bytes.
 */
async function countTurns(server: HttpServer['server'], looks: number): Promise<void> {
  const probe = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  const [serverSide] = (await once(server, 'connection')) as [Socket];
  let seen = 0;
  await new Promise<void>((resolve) => {
    Object.defineProperty(serverSide, 'writableLength', {
      get: () => {
        if (++seen === looks) resolve();
        return 0;
      },
    });
  });
  probe.destroy();
}

describe('MAX_CONNECTIONS', () => {
  const settings = { maximumConnections: 3, windowMilliseconds: 1000 };

  it('is ten thousand per process by default', async () => {
    expect(loadConfig({}).maxConnections).toBe(10_000);
    expect(loadConfig({ MAX_CONNECTIONS: '7' }).maxConnections).toBe(7);
    expect((await start(() => undefined)).server.maxConnections).toBe(10_000);
  });

  it('refuses a connection when requests in flight take all of them, and reports it', async () => {
    const { port, losses, server } = await start(() => undefined, settings);
    let asked = 0;
    const all = new Promise<void>((resolve) => server.on('request', () => void (++asked === 3 && resolve())));
    for (let index = 0; index < 3; index++) await open(port, get);
    await all;
    await closed(
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .resume(),
    );
    expect(losses).toEqual(['dropped']);
  });

  it('leaves idle connections alone while there is room', async () => {
    const { port, losses, server } = await start((_request, response) => void response.end('x'), {
      ...settings,
      windowMilliseconds: 40,
    });
    await open(port, get);
    await countTurns(server, 40);
    expect(losses).toEqual([]);
  });
});

describe('the requests of one connection', () => {
  /** Ends each response a little later, and records how many were in progress at once. */
  function createCountingApp() {
    const seen = { inFlight: 0, most: 0, urls: [] as string[] };
    const app: RequestListener = (request, response) => {
      seen.inFlight += 1;
      seen.most = Math.max(seen.most, seen.inFlight);
      seen.urls.push(request.url ?? '');
      let body = '';
      if (request.headers.expect !== undefined) response.writeContinue();
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () =>
        setImmediate(() => {
          seen.inFlight -= 1;
          response.end(`${request.url} ${body}`);
        }),
      );
    };
    return { app, seen };
  }

  async function readAll(port: number, bytes: string): Promise<string[]> {
    const client = await open(port, bytes);
    const received: Buffer[] = [];
    client.on('data', (chunk: Buffer) => received.push(chunk));
    client.resume();
    await closed(client);
    return Buffer.concat(received)
      .toString()
      .split(/(?=HTTP\/1\.1 )/)
      .map((answer) => answer.slice(answer.indexOf('\r\n\r\n') + 4));
  }

  const count = 5000;
  const last = 'GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  it.each<[kind: string, request: (index: number) => string, answer: (index: number) => string]>([
    ['without bodies', (index) => `GET /${index} HTTP/1.1\r\nHost: a\r\n\r\n`, (index) => `/${index} `],
    [
      'with bodies',
      (index) => `POST /${index} HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc`,
      (index) => `/${index} abc`,
    ],
    [
      'with chunks and trailers',
      (index) =>
        `POST /${index} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-A: b\r\n\r\n`,
      (index) => `/${index} abc`,
    ],
    [
      'that expect a word first',
      (index) => `POST /${index} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc`,
      (index) => `/${index} abc`,
    ],
  ])('are answered in their order and one at a time, thousands of them %s', async (_, request, answer) => {
    const { app, seen } = createCountingApp();
    const { port } = await start(app);
    const bytes = Array.from({ length: count }, (_each, index) => request(index)).join('') + last;
    const answers = (await readAll(port, bytes)).filter((text) => text !== '');
    expect(answers).toEqual([...Array.from({ length: count }, (_each, index) => answer(index)), '/last ']);
    expect(seen.most).toBe(1);
  });

  it.each([
    ['without bodies', get],
    ['with bodies', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na'],
  ])('are not read any further while one of them waits: %s', async (_, request) => {
    let arrived = 0;
    const held: ServerResponse[] = [];
    const { port, server } = await start((incoming, response) => {
      // Reading a body resumes the connection.
      incoming.resume();
      held.push(response);
    });
    server.on('request', () => (arrived += 1));
    const bytes = request.repeat(200_000);
    const client = await open(port, bytes);
    client.resume();
    await once(server, 'request');
    // Some responses are sent, and after each of them node:http would continue to read.
    for (let answered = 0; answered < 20; answered++) {
      const answer = held.shift();
      const sent = answer && once(answer, 'close');
      answer?.end('x');
      await sent;
      for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate);
    }
    // One read from the socket returns 64 kB.
    expect(arrived).toBeLessThanOrEqual((2 * 65_536) / request.length + 20);
  });

  it('count as memory while they wait: the caller that holds most loses its connections', async () => {
    const { port } = await start(() => undefined);
    // One read from the socket returns 64 kB, and each request takes more than a kilobyte.
    const most = (2 * maximumBufferedBytes) / ((65_536 / get.length) * 1_024);
    const lost = new Promise((resolve) => {
      for (let index = 0; index < most; index += 1) {
        const client = connect(port, '127.0.0.1').on('error', () => undefined);
        clients.push(client);
        client.once('close', resolve).resume().write(get.repeat(5_000));
      }
    });
    await lost;
  });

  it('that come after the last response are not started', async () => {
    const { app, seen } = createCountingApp();
    const { port } = await start(app);
    await readAll(port, last + get);
    expect(seen.urls).toEqual(['/last']);
  });

  it('leave nothing behind when their client disconnects', async () => {
    const { app, seen } = createCountingApp();
    const { port, server, drain } = await start(app);
    const connected = once(server, 'connection');
    const client = await open(port, get.repeat(1000));
    const [serverSide] = (await connected) as [Socket];
    client.resetAndDestroy();
    await closed(serverSide);
    await drain(60_000);
    expect(seen.urls.length).toBeLessThanOrEqual(1000);
  });
});

describe('the port of the metrics', () => {
  it('has the same limits: a hundred connections, of which idle ones make room', async () => {
    const { log, lines } = createMemoryLog();
    const metrics = createMetricsServer(
      { contentType: 'text/plain', read: () => Promise.resolve('x') },
      { windowMilliseconds: 1000 },
    );
    await metrics.listen(loadConfig({ METRICS_PORT: '0' }), log);
    try {
      const port = Number(lines.at(-1)?.['port']);
      const idle = await Promise.all(Array.from({ length: 100 }, () => open(port)));
      for (const client of idle) client.resume();
      let status: number | undefined;
      while (status === undefined) {
        status = await exchange(`http://127.0.0.1:${port}`, '/metrics', {}).then(
          (answer) => answer.status,
          () => undefined,
        );
      }
      expect(status).toBe(200);
    } finally {
      await metrics.close();
    }
  });
});
