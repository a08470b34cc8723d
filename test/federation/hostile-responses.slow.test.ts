import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { parse } from 'graphql';
import { AnswerBudget, defaultAnswerLimits } from '../../src/federation/answer/answer-budget';
import { JsonMeter } from '../../src/federation/answer/json-meter';
import type { SubgraphRequest } from '../../src/federation/subgraph-executor';
import { createRemoteExecutor } from '../../src/federation/transport/remote-executor';
import type { RemoteExecutorOptions } from '../../src/federation/transport/remote-executor';
import type { StubServer } from './support/stub-server';
import { json, startStubServer } from './support/stub-server';
import { fc } from '../support/properties';

const request: SubgraphRequest = {
  query: '{ ok }',
  document: parse('{ ok }'),
  variables: {},
  operationName: undefined,
  operationKind: 'query',
  context: undefined,
  cancellation: undefined,
};

let server: StubServer;
let failures: string[];
beforeEach(async () => {
  server = await startStubServer();
  failures = [];
});
afterEach(() => server.close());

const executor = (options: Partial<RemoteExecutorOptions> = {}) =>
  createRemoteExecutor({
    name: 'reviews',
    url: server.url,
    retries: 0,
    onFailure: (_, { message }) => failures.push(message),
    ...options,
  });

const ok = Buffer.from(JSON.stringify({ data: { ok: true } }));
const send =
  (headers: Record<string, string>, body: Buffer | string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

async function codeOf(options?: Partial<RemoteExecutorOptions>): Promise<unknown> {
  const { data, errors } = await executor(options)(request);
  expect(data).toBeNull();
  return errors?.[0]?.extensions?.['code'];
}

describe('a response that is too large', () => {
  const values = defaultAnswerLimits.maxValues;
  it.each<[string, () => Buffer | string, Record<string, string>, RegExp]>([
    ['a million empty errors', () => `{"errors":[${'{},'.repeat(1_000_000)}{}]}`, {}, /more than 100000 values/],
    ['a million items', () => `{"data":{"ok":[${'1,'.repeat(values)}1]}}`, {}, /more than 100000 values/],
    ['a million members', () => `{"data":{"ok":{${'"a":1,'.repeat(values)}"b":1}}}`, {}, /more than 100000 values/],
    ['unbounded lists', () => `{"data":${'['.repeat(200_000)}`, {}, /more than 100 nested lists and objects/],
    ['unbounded objects', () => '{"data":'.repeat(50_000), {}, /more than 100 nested lists and objects/],
    ['one long text', () => `{"data":{"ok":"${'x'.repeat(5_000_000)}"}}`, {}, /more than 4194304 bytes/],
    ['white space', () => ' '.repeat(5_000_000), {}, /more than 4194304 bytes/],
    [
      'a gzip bomb',
      () => gzipSync(Buffer.alloc(200_000_000, 0x20)),
      { 'content-encoding': 'gzip' },
      /more than 4194304 bytes/,
    ],
    [
      'a brotli bomb',
      () => brotliCompressSync(Buffer.alloc(50_000_000, 0x5b)),
      { 'content-encoding': 'br' },
      /more than 100 nested lists/,
    ],
  ])('%s is refused before it is parsed, and opens the circuit', async (_, body, headers, reason) => {
    const bytes = body();
    server.answer = send(headers, bytes);
    const ask = executor({ circuitBreaker: { failures: 2, openMilliseconds: 60_000 } });
    const parsing = jest.spyOn(JSON, 'parse');
    for (let count = 0; count < 3; count += 1) {
      const { errors } = await ask(request);
      expect(errors?.map(({ extensions }) => extensions?.['service'])).toEqual(['reviews']);
    }
    const longest = Math.max(...parsing.mock.calls.map(([text]) => text.length), 0);
    parsing.mockRestore();

    expect(longest).toBeLessThan(1000);
    expect(failures[0]).toMatch(reason);
    expect(server.requests).toHaveLength(2);
  });

  it('that exceeds the budget of its operation is refused, and does not open the circuit', async () => {
    const text = `{"data":{"ok":"${'x'.repeat(3_000_000)}"}}`;
    server.answer = send({}, text);
    const ask = executor({ circuitBreaker: { failures: 1, openMilliseconds: 60_000 } });
    const budget = new AnswerBudget();
    const outcomes = [];
    for (let count = 0; count < 4; count += 1) outcomes.push((await ask({ ...request, budget })).data != null);

    expect(outcomes).toEqual([true, true, false, false]);
    expect(server.requests).toHaveLength(4);
    expect(failures[0]).toMatch(/combined subgraph responses .* are too large/);
  });
});

describe('a compressed response', () => {
  it.each([
    ['gzip', gzipSync(ok)],
    ['GZIP', gzipSync(ok)],
    ['br', brotliCompressSync(ok)],
    ['identity', ok],
  ])('in %s is read', async (encoding, body) => {
    server.answer = send({ 'content-encoding': encoding }, body);

    expect(await executor()(request)).toEqual({ data: { ok: true } });
    expect(server.requests[0]?.headers['accept-encoding']).toBe('gzip, br');
  });

  it.each([
    ['an encoding that was not requested', 'deflate', deflateSync(ok)],
    ['an encoding twice', 'gzip, gzip', gzipSync(gzipSync(ok))],
    ['a thousand encodings', Array.from({ length: 1000 }, () => 'gzip').join(','), ok],
  ])('in %s is malformed', async (_, encoding, body) => {
    server.answer = send({ 'content-encoding': encoding }, body);

    expect(await codeOf()).toBe('SUBREQUEST_MALFORMED_RESPONSE');
  });

  it('that is truncated or not compressed fails', async () => {
    server.answer = send({ 'content-encoding': 'gzip' }, gzipSync(ok).subarray(0, 15));
    expect(await codeOf()).toBe('SUBREQUEST_HTTP_ERROR');
    server.answer = send({ 'content-encoding': 'gzip' }, ok);
    expect(await codeOf()).toBe('SUBREQUEST_HTTP_ERROR');
  });
});

describe('an HTTP response that does not match the request', () => {
  it.each([
    ['a page', { 'content-type': 'text/html' }],
    ['events', { 'content-type': 'text/event-stream' }],
    ['parts', { 'content-type': 'multipart/mixed; boundary="-"' }],
  ])('%s is malformed', async (_, headers) => {
    server.answer = send(headers, ok);

    expect(await codeOf()).toBe('SUBREQUEST_MALFORMED_RESPONSE');
  });

  it.each(['application/json; charset=utf-8', 'application/graphql-response+json', 'Application/JSON'])(
    '%s is accepted',
    async (type) => {
      server.answer = send({ 'content-type': type }, ok);

      expect(await executor()(request)).toEqual({ data: { ok: true } });
    },
  );

  it.each([301, 302, 303, 307, 308, 300, 304])(
    'a redirect with %i is not followed, and its body not read',
    async (status) => {
      server.answer = send({ location: server.url }, status === 304 ? '' : ok, status);

      expect(await codeOf()).toBe('SUBREQUEST_HTTP_ERROR');
      expect(server.requests).toHaveLength(1);
    },
  );

  const raw = (write: (socket: Socket) => void) => (response: ServerResponse) => write(response.socket as Socket);
  it.each<[string, (socket: Socket) => void]>([
    [
      'another protocol',
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ],
    ['unbounded interim responses', (socket) => void socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000))],
    ['unbounded headers', (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(10_000)}`)],
    ['no HTTP', (socket) => void socket.write('hello\r\n\r\n')],
    ['less than announced', (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"data"')],
    [
      'two lengths',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'),
    ],
  ])('%s is an error immediately', async (_, write) => {
    server.answer = raw(write);

    expect(await codeOf({ timeoutMilliseconds: 60_000 })).toBe('SUBREQUEST_HTTP_ERROR');
  });
});

describe('the members of a response', () => {
  it('errors that are null or empty do not count', async () => {
    for (const errors of [null, []]) {
      server.answer = (response) => json(response, { data: { ok: true }, errors });
      expect(await executor()(request)).toEqual({ data: { ok: true } });
    }
  });

  it.each([
    ['errors that are an object', { data: { ok: true }, errors: {} }, /errors that are not a list/],
    ['errors that are a text', { data: { ok: true }, errors: 'x' }, /errors that are not a list/],
    ['errors that are false', { data: { ok: true }, errors: false }, /errors that are not a list/],
    ['data that is a list', { data: [], errors: [{ message: 'x' }] }, /data that is not an object/],
    ['nothing', {}, /neither data nor errors/],
    ['nothing but nulls', { data: null, errors: null }, /neither data nor errors/],
    ['no errors and no data', { data: null, errors: [] }, /neither data nor errors/],
    ['a batch', [{ data: {} }], /not a JSON object/],
    ['a page of HTML', '<html>', /not JSON/],
    ['no bytes', '', /not JSON/],
  ])('%s are malformed and are logged', async (_, body, reason) => {
    server.answer = send({}, typeof body === 'string' ? body : JSON.stringify(body));

    expect(await codeOf()).toBe('SUBREQUEST_MALFORMED_RESPONSE');
    expect(failures).toEqual([expect.stringMatching(reason)]);
  });

  it('that belong to incremental delivery, and unknown ones, are ignored', async () => {
    server.answer = (response) =>
      json(response, { data: { ok: true }, hasNext: true, incremental: [], extensions: { http: {} } });

    expect(await executor()(request)).toEqual({ data: { ok: true } });
  });
});

describe("extensions of a subgraph's error", () => {
  const reported = async (error: unknown) => {
    server.answer = send({}, `{"data":null,"errors":[${typeof error === 'string' ? error : JSON.stringify(error)}]}`);
    return (await executor()(request)).errors?.[0];
  };

  it.each([401, 418, 204, 101, 99_999, -1, 'x', null])('http (status %j) is not passed on', async (status) => {
    const error = await reported({
      message: 'x',
      extensions: { http: { status, headers: { 'set-cookie': 'a=b' } }, hint: 1 },
    });

    expect(error?.extensions).toEqual({ hint: 1, code: 'DOWNSTREAM_SERVICE_ERROR', service: 'reviews' });
  });

  it('nor is a stack, a name of the prototype, or another service', async () => {
    const error = await reported(
      '{"message":"x","extensions":{"__proto__":{"a":1},"constructor":1,"prototype":1,"stacktrace":["x"],"exception":{},"service":"catalog","code":"SOLD"}}',
    );

    expect(Object.entries(error?.extensions ?? {})).toEqual([
      ['code', 'SOLD'],
      ['service', 'reviews'],
    ]);
  });

  it.each([
    'UNAUTHENTICATED',
    'UNAUTHORIZED',
    'PLAN_LIMIT_EXCEEDED',
    'BAD_REQUEST',
    'GRAPHQL_VALIDATION_FAILED',
    'PERSISTED_QUERY_NOT_FOUND',
  ])('the code %s, which is about a request as a whole, is not passed on', async (code) => {
    expect((await reported({ message: 'x', extensions: { code } }))?.extensions?.['code']).toBe(
      'DOWNSTREAM_SERVICE_ERROR',
    );
  });

  it.each(['SERVICE_UNAVAILABLE', 'RATE_LIMITED'])('the code %s is, with the name of the service', async (code) => {
    expect((await reported({ message: 'x', extensions: { code } }))?.extensions).toEqual({ code, service: 'reviews' });
  });

  it('has a bounded size', async () => {
    const error = await reported({
      message: 'm'.repeat(100_000),
      path: Array.from({ length: 1000 }, () => 'a'),
      extensions: { code: 'SOLD', big: 'x'.repeat(100_000) },
    });

    expect(JSON.stringify(error).length).toBeLessThan(1200);
    expect(error?.extensions).toEqual({ code: 'SOLD', service: 'reviews' });
    expect(error).not.toHaveProperty('path');
  });
});

describe('the meter of JSON', () => {
  const count = (value: unknown): number =>
    Array.isArray(value)
      ? value.reduce<number>((sum, item) => sum + count(item), 1)
      : typeof value === 'object' && value !== null
        ? Object.values(value).reduce<number>((sum, item) => sum + count(item), 1)
        : 1;
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

  it('measures the depth of any JSON, and never much fewer values than it has, however it is split', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 7 }), (value, size) => {
        const bytes = Buffer.from(JSON.stringify(value));
        const meter = new JsonMeter();
        for (let at = 0; at < bytes.length; at += size) meter.feed(bytes.subarray(at, at + size));
        expect(meter.maxDepth).toBe(depthOf(value));
        expect(meter.values).toBeGreaterThanOrEqual(count(value) / 2);
        expect(meter.values).toBeLessThanOrEqual(2 * count(value));
      }),
    );
  });
});
