import { parse } from 'graphql';
import { CancellationSource } from '../../src/common/cancellation';
import type { SubgraphRequest, SubgraphResult } from '../../src/federation/subgraph-executor';
import type { Timer } from '../../src/common/timer';
import type { RemoteExecutorOptions } from '../../src/federation/transport/remote-executor';
import { createRemoteExecutor, createRemoteExecutors } from '../../src/federation/transport/remote-executor';
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
function skippingTimer() {
  const pauses: number[] = [];
  const timer: Timer = {
    after(milliseconds, callback) {
      if (milliseconds === timeoutMilliseconds) return () => undefined;
      pauses.push(milliseconds);
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  return { timer, pauses };
}

let server: StubServer;
beforeEach(async () => {
  server = await startStubServer();
});
afterEach(() => server.close());

const executor = (options: Partial<RemoteExecutorOptions> = {}) =>
  createRemoteExecutor({
    name: 'reviews',
    url: server.url,
    timer: skippingTimer().timer,
    timeoutMilliseconds,
    random: () => 0.5,
    ...options,
  });

const failure = (result: SubgraphResult) => ({
  data: result.data,
  errors: result.errors?.map(({ message, extensions }) => ({ message, extensions })),
});
const unavailable = (code: string) => ({
  data: null,
  errors: [{ message: 'The subgraph "reviews" did not respond.', extensions: { code, service: 'reviews' } }],
});

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
  it.each([502, 503, 504])('is sent again after HTTP %i', async (status) => {
    server.answer = (response) =>
      server.requests.length < 3 ? json(response, {}, status) : json(response, { data: { ok: true } });

    expect(await executor()(request)).toEqual({ data: { ok: true } });
    expect(server.requests).toHaveLength(3);
  });

  it('is sent again after a lost connection', async () => {
    server.answer = (response) =>
      server.requests.length < 2 ? void response.destroy() : json(response, { data: { ok: true } });

    expect(await executor()(request)).toEqual({ data: { ok: true } });
  });

  it('is sent no more often than allowed, with growing, randomized pauses', async () => {
    server.answer = (response) => json(response, {}, 503);
    const { timer, pauses } = skippingTimer();
    let drawn = 0;
    const random = () => (drawn++ === 0 ? 0 : 0.9);
    const result = await executor({ retries: 2, timer, random })(request);

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

describe('an answer that cannot be used', () => {
  it('is larger than allowed, and is not read to its end', async () => {
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
});

describe('a subgraph that does not answer', () => {
  it('is abandoned after its time limit, without a retry', async () => {
    server.answer = () => undefined;
    const timer = createManualTimer();
    const answer = executor({ timer, timeoutMilliseconds: 700 })(request);
    await server.received(1);
    timer.fire(700);

    expect(failure(await answer)).toEqual(unavailable('GATEWAY_TIMEOUT'));
    expect(server.requests).toHaveLength(1);
    expect(timer.pending()).toEqual([]);
  });

  it('is abandoned while it is still sending', async () => {
    server.answer = (response) => void response.writeHead(200).write('{"data":');
    const timer = createManualTimer();
    const answer = executor({ timer, timeoutMilliseconds: 700 })(request);
    await server.received(1);
    timer.fire(700);

    expect(failure(await answer)).toEqual(unavailable('GATEWAY_TIMEOUT'));
  });
});

describe('a subgraph that sends Retry-After', () => {
  it.each([429, 503])('with %d is not queried earlier, and clients get the time', async (status) => {
    server.answer = (response) => void response.writeHead(status, { 'retry-after': '7' }).end();
    const { timer, pauses } = skippingTimer();
    const [error] = (await executor({ timer, retries: 2 })(request)).errors ?? [];
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

  it('sends a subgraph nothing after consecutive failures, then lets one request through', async () => {
    let now = 0;
    server.answer = (response) => json(response, {}, 503);
    const ask = executor({ circuitBreaker, retries: 0, clock: () => now });
    await ask(request);
    await ask(request);
    expect(failure(await ask(request))).toEqual(unavailable('SUBREQUEST_HTTP_ERROR'));
    expect(server.requests).toHaveLength(2);

    now = 1000;
    await Promise.all([ask(request), ask(request), ask(request)]);
    expect(server.requests).toHaveLength(3);

    now = 2000;
    server.answer = (response) => json(response, { data: { ok: true } });
    expect(await ask(request)).toEqual({ data: { ok: true } });
    await Promise.all([ask(request), ask(mutation)]);
    expect(server.requests).toHaveLength(6);
  });

  it.each([
    ['GraphQL errors', (response: Parameters<StubServer['answer']>[0]) => json(response, { errors: [{}] })],
    ['a mistake of ours', (response: Parameters<StubServer['answer']>[0]) => void response.writeHead(404).end()],
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

describe('what a subgraph reports', () => {
  it.each([
    ['null', null],
    ['a text', 'broken'],
    ['odd members', { message: 1, path: 'x', extensions: { code: '<script>' } }],
  ])('is an error whatever its form: %s', async (_, error) => {
    server.answer = (response) => json(response, { data: null, errors: [error] });

    expect((await executor()(request)).errors).toEqual([
      {
        message: 'The subgraph "reviews" reported an error.',
        extensions: { code: 'DOWNSTREAM_SERVICE_ERROR', service: 'reviews' },
      },
    ]);
  });
});
