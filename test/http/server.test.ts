import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Agent, get } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import type { HttpServer } from '../../src/http/server/create-http-server';
import { createHttpServer } from '../../src/http/server/create-http-server';
import { createDraining } from '../../src/http/server/connections';
import { createMemoryRateLimiter } from '../../src/rate-limit/rate-limiter';
import { parseAnswers } from '../support/raw-http';

interface Running extends HttpServer {
  readonly origin: string;
}

async function start(app: RequestListener, timeouts = {}): Promise<Running> {
  const rateLimiter = createMemoryRateLimiter({ points: 120 });
  const http = createHttpServer({ rateLimiter, draining: createDraining(), ...timeouts });
  http.serve(app);
  http.server.listen(0, '127.0.0.1');
  await once(http.server, 'listening');
  return { ...http, origin: `http://127.0.0.1:${(http.server.address() as AddressInfo).port}` };
}

/** An application whose responses the test ends. */
function createHeldApp() {
  const held: ServerResponse[] = [];
  const waiting: (() => void)[] = [];
  const app = (_request: IncomingMessage, response: ServerResponse) => {
    held.push(response);
    waiting.shift()?.();
  };
  const arrival = () => new Promise<void>((resolve) => waiting.push(resolve));
  return { app, held, arrival };
}

const fetchOver = (agent: Agent, origin: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    get(origin, { agent }, (response) => resolve(response.resume())).on('error', reject);
  });

describe('draining', () => {
  it('completes the requests in flight, announces that the connection closes, and accepts no more connections', async () => {
    const { app, held, arrival } = createHeldApp();
    const { origin, drain } = await start(app);
    const agent = new Agent({ keepAlive: true });
    const arrived = arrival();
    const answer = fetchOver(agent, origin);
    await arrived;
    const drained = drain(60_000);
    await expect(fetchOver(new Agent(), origin)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    held[0]?.end('done');
    expect((await answer).headers.connection).toBe('close');
    await drained;
    agent.destroy();
  });

  it('ends idle connections', async () => {
    const { origin, drain } = await start((_request, response) => void response.end('x'));
    const agent = new Agent({ keepAlive: true });
    expect((await fetchOver(agent, origin)).headers.connection).toBe('keep-alive');
    await drain(60_000);
    agent.destroy();
  });

  it('ends the remaining requests at the deadline', async () => {
    const { app, arrival } = createHeldApp();
    const { origin, drain } = await start(app);
    const arrived = arrival();
    const answer = fetchOver(new Agent(), origin);
    const refused = expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' });
    await arrived;
    await drain(1);
    await refused;
  });
});

/** Sends a beginning, then one more byte at a time until the server closes the connection. */
async function drip(origin: string, beginning: string, byte: string): Promise<string> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk) => received.push(chunk)).on('error', () => undefined);
  socket.write(beginning);
  const dripping = setInterval(() => socket.write(byte), 10);
  await once(socket, 'close');
  clearInterval(dripping);
  return Buffer.concat(received).toString();
}

describe('slow clients', () => {
  const timeouts = { headersTimeoutMilliseconds: 50, requestTimeoutMilliseconds: 50 };
  const timedOut = {
    status: 408,
    headers: { connection: 'close', 'ratelimit-limit': '120' },
    body: { error: { code: 'BAD_USER_INPUT', message: expect.any(String) as string } },
  };

  it('have ten seconds for their headers, of at most 16 kB, and thirty for the whole request', async () => {
    const { server, drain } = await start(() => undefined);
    expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 });
    await drain(0);
  });

  it.concurrent.each([
    ['when their headers stop halfway', 'GET /v1/shop HTTP/1.1\r\nHost: a\r\n', ''],
    ['when their headers arrive slowly', 'GET /v1/shop HTTP/1.1\r\nHost: a\r\nX-A: ', 'a'],
    ['when they send nothing at all', '', ''],
    ['when their body stops halfway', 'POST /v1/shop HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\na', ''],
    ['when their body arrives slowly', 'POST /v1/shop HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n', 'a'],
    [
      'when their chunks arrive slowly',
      'POST /v1/shop HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
      '1\r\na\r\n',
    ],
  ])('get 408 in the envelope and lose their connection %s', async (_, beginning, byte) => {
    // Reads the request to its end, as the handlers do.
    const app: RequestListener = (request, response) => void request.resume().on('end', () => response.end());
    const { origin, drain } = await start(app, timeouts);
    expect(parseAnswers(Buffer.from(await drip(origin, beginning, byte)))).toMatchObject([timedOut]);
    await drain(0);
  });

  it.concurrent(
    'lose their connection without a second response if they got one before their body arrived',
    async () => {
      const { origin, drain } = await start((_request, response) => void response.end('early'), timeouts);
      const text = await drip(origin, 'POST /v1/shop HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\n\r\n', 'a');
      expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200']);
      await drain(0);
    },
  );

  it.concurrent.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a valid request followed by malformed bytes', 'GET / HTTP/1.1\r\nHost: a\r\n\r\nnonsense\r\n\r\n'],
    ['a malformed body', 'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('cannot keep a connection open after a response that ends it: %s', async (_, bytes) => {
    const { origin, server, drain } = await start((_request, response) => void response.end('x'));
    const connected = once(server, 'connection');
    const client = connect({ port: Number(new URL(origin).port), host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).resume();
    client.write(bytes);
    const [serverSide] = (await connected) as [Socket];
    await new Promise((resolve) => serverSide.once('close', resolve));
    client.destroy();
    await drain(60_000);
  });
});

describe('clients that reset their connection', () => {
  it.each([
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'],
    ['nonsense', 'nonsense\r\n\r\n'],
    ['a request', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('before or after their response end no process: %s', async (_, bytes) => {
    const { origin, server, drain } = await start((_request, response) => void response.end('x'));
    for (const reset of ['at once', 'after the answer', 'at once', 'after the answer']) {
      const connected = once(server, 'connection');
      const client = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => undefined);
      const [serverSide] = (await connected) as [Socket];
      const closed = new Promise((resolve) => serverSide.once('close', resolve));
      const answered = once(client, 'data');
      client.write(bytes);
      if (reset === 'after the answer') await answered;
      else await new Promise(setImmediate);
      client.resetAndDestroy();
      // An unhandled error fails the test here, and would end a process.
      await closed;
      answered.catch(() => undefined);
    }
    await drain(60_000);
  });
});
