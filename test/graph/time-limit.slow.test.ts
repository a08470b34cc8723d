import { request } from 'node:http';
import { divideConnections } from '../../src/database/bounded-pool';
import { askGraphql } from '../support/graphql-client';
import { untilWaiting, whileLocked } from '../support/locked-table';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

/** Without cancellation, statements would run as long as the test may take, so those that end earlier were canceled. */
const databaseLimits = { statementTimeoutMilliseconds: 120_000 };
const poolSize = 2;

let service: Service;
let apiKey: string;

async function start(requestTimeoutMilliseconds: number): Promise<void> {
  const settings = { REQUEST_TIMEOUT_MS: String(requestTimeoutMilliseconds) };
  service = await startService({ rateLimit: 1000, settings, databaseLimits, poolSize });
  const shop = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  await seedVariant(service.sql, shop, await seedProduct(service.sql, shop));
}

const document = '{ products { nodes { variants { id } } } }';
const ask = (query = document) => askGraphql(service.origin, apiKey, query);

describe('an operation whose SQL is slow', () => {
  beforeAll(() => start(700));
  afterAll(() => service.close());

  it.each(['products', 'variants'])(
    'gets 503 and Retry-After at the limit, and its statement on %s is canceled in PostgreSQL',
    async (table) => {
      const answer = await whileLocked(service.database, table, async () => {
        const answered = ask();
        await untilWaiting(service.database, 1);
        const found = await answered;
        await untilWaiting(service.database, 0);
        return found;
      });
      expect({ status: answer.status, data: answer.data, errors: answer.errors }).toEqual({
        status: 503,
        data: undefined,
        errors: [
          {
            message: 'The request timed out. Try again in a moment.',
            extensions: { code: 'SERVICE_UNAVAILABLE' },
          },
        ],
      });
      expect(answer.headers['retry-after']).toBe('1');
    },
  );

  it('starts no statement after the limit', async () => {
    const lines = service.log.length;
    // Twice as many as there are connections: most statements are waiting for one when time is up.
    const roots = Array.from(
      { length: poolSize * 2 },
      (_, index) => `p${index}: products(first: ${index + 1}) { nodes { id } }`,
    );
    await whileLocked(service.database, 'products', async () => {
      const answered = ask(`{ ${roots.join(' ')} }`);
      await untilWaiting(service.database, divideConnections(poolSize).perShop);
      expect((await answered).status).toBe(503);
      await untilWaiting(service.database, 0);
      // By now, a statement that waited for a connection would have it and be waiting for the table.
      expect((await ask('{ shop { id } }')).status).toBe(200);
      await untilWaiting(service.database, 0);
    });
    expect(service.log.slice(lines).map(({ msg }) => msg)).not.toContain('failed to resolve a field');
  });

  it('leaves the connections usable for later requests', async () => {
    await whileLocked(service.database, 'products', () => Promise.all([ask(), ask(), ask()]));
    const answers = await Promise.all(Array.from({ length: 5 }, () => ask()));
    expect(answers.map(({ status, errors }) => ({ status, errors }))).toEqual(
      answers.map(() => ({ status: 200, errors: undefined })),
    );
  });
});

describe('a client that disconnects', () => {
  beforeAll(() => start(120_000));
  afterAll(() => service.close());

  it('cancels the statements of its operation', async () => {
    await whileLocked(service.database, 'products', async () => {
      const leaving = request(`${service.origin}/graphql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
      }).on('error', () => undefined);
      leaving.end(JSON.stringify({ query: document }));
      await untilWaiting(service.database, 1);
      leaving.destroy();
      await untilWaiting(service.database, 0);
    });
  });
});
