import { parse } from 'graphql';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { CancellationSource } from '../../src/common/cancellation';
import { AnswerBudget } from '../../src/federation/answer/answer-budget';
import type { SubgraphRequest } from '../../src/federation/subgraph-executor';
import { createRemoteExecutor } from '../../src/federation/transport/remote-executor';
import { fc } from '../support/properties';
import type { StubServer } from './support/stub-server';
import { json, startStubServer } from './support/stub-server';

const query: SubgraphRequest = {
  query: '{ ok }',
  document: parse('{ ok }'),
  variables: {},
  operationName: undefined,
  operationKind: 'query',
  context: {},
  cancellation: undefined,
};

let server: StubServer;
let ask: ReturnType<typeof createRemoteExecutor>;
beforeEach(async () => {
  server = await startStubServer();
  ask = createRemoteExecutor({
    name: 'reviews',
    url: server.url,
    retries: 0,
    forwardHeaders: ['authorization', 'x-request-id'],
    headersOf: (context) => context as Record<string, string>,
  });
});
afterEach(() => server.close());

describe('queries of the same turn', () => {
  it('are sent once when they are equal, and each operation has its own answer', async () => {
    const ids = ['1', '2', '3'].map((id) => ({ ...query, context: { 'x-request-id': id } }));
    const answers = await Promise.all(ids.map(async (each) => ask(each)));
    expect(answers).toEqual(Array(3).fill({ data: { ok: true } }));
    expect(server.requests).toHaveLength(1);
    expect(new Set(answers.map(({ data }) => data)).size).toBe(3);
  });

  it.each<[string, Partial<SubgraphRequest>]>([
    ['variables', { variables: { a: 1 } }],
    ['text', { query: '{ other: ok }' }],
    ['name', { operationName: 'other' }],
    ['credential', { context: { authorization: 'Bearer other' } }],
  ])('are sent both when they differ in their %s', async (_, different) => {
    await Promise.all([ask(query), ask({ ...query, ...different })]);
    expect(server.requests).toHaveLength(2);
  });

  it('are never mutations', async () => {
    const mutation = { ...query, query: 'mutation { ok }', operationKind: 'mutation' as const };
    await Promise.all([ask(mutation), ask(mutation)]);
    expect(server.requests).toHaveLength(2);
  });

  it('continue without an operation that is canceled, and end with the last', async () => {
    const closed = new Promise<void>((resolve) => {
      server.answer = (response) => void response.once('close', resolve);
    });
    const clients = [1, 2].map(() => new CancellationSource());
    const [first, second] = clients.map((cancellation) => ask({ ...query, cancellation }));
    await server.received(1);
    clients[0]?.end(new Error('gone'));
    expect((await first)?.errors).toMatchObject([{ extensions: { code: 'GATEWAY_TIMEOUT' } }]);
    expect(server.requests).toHaveLength(1);
    clients[1]?.end(new Error('gone'));
    expect((await second)?.data).toBeNull();
    await closed;
  });

  it('are not sent when all operations are canceled before', async () => {
    const cancellation = new CancellationSource();
    const answers = [ask({ ...query, cancellation }), ask({ ...query, cancellation })];
    cancellation.end(new Error('gone'));
    for (const answer of answers) expect((await answer).data).toBeNull();
    await nextTurn();
    expect((await ask(query)).data).toEqual({ ok: true });
    expect(server.requests).toHaveLength(1);
  });

  it('count in the budget of each operation', async () => {
    const small = new AnswerBudget({ maxBytes: 10, maxValues: 100 });
    const [refused, answered] = await Promise.all([ask({ ...query, budget: small }), ask(query)]);
    expect(refused?.errors).toMatchObject([{ extensions: { code: 'SUBREQUEST_MALFORMED_RESPONSE' } }]);
    expect(answered).toEqual({ data: { ok: true } });
  });
});

it('never returns data from before the request, however queries and writes interleave', async () => {
  const steps = fc.array(fc.constantFrom('query', 'write', 'turn', 'answer'), { maxLength: 40 });
  const property = fc.asyncProperty(steps, async (list) => {
    let version = 0;
    const open: (() => void)[] = [];
    server.answer = (response) => {
      const data = { ok: version };
      open.push(() => json(response, { data }));
    };
    const answers: Promise<{ readonly asked: number; readonly got: unknown }>[] = [];
    for (const step of list) {
      if (step === 'write') version += 1;
      else if (step === 'turn') await nextTurn();
      else if (step === 'answer') open.shift()?.();
      else {
        const asked = version;
        answers.push(Promise.resolve(ask(query)).then(({ data }) => ({ asked, got: data?.['ok'] })));
      }
    }
    server.answer = (response) => json(response, { data: { ok: version } });
    const all = Promise.all(answers);
    for (let done = false; !done;) {
      open.splice(0).forEach((answer) => answer());
      done = await Promise.race([all.then(() => true), nextTurn(false)]);
    }
    for (const { asked, got } of await all) expect(got).toBeGreaterThanOrEqual(asked);
  });
  await fc.assert(property);
});
