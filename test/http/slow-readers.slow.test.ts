import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { operationsPerShop } from '../../src/http/endpoints/graphql/graphql-handler';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedShop } from '../support/seed';
import { useService } from '../support/service';

/** More than the buffers of both ends of a connection hold while the client reads nothing. */
const products = 100;
const textBytes = 75_000;

let apiKey: string;
const clients = new Set<Socket>();

const service = useService({ rateLimit: 100_000 });
beforeAll(async () => {
  const shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  await service.sql(
    `INSERT INTO products (shop_id, external_id, title, description_html, created_at, updated_at)
     SELECT $1, n::text, 'Vase ' || n, repeat('0123456789', ${textBytes / 10}), now(), now() FROM generate_series(1, ${products}) AS n`,
    [shopId],
  );
});
afterEach(() => clients.forEach((client) => client.destroy()));

/** Sends a request and reads only the beginning of its response. */
async function startReading(request: string): Promise<Socket> {
  const client = connect(Number(new URL(service.origin).port), '127.0.0.1').on('error', () => undefined);
  clients.add(client);
  client.once('close', () => clients.delete(client));
  client.write(request);
  await once(client, 'data');
  client.pause();
  return client;
}

const toRequest = (query: string): string =>
  `GET /graphql?query=${encodeURIComponent(query)} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${apiKey}\r\nApollo-Require-Preflight: 1\r\nConnection: close\r\n\r\n`;

async function countRest(client: Socket): Promise<number> {
  client.resume();
  await new Promise((resolve) => client.once('close', resolve));
  return client.bytesRead;
}

describe('a GraphQL operation', () => {
  it('keeps no slot while its client reads: as many as a shop has may wait for clients that read nothing', async () => {
    const unread: Socket[] = [];
    for (let index = 0; index < operationsPerShop + 1; index += 1) {
      unread.push(
        await startReading(toRequest(`{ products(first: ${products}) { nodes { a${index}: descriptionHtml } } }`)),
      );
    }
    const { status } = await askGraphql(service.origin, apiKey, '{ shop { id } }');
    expect(status).toBe(200);
    for (const client of unread) expect(await countRest(client)).toBeGreaterThan(products * textBytes);
  });
});
