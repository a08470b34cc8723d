import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { revokeApiKey, rotateApiKey } from '../../src/auth/api-keys';
import { routerSecretHeader } from '../../src/federation/transport/forwarded-headers';
import { allRoutes } from '../../src/http/routes';
import { whileLocked } from '../support/locked-table';
import { seedLargeShop, untilNothingRuns } from '../support/paused-export';
import { watchRechecks } from '../support/rechecks';
import { exchange, mintToken } from '../support/rest-client';
import type { SeededKey } from '../support/seed';
import { seedApiKey, seedProduct, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

/**
 * What ends with a secret, on every surface (D14): the next call at once, and a response in progress within a minute.
 */

const routerSecret = 'a secret between this service and its router';
const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const document = JSON.stringify({ query: '{ products(first: 1) { nodes { title vendor } } }' });

interface Call {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** How to call each route; GET by default. */
const calls: Readonly<Record<string, Call>> = {
  '/graphql': { method: 'POST', headers: json, body: document },
  '/subgraph': { method: 'POST', headers: { ...json, [routerSecretHeader]: routerSecret }, body: document },
  '/mcp': {
    method: 'POST',
    headers: json,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_products', arguments: {} },
    }),
  },
};

const surfaces = allRoutes.filter(({ charge }) => charge === 'key').map(({ path }) => path);

let service: Service;
/** On the clock, in milliseconds. */
let ahead = 0;
let shopId: string;
let productId: string;
let key: SeededKey;
const { passHalfAMinute, restore } = watchRechecks();

const sockets = new Set<Socket>();

beforeAll(async () => {
  service = await startService({
    clock: () => Date.now() + ahead,
    rateLimit: 100_000,
    settings: { SUBGRAPH_SECRET: routerSecret },
  });
  service.server.on('connection', (socket) => sockets.add(socket));
  shopId = await seedShop(service.sql);
  productId = await seedProduct(service.sql, shopId);
});
afterAll(async () => {
  restore();
  await service.close();
});
beforeEach(async () => {
  key = await seedApiKey(service.sql, shopId);
});

function callOf(path: string, credential: string) {
  const { headers, ...call } = calls[path] ?? {};
  const target = path.replace('{productId}', productId);
  return [target, { ...call, headers: { ...headers, Authorization: `Bearer ${credential}` } }] as const;
}

/** However it closes. */
const closeOf = (response: IncomingMessage): Promise<void> => new Promise((resolve) => response.once('close', resolve));

/** Sends the request and leaves its response unread. */
async function open(target: string, credential: string, accept = '*/*'): Promise<IncomingMessage> {
  const headers = { Authorization: `Bearer ${credential}`, Accept: accept };
  const sent = request(`${service.origin}${target}`, { headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // Both see a reset.
  for (const side of [sent, response]) side.on('error', () => undefined);
  return response;
}

const credentials: readonly [string, () => Promise<string>][] = [
  ['a key', () => Promise.resolve(key.apiKey)],
  ['a token', () => mintToken(service.origin, key)],
];
const deaths: readonly [string, () => Promise<unknown>][] = [
  [
    'its secret is rotated without overlap',
    () => rotateApiKey(service.database.database, key.clientId, { overlapMilliseconds: 0, clock: Date.now }),
  ],
  ['its key is revoked', () => revokeApiKey(service.database.database, key.clientId, Date.now)],
  ['its key is deleted', () => service.sql('DELETE FROM api_keys WHERE client_id = $1', [key.clientId.slice(3)])],
];
const cases = credentials.flatMap(([credential, create]) =>
  deaths.map(([death, kill]) => [credential, death, create, kill] as const),
);

describe.each(surfaces)('%s', (path) => {
  it.each(cases)('refuses %s with the next call once %s', async (_credential, _death, create, kill) => {
    const call = callOf(path, await create());
    const alive = path === '/changes' || path === '/export' ? 200 : (await exchange(service.origin, ...call)).status;
    expect(alive).toBe(200);
    await kill();
    expect((await exchange(service.origin, ...call)).status).toBe(401);
  });

  it.each(cases)('ends a response to %s that is in progress when %s', async (_credential, _death, create, kill) => {
    const call = callOf(path, await create());
    // No response is cached for another version.
    await service.sql('UPDATE products SET title = $2 WHERE id = $1', [productId, key.clientId]);
    const inProgress = await whileLocked(
      service.database,
      'products, variants, collections, orders, changes',
      async () => {
        let isAnswered = false;
        const answer = exchange(service.origin, ...call);
        void answer.finally(() => (isAnswered = true));
        const isWaiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        while (!isAnswered && (await service.sql(isWaiting)).length === 0);
        // By now, requests that read only the key's row have a response.
        if (isAnswered) return undefined;
        passHalfAMinute();
        await kill();
        passHalfAMinute();
        return (await answer).status;
      },
    );
    expect(inProgress).toBe(path === '/v1/shop' ? undefined : 401);
  });
});

describe.each(cases)('of the open responses to %s, when %s,', (_credential, _death, create, kill) => {
  it('a quiet stream ends, and a long poll is refused', async () => {
    const credential = await create();
    const stream = await open('/changes?after=now', credential, 'text/event-stream');
    let text = '';
    stream.on('data', (chunk) => (text += String(chunk)));
    while (!text.includes('event: current')) await once(stream, 'data');
    const { body } = await exchange(service.origin, ...callOf('/changes', credential));
    const { next_cursor: cursor } = body as { next_cursor: string };
    const poll = exchange(service.origin, `/changes?after=${cursor}&wait=50`, callOf('/changes', credential)[1]);
    while (!/^changes_clients_waiting 2/m.test((await exchange(service.origin, '/metrics', {})).text));
    passHalfAMinute();
    await exchange(service.origin, ...callOf('/v1/shop', credential));
    expect(stream.closed).toBe(false);
    await kill();
    const closed = closeOf(stream);
    passHalfAMinute();
    expect((await poll).status).toBe(401);
    await closed;
  });

  it('an export that is read slowly is cut off', async () => {
    key = await seedApiKey(service.sql, await seedLargeShop(service.sql, 300));
    const response = await open('/export', await create());
    await untilNothingRuns(service.sql);
    await kill();
    passHalfAMinute();
    const closed = closeOf(response);
    response.resume();
    await closed;
    expect(response.complete).toBe(false);
  });
});

it('an expired access token ends only streams', async () => {
  const token = await mintToken(service.origin, key);
  const stream = await open('/changes?after=now', token, 'text/event-stream');
  stream.resume();
  const { body } = await exchange(service.origin, ...callOf('/changes', token));
  const { next_cursor: cursor } = body as { next_cursor: string };
  const poll = exchange(service.origin, `/changes?after=${cursor}&wait=2`, callOf('/changes', token)[1]);
  while (!/^changes_clients_waiting 2/m.test((await exchange(service.origin, '/metrics', {})).text));
  ahead = 3_600_000;
  const closed = closeOf(stream);
  passHalfAMinute();
  await closed;
  ahead = 0;
  expect((await poll).status).toBe(200);
});

it('a client that left while its key was read is not authenticated again', async () => {
  const started = jest.spyOn(globalThis, 'setInterval');
  const cleared = jest.spyOn(globalThis, 'clearInterval');
  const countRunning = (): number => {
    const ended = new Set<unknown>(cleared.mock.calls.map(([timer]) => timer));
    const rechecks = started.mock.results.filter((_, at) => started.mock.calls[at]?.[1] === 2_000);
    return rechecks.filter(({ value }) => !ended.has(value)).length;
  };
  const before = countRunning();
  await whileLocked(service.database, 'api_keys', async () => {
    const left = request(`${service.origin}/v1/shop`, {
      headers: { Authorization: `Bearer ${key.apiKey}` },
      agent: false,
    });
    left.on('error', () => undefined).end();
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    while ((await service.sql(waiting)).length === 0);
    const [socket] = [...sockets].slice(-1);
    left.destroy();
    while (socket?.destroyed === false) await new Promise(setImmediate);
  });
  await untilNothingRuns(service.sql);
  await exchange(service.origin, '/livez', {});
  expect(countRunning()).toBe(before);
  cleared.mockRestore();
});

it('the keys of a hundred streams are read by a few statements', async () => {
  const countStatements = async () =>
    Number(
      /^database_statement_duration_seconds_count (\d+)/m.exec(
        (await exchange(service.origin, '/metrics', {})).text,
      )?.[1],
    );
  const streams = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const { apiKey } = await seedApiKey(service.sql, shopId);
      const stream = await open('/changes?after=now', apiKey, 'text/event-stream');
      return stream.resume();
    }),
  );
  const before = await countStatements();
  passHalfAMinute();
  await exchange(service.origin, ...callOf('/v1/shop', key.apiKey));
  expect((await countStatements()) - before).toBeLessThan(20);
  for (const stream of streams) stream.destroy();
});
