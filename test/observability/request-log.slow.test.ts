import { once } from 'node:events';
import { connect } from 'node:net';
import { exchange } from '../support/rest-client';
import { sendRaw } from '../support/raw-http';
import { askGraphql } from '../support/graphql-client';
import type { LogLine } from '../support/memory-log';
import { useService } from '../support/service';
import type { ShopFixture } from '../support/shop-fixture';
import { createShop } from '../support/shop-fixture';

let shop: ShopFixture;
const service = useService({ rateLimit: 1000 });
beforeAll(async () => {
  shop = await createShop(service);
});

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const linesOf = (requestId: string): readonly LogLine[] =>
  service.log.filter((line) => line['requestId'] === requestId);

describe('X-Request-Id', () => {
  it.each(['a', 'Req-1_2.3', 'x'.repeat(128)])('is accepted from the client: %s', async (id) => {
    const { headers } = await shop.client.get('/shop', { 'X-Request-Id': id });
    expect(headers['x-request-id']).toBe(id);
  });

  it.each(['', 'x'.repeat(129), 'two words', 'bob@example.com', 'a,b', 'ä'])(
    'is generated instead of: %s',
    async (id) => {
      const { headers } = await shop.client.get('/shop', { 'X-Request-Id': encodeURI(id) === id ? id : 'a b' });
      expect(headers['x-request-id']).toMatch(uuid);
    },
  );

  it('is generated when there are several', async () => {
    const { headers } = await shop.client.get('/shop', { 'X-Request-Id': ['a', 'b'] });
    expect(headers['x-request-id']).toMatch(uuid);
  });

  it('is on the response to bytes that never became a request', async () => {
    const [given, made] = await Promise.all([
      sendRaw(service.origin, 'GET / HTTP/1.1\r\nHost: x\r\nX-Request-Id: raw-1\r\nbroken\r\n\r\n'),
      sendRaw(service.origin, 'nonsense\r\n\r\n'),
    ]);
    expect(given[0]).toMatchObject({ status: 400, headers: { 'x-request-id': 'raw-1' } });
    expect(made[0]?.headers['x-request-id']).toMatch(uuid);
    expect(linesOf('raw-1')).toMatchObject([{ operation: 'unknown', method: 'other', status: 400 }]);
  });

  it('is in the log once for a request whose body is cut off', async () => {
    await sendRaw(
      service.origin,
      'POST /oauth/token HTTP/1.1\r\nHost: x\r\nX-Request-Id: broken-body\r\nTransfer-Encoding: chunked\r\n\r\n',
      'nonsense\r\n',
    );
    // The server notices the closed connection a little after the client does.
    while (linesOf('broken-body').length === 0) await new Promise(setImmediate);
    expect(linesOf('broken-body')).toMatchObject([{ operation: 'token', method: 'POST', status: 400 }]);
  });

  it.each(['/oauth/token', '/graphql'])(
    "is in the log once, and not as the service's fault, for a client that disconnected during its body: %s",
    async (path) => {
      const id = `left-amid-${path.slice(1, 4)}`;
      const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
      const arrived = once(service.server, 'request');
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      );
      await arrived;
      socket.resetAndDestroy();
      while (linesOf(id).length === 0) await new Promise(setImmediate);
      // Whatever the broken request still causes has happened by the time a later one has a response.
      await shop.client.get('/shop');
      expect(linesOf(id)).toMatchObject([{ level: 30, method: 'POST', status: 499 }]);
    },
  );
});

describe('the access log', () => {
  it('has one line for a request, with the caller and without path or query', async () => {
    await shop.client.get('/products?limit=2', { 'X-Request-Id': 'one-line' });
    expect(linesOf('one-line')).toEqual([
      {
        level: 30,
        time: expect.any(Number) as number,
        requestId: 'one-line',
        method: 'GET',
        operation: 'listProducts',
        status: 200,
        durationMs: expect.any(Number) as number,
        clientId: shop.clientId,
        shopId: shop.shopId,
        bytes: expect.any(Number) as number,
        msg: 'request',
      },
    ]);
  });

  it("has the request's id in the lines of its errors, on every surface, with their stacks", async () => {
    const headers = { 'X-Request-Id': 'failing' };
    await service.sql('ALTER TABLE products RENAME TO products_away');
    await shop.client.get('/products', headers);
    await askGraphql(service.origin, shop.apiKey, '{ products { totalCount } }', {}, headers);
    await service.sql('ALTER TABLE products_away RENAME TO products');
    const errors = linesOf('failing').filter(({ level }) => level === 50);
    expect(errors).toHaveLength(2);
    for (const { err } of errors) expect((err as { stack: string }).stack).toContain(' at ');
  });

  it("has the request's id in the lines of the token endpoint", async () => {
    const { clientId, clientSecret } = shop;
    await service.duringOutage(() =>
      exchange(service.origin, '/oauth/token', {
        method: 'POST',
        headers: {
          'X-Request-Id': 'token-fails',
          Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
          'Content-Type': 'application/x-www-form-urlencoded',
        },
        body: 'grant_type=client_credentials',
      }),
    );
    expect(linesOf('token-fails')).toMatchObject([{ level: 50 }, { level: 30, operation: 'token', status: 503 }]);
  });
});
