import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { parse } from 'graphql';
import { CancellationSource } from '../../src/common/cancellation';
import { systemTimer } from '../../src/common/timer';
import { AnswerBudget } from '../../src/federation/answer/answer-budget';
import { JsonMeter } from '../../src/federation/answer/json-meter';
import type { SubgraphRequest, SubgraphResult } from '../../src/federation/subgraph-executor';
import type { RemoteExecutorOptions } from '../../src/federation/transport/remote-executor';
import { createRemoteExecutor, createRemoteExecutors } from '../../src/federation/transport/remote-executor';
import { fc } from '../support/properties';
import { createManualTimer } from './support/manual-timer';
import type { StubServer } from './support/stub-server';
import { json, startStubServer } from './support/stub-server';

const request: SubgraphRequest = {
  query: 'query ($a: Int) { ok }',
  document: parse('query ($a: Int) { ok }'),
  variables: { a: 1 },
  operationName: undefined,
  operationKind: 'query',
  context: undefined,
  cancellation: undefined,
};
const mutation: SubgraphRequest = { ...request, query: 'mutation { ok }', operationKind: 'mutation' };
const timeoutMilliseconds = 5000;

/** Pauses between attempts are recorded and end at once; time limits never end. */
function skipPauses(): void {
  pauses = [];
  jest.spyOn(systemTimer, 'after').mockImplementation((milliseconds, callback) => {
    if (milliseconds === timeoutMilliseconds) return () => undefined;
    pauses.push(milliseconds);
    queueMicrotask(callback);
    return () => undefined;
  });
}

let server: StubServer;
let failures: string[];
let pauses: number[];
beforeEach(async () => {
  server = await startStubServer();
  failures = [];
  skipPauses();
});
afterEach(() => {
  jest.restoreAllMocks();
  return server.close();
});

const executor = (options: Partial<RemoteExecutorOptions> = {}) =>
  createRemoteExecutor({
    name: 'reviews',
    url: server.url,
    timeoutMilliseconds,
    random: () => 0.5,
    onFailure: (_, { message }) => failures.push(message),
    ...options,
  });

const failure = (result: SubgraphResult) => ({
  data: result.data,
  errors: result.errors?.map(({ message, extensions }) => ({ message, extensions })),
});
const unavailable = (code: string) => ({
  data: null,
  errors: [
    { message: 'The subgraph "reviews" returned no usable response.', extensions: { code, service: 'reviews' } },
  ],
});

const ok = Buffer.from(JSON.stringify({ data: { ok: true } }));
const send =
  (headers: Record<string, string>, body: Buffer | string, status = 200) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end(body);

async function codeOf(): Promise<unknown> {
  const { data, errors } = await executor({ retries: 0 })(request);
  expect(data).toBeNull();
  return errors?.[0]?.extensions?.['code'];
}

describe('a request to a subgraph', () => {
  it('carries query and variables as JSON, and no operation name that it does not have', async () => {
    expect(await executor()(request)).toEqual({ data: { ok: true } });
    expect(server.requests[0]?.body).toEqual({ query: request.query, variables: { a: 1 } });
    expect(server.requests[0]?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/graphql-response+json, application/json',
    });
  });

  it('forwards headers that are on the list only, the credential not by default', async () => {
    const headersOf = () => ({
      authorization: 'Bearer secret',
      cookie: 'a=b',
      'x-request-id': 'r1',
      traceparent: '00-1',
      host: 'catalog.test',
    });
    await executor({ headersOf })(request);
    await executor({ headersOf, forwardHeaders: ['Authorization', 'Host', 'x-absent'], headers: { 'x-secret': 's' } })(
      request,
    );

    const [byDefault, byList] = server.requests.map(({ headers }) => headers);
    expect(byDefault).toMatchObject({ 'x-request-id': 'r1', traceparent: '00-1' });
    expect(byDefault).not.toHaveProperty('authorization');
    expect(byDefault).not.toHaveProperty('cookie');
    expect(byList).toMatchObject({ authorization: 'Bearer secret', 'x-secret': 's' });
    expect(byList?.host).toContain('127.0.0.1');
    expect(byList).not.toHaveProperty('x-request-id');
  });

  it('sends the credentials in the URL as Basic authentication', async () => {
    await executor({ url: server.url.replace('//', '//t%C3%A9a:p%40ss@') })(request);
    const { authorization } = server.requests[0]?.headers ?? {};
    expect(authorization).toBe(`Basic ${Buffer.from('téa:p@ss').toString('base64')}`);
  });

  it('accepts a GraphQL response of any status', async () => {
    server.answer = (response) => json(response, { errors: [{ message: 'no', extensions: { code: 'BAD' } }] }, 400);

    expect(await executor()(request)).toEqual({
      errors: [{ message: 'no', extensions: { code: 'BAD', service: 'reviews' } }],
    });
  });
});

describe('a query that fails in transport', () => {
  it.each<[string, StubServer['answer']]>([
    ...[502, 503, 504].map((status): [string, StubServer['answer']] => [
      `HTTP ${status}`,
      (response) => json(response, {}, status),
    ]),
    ['a lost connection', (response) => void response.destroy()],
  ])('is sent again after %s', async (_, fail) => {
    server.answer = (response, asked) =>
      server.requests.length < 3 ? fail(response, asked) : json(response, { data: { ok: true } });

    expect(await executor()(request)).toEqual({ data: { ok: true } });
    expect(server.requests).toHaveLength(3);
  });

  it('is sent no more often than allowed, with growing, randomized pauses', async () => {
    server.answer = (response) => json(response, {}, 503);
    let drawn = 0;
    const random = () => (drawn++ === 0 ? 0 : 0.9);
    const result = await executor({ retries: 2, random })(request);

    expect(failure(result)).toEqual(unavailable('SUBREQUEST_HTTP_ERROR'));
    expect(server.requests).toHaveLength(3);
    expect(pauses).toEqual([25, 140]);
  });

  it.each([400, 401, 404, 500])('is not sent again after HTTP %i', async (status) => {
    server.answer = (response) => response.writeHead(status).end('no');

    expect(failure(await executor()(request))).toEqual(unavailable('SUBREQUEST_HTTP_ERROR'));
    expect(server.requests).toHaveLength(1);
  });

  it('is never sent again when it is a mutation', async () => {
    server.answer = (response) => json(response, {}, 503);

    expect(failure(await executor()(mutation))).toEqual(unavailable('SUBREQUEST_HTTP_ERROR'));
    expect(server.requests).toHaveLength(1);
  });
});

describe('a subgraph that does not answer', () => {
  it.each<[string, StubServer['answer']]>([
    ['at all', () => undefined],
    ['to the end', (response) => void response.writeHead(200).write('{"data":')],
  ])('%s is abandoned after its time limit, without a retry', async (_, answer) => {
    server.answer = answer;
    const timer = createManualTimer();
    const result = executor({ timeoutMilliseconds: 700 })(request);
    await server.received(1);
    timer.fire(700);

    expect(failure(await result)).toEqual(unavailable('GATEWAY_TIMEOUT'));
    expect(server.requests).toHaveLength(1);
    expect(timer.pending()).toEqual([]);
  });
});

describe('a subgraph that sends Retry-After', () => {
  it.each([429, 503])('with %d is not queried earlier, and clients get the time', async (status) => {
    server.answer = (response) => void response.writeHead(status, { 'retry-after': '7' }).end();
    const [error] = (await executor({ retries: 2 })(request)).errors ?? [];
    expect(error?.extensions).toMatchObject({ code: 'SUBREQUEST_HTTP_ERROR', service: 'reviews', retryAfter: 7 });
    expect([...(error?.extensions?.['http'] as { headers: Map<string, string> }).headers]).toEqual([
      ['retry-after', '7'],
    ]);
    expect([server.requests.length, pauses]).toEqual([1, []]);
  });

  it.each(['-1', 'soon', '1e3', '9999999', '7.5', 'Wed, 21 Oct 2026 07:28:00 GMT'])(
    'as %j is treated like any other',
    async (value) => {
      server.answer = (response) => void response.writeHead(503, { 'retry-after': value }).end();
      const [error] = (await executor({ retries: 1 })(request)).errors ?? [];
      expect(error?.extensions).toEqual({ code: 'SUBREQUEST_HTTP_ERROR', service: 'reviews' });
      expect(server.requests).toHaveLength(2);
    },
  );
});

describe('the circuit breaker', () => {
  const circuitBreaker = { failures: 2, openMilliseconds: 1000 };

  it.each<[string, StubServer['answer']]>([
    ['GraphQL errors', (response) => json(response, { errors: [{}] })],
    ['a mistake of ours', (response) => void response.writeHead(404).end()],
  ])('is reset by %s', async (_, between) => {
    const ask = executor({ circuitBreaker, retries: 0 });
    const down: StubServer['answer'] = (response) => json(response, {}, 503);
    for (const answer of [down, between, down, between, down]) {
      server.answer = answer;
      await ask(request);
    }

    expect(server.requests).toHaveLength(5);
  });

  it('is not opened by clients that disconnect', async () => {
    server.answer = () => undefined;
    const ask = executor({ circuitBreaker, retries: 0 });
    for (let count = 1; count <= 3; count += 1) {
      const client = new CancellationSource();
      const answer = ask({ ...request, cancellation: client });
      await server.received(count);
      client.end(new Error('gone'));
      await answer;
    }

    expect(server.requests).toHaveLength(3);
  });

  it('keeps its state when a reload requests the executor again', async () => {
    server.answer = (response) => json(response, {}, 503);
    const executorFor = createRemoteExecutors(() => ({ circuitBreaker, retries: 0 }));
    for (let count = 0; count < 3; count += 1) await executorFor('reviews', server.url)(request);

    expect(server.requests).toHaveLength(2);
    expect(executorFor('reviews', `${server.url}/moved`)).not.toBe(executorFor('reviews', server.url));
  });
});

describe('a response that is too large', () => {
  it.each<[string, () => Buffer | string, Record<string, string>, RegExp]>([
    ['a million empty errors', () => `{"errors":[${'{},'.repeat(1_000_000)}{}]}`, {}, /more than 100000 values/],
    ['unbounded lists', () => `{"data":${'['.repeat(200_000)}`, {}, /more than 100 levels of nested lists and objects/],
    ['one long text', () => `{"data":{"ok":"${'x'.repeat(5_000_000)}"}}`, {}, /more than 4194304 bytes/],
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
      /more than 100 levels of nested lists/,
    ],
  ])('%s is refused before it is parsed, and does not open the circuit', async (_, body, headers, reason) => {
    const bytes = body();
    server.answer = send(headers, bytes);
    const ask = executor({ retries: 0, circuitBreaker: { failures: 2, openMilliseconds: 60_000 } });
    const parsing = jest.spyOn(JSON, 'parse');
    for (let count = 0; count < 3; count += 1) {
      const { errors } = await ask(request);
      expect(errors?.map(({ extensions }) => extensions?.['service'])).toEqual(['reviews']);
    }
    const longest = Math.max(...parsing.mock.calls.map(([text]) => text.length), 0);
    parsing.mockRestore();

    expect(longest).toBeLessThan(1000);
    expect(failures[0]).toMatch(reason);
    expect(server.requests).toHaveLength(3);
  });

  it('is not read to its end', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer = (response) => {
        response.once('close', resolve);
        response.writeHead(200);
        const more = () => response.write('x'.repeat(65_536), (error) => void (error || response.destroyed || more()));
        more();
      };
    });

    expect(failure(await executor({ limits: { maxBytes: 100_000 } })(request))).toEqual(
      unavailable('SUBREQUEST_MALFORMED_RESPONSE'),
    );
    await closed;
  });

  it('that exceeds the budget of its operation is refused, and does not open the circuit', async () => {
    const text = `{"data":{"ok":"${'x'.repeat(3_000_000)}"}}`;
    server.answer = send({}, text);
    const ask = executor({ retries: 0, circuitBreaker: { failures: 1, openMilliseconds: 60_000 } });
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
    ['a thousand encodings', new Array(1000).fill('gzip').join(','), ok],
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

    expect(await codeOf()).toBe('SUBREQUEST_HTTP_ERROR');
  });
});

describe('the members of a response', () => {
  it.each([
    [{ errors: null }],
    [{ errors: [] }],
    // Of incremental delivery, and unknown ones.
    [{ hasNext: true, incremental: [], extensions: { http: {} } }],
  ])('%j do not count beside data', async (others) => {
    server.answer = (response) => json(response, { data: { ok: true }, ...others });

    expect(await executor()(request)).toEqual({ data: { ok: true } });
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
});

describe('an error of a subgraph', () => {
  const reported = async (error: unknown) => {
    server.answer = send({}, `{"data":null,"errors":[${typeof error === 'string' ? error : JSON.stringify(error)}]}`);
    return (await executor()(request)).errors?.[0];
  };

  it.each([null, 'broken', { message: 1, path: 'x', extensions: { code: '<script>' } }])(
    'is an error whatever its form: %j',
    async (error) => {
      expect(await reported(typeof error === 'string' ? `"${error}"` : error)).toEqual({
        message: 'The subgraph "reviews" reported an error.',
        extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', service: 'reviews' },
      });
    },
  );

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
      path: new Array(1000).fill('a'),
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
