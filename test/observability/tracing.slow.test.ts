import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { parse } from 'graphql';
import { observeExecutors } from '../../src/federation/transport/observed-executors';
import { createRemoteExecutor } from '../../src/federation/transport/remote-executor';
import { isTracingOn, traceCall, withTraceContext } from '../../src/observability/tracing';
import { startStubServer } from '../federation/support/stub-server';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';
import { findPrivateTexts } from '../support/private-texts';
import { privateTexts, sendMixedRequests } from './mixed-requests';
import type { RecordedSpan } from './recording-tracer';
import { registerRecordingTracer, statementsOn, unregisterTracer } from './recording-tracer';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

describe('without an SDK', () => {
  it('creates no span, changes no header and runs the call itself', async () => {
    const result = Promise.resolve(1);
    const describeCall = jest.fn(() => ({ name: 'x', attributes: {} }));
    expect(isTracingOn()).toBe(false);
    expect(traceCall(describeCall, () => result)).toBe(result);
    expect(describeCall).not.toHaveBeenCalled();
    expect(withTraceContext({ traceparent })).toEqual({ traceparent });
    await result;
  });
});

describe('with an SDK', () => {
  let spans: RecordedSpan[];
  let service: Service;
  let shop: ShopFixture;
  beforeAll(async () => {
    ({ spans } = registerRecordingTracer());
    service = await startService({ rateLimit: 1000 });
    shop = await createShop(service);
  });
  afterAll(async () => {
    await service.close();
    unregisterTracer();
  });
  beforeEach(() => {
    spans.length = 0;
  });
  const find = (name: string) => spans.filter((span) => span.name === name);

  it("continues the caller's trace: a span for the request, a child span for each statement", async () => {
    await shop.client.get('/products', { traceparent });
    const [request] = find('GET listProducts');
    expect(request).toMatchObject({
      traceId,
      parentId: 'b7ad6b7169203331',
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': 'GET', 'http.response.status_code': 200 },
      status: undefined,
    });
    const [statement] = statementsOn(spans, 'products');
    expect(statement).toMatchObject({
      traceId,
      parentId: request?.spanId,
      kind: SpanKind.CLIENT,
      name: 'SELECT',
      attributes: { 'db.system.name': 'postgresql', 'db.operation.name': 'SELECT' },
    });
    expect(statementsOn(spans, 'api_keys')).toHaveLength(1);
  });

  it('begins a trace where there is none, and writes its id into the log', async () => {
    await askGraphql(service.origin, shop.apiKey, '{ orders { totalCount } }', {}, { 'X-Request-Id': 'traced' });
    const [request] = find('POST graphql');
    expect(request?.parentId).toBeUndefined();
    expect(statementsOn(spans, 'orders').map(({ parentId }) => parentId)).toContain(request?.spanId);
    expect(service.log.find((line) => line['requestId'] === 'traced')).toMatchObject({ traceId: request?.traceId });
  });

  it('marks errors of the service, not errors of the client', async () => {
    await shop.client.get('/products?limit=0');
    await service.duringOutage(() => shop.client.get('/products'));
    expect(find('GET listProducts').map(({ status }) => status)).toEqual([undefined, { code: SpanStatusCode.ERROR }]);
    expect(statementsOn(spans, 'api_keys').at(-1)?.status).toEqual({ code: SpanStatusCode.ERROR });
  });

  it('names the span of a page for people after the page', async () => {
    await exchange(service.origin, '/graphql', { headers: { Accept: 'text/html' } });
    expect(find('GET explorer')).toHaveLength(1);
  });

  it('contains no value of a statement, no address and no credential (D25)', async () => {
    await sendMixedRequests(service, shop);
    const text = JSON.stringify(spans);
    expect([...privateTexts, shop.shopId, shop.clientId].filter((each) => text.includes(each))).toEqual([]);
    expect(findPrivateTexts(text)).toEqual([]);
  });

  it('forwards the trace to subgraphs, below a span of the call, and records the outcome', async () => {
    const outcomes: string[] = [];
    const stub = await startStubServer();
    const executorFor = observeExecutors(
      (name, url: string) => createRemoteExecutor({ name, url, retries: 0 }),
      (name, outcome) => outcomes.push(`${name} ${outcome}`),
    );
    const query = '{ a }';
    const request = {
      query,
      document: parse(query),
      variables: {},
      operationName: undefined,
      operationKind: 'query' as const,
      context: {},
      cancellation: undefined,
    };
    await executorFor('reviews', stub.url)(request);
    await stub.close();
    await executorFor('reviews', stub.url)(request);
    const [call, failed] = find('subgraph reviews');
    expect(stub.requests.map(({ headers }) => headers['traceparent'])).toEqual([
      `00-${call?.traceId}-${call?.spanId}-01`,
    ]);
    expect(failed?.kind).toBe(SpanKind.CLIENT);
    expect(outcomes).toEqual(['reviews ok', 'reviews failed']);
  });
});
