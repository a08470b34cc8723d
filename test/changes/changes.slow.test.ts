import { beyondRest } from '../client/copy';
import type { IncomingMessage } from 'node:http';
import { request, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { countAnswers, exchange } from '../support/rest-client';
import { createRandom } from '../support/random';
import { runSeed as seed } from '../support/run-seed';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { startService, useService } from '../support/service';
import { untilWaiting as untilBlocked, whileLocked } from '../support/locked-table';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Entry {
  readonly type: string;
  readonly id: string;
  readonly external_id: string;
  readonly deleted: boolean;
  readonly object: Readonly<Record<string, unknown>> | null;
}

interface Page {
  readonly data: readonly Entry[];
  readonly has_more: boolean;
  readonly next_cursor: string;
}

const service = useService({ rateLimit: 100_000 });

type Shop = Awaited<ReturnType<typeof openShop>>;

async function openShop({ sql, origin }: Pick<typeof service, 'sql' | 'origin'> = service) {
  const id = await seedShop(sql);
  const { apiKey } = await seedApiKey(sql, id);
  return {
    id,
    apiKey,
    async get(query: string) {
      const headers = { Authorization: `Bearer ${apiKey}` };
      const { status, body, text } = await exchange(origin, `/changes${query}`, { headers });
      return { status, page: body as Page, text };
    },
  };
}

async function countWaiting({ origin } = service): Promise<number> {
  const { text } = await exchange(origin, '/metrics', {});
  return Number(/^changes_clients_waiting (\d+)/m.exec(text)?.[1]);
}

/** Resolves once that many clients are waiting. */
async function untilWaiting(count: number, where = service): Promise<void> {
  while ((await countWaiting(where)) < count);
}

interface SentEvent {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

/** A reader of server-sent events. */
class Stream {
  readonly events: SentEvent[] = [];
  readonly comments: string[] = [];
  isOver = false;
  #wake: () => void = () => undefined;

  constructor(readonly response: IncomingMessage) {
    const fields: Record<string, string> = {};
    response.on('error', () => undefined);
    createInterface({ input: response }).on('line', (line) => {
      if (line.startsWith(':')) this.comments.push(line);
      else if (line !== '') fields[line.slice(0, line.indexOf(':'))] = line.slice(line.indexOf(':') + 2);
      else if (fields['data'] !== undefined) {
        this.events.push({
          event: fields['event'] ?? 'message',
          id: fields['id'] ?? '',
          data: JSON.parse(fields['data']),
        });
        for (const name of Object.keys(fields)) delete fields[name];
      }
      this.#wake();
    });
    response.on('close', () => {
      this.isOver = true;
      this.#wake();
    });
  }

  static open(apiKey: string, query: string, headers: Readonly<Record<string, string>> = {}): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const all = { Authorization: `Bearer ${apiKey}`, Accept: 'text/event-stream', ...headers };
      request(`${service.origin}/changes${query}`, { headers: all, agent: false }, (response) =>
        resolve(new Stream(response)),
      )
        .on('error', reject)
        .end();
    });
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Resolves once the client has received `times` occurrences of it since the start. */
  untilCurrent = (times = 1): Promise<void> =>
    this.until(() => this.events.filter(({ event }) => event === 'current').length >= times);

  get entries(): readonly Entry[] {
    return this.events.filter(({ event }) => event === 'message').map(({ data }) => data as Entry);
  }

  close = (): void => void this.response.destroy();
}

/** The shop as REST shows it: objects by type and id. */
async function readLists({ apiKey }: Shop): Promise<ReadonlyMap<string, unknown>> {
  const headers = { Authorization: `Bearer ${apiKey}` };
  const objects = new Map<string, unknown>();
  for (const [type, list] of [
    ['product', 'products'],
    ['collection', 'collections'],
    ['order', 'orders'],
  ] as const) {
    const { body } = await exchange(service.origin, `/v1/${list}?limit=200`, { headers });
    for (const object of (body as { data: { id: string }[] }).data) {
      objects.set(`${type} ${object.id}`, {
        ...object,
        ...(type in beyondRest && beyondRest[type]),
      });
      if (type !== 'product') continue;
      const { body: whole } = await exchange(service.origin, `/v1/products/${object.id}`, { headers });
      for (const variant of (whole as { data: { variants: { id: string }[] } }).data.variants)
        objects.set(`variant ${variant.id}`, { ...variant, product_id: object.id });
    }
  }
  return objects;
}

function apply(copy: Map<string, unknown>, entries: readonly Entry[]): void {
  for (const { type, id, deleted, object } of entries) {
    if (deleted) copy.delete(`${type} ${id}`);
    else copy.set(`${type} ${id}`, object);
  }
}

describe('GET /changes as JSON', () => {
  it('has every object once, equal to REST byte for byte, in pages', async () => {
    const shop = await openShop();
    for (let count = 0; count < 4; count += 1) {
      await seedVariant(service.sql, shop.id, await seedProduct(service.sql, shop.id));
      await seedCollection(service.sql, shop.id);
      await seedOrder(service.sql, shop.id);
    }
    const copy = new Map<string, unknown>();
    let pages = 0;
    for (let query = '?limit=3'; ;) {
      const { status, page } = await shop.get(query);
      expect(status).toBe(200);
      apply(copy, page.data);
      pages += 1;
      if (!page.has_more) break;
      query = `?limit=3&after=${page.next_cursor}`;
    }
    expect(pages).toBe(6);
    expect(new Map([...copy].sort())).toEqual(new Map([...(await readLists(shop))].sort()));
  });

  it('waits until something changes, and says what', async () => {
    const shop = await openShop();
    const { page: start } = await shop.get('?after=now');
    expect(start).toMatchObject({ data: [], has_more: false });
    const waiting = shop.get(`?after=${start.next_cursor}&wait=50`);
    await untilWaiting(1);
    const id = await seedOrder(service.sql, shop.id);
    const { status, page } = await waiting;
    expect([status, page.data.map((entry) => [entry.type, entry.id, entry.deleted])]).toEqual([
      200,
      [['order', id, false]],
    ]);
    const gone = shop.get(`?after=${page.next_cursor}&wait=50`);
    await untilWaiting(1);
    await service.sql('DELETE FROM orders WHERE id = $1', [id]);
    expect((await gone).page.data).toMatchObject([{ type: 'order', id, deleted: true, object: null }]);
  });

  it('does not end the wait for changes of other types, nor for writes that change nothing', async () => {
    const shop = await openShop();
    const { page: start } = await shop.get('?after=now&types=orders');
    const waiting = shop.get(`?after=${start.next_cursor}&types=orders&wait=50`);
    await untilWaiting(1);
    const product = await seedProduct(service.sql, shop.id);
    await service.sql('UPDATE products SET title = title WHERE id = $1', [product]);
    // The next two statements of the watch see only the product.
    const stream = await Stream.open(shop.apiKey, '?after=now&types=products');
    await stream.untilCurrent();
    for (const times of [2, 3]) {
      await service.sql(`UPDATE products SET title = title || '.' WHERE id = $1`, [product]);
      await stream.untilCurrent(times);
    }
    stream.close();
    const order = await seedOrder(service.sql, shop.id);
    expect((await waiting).page.data.map(({ id }) => id)).toEqual([order]);
  });

  it('returns an empty page when the time is over', async () => {
    const shop = await openShop();
    const { page } = await shop.get('?after=now&wait=1');
    expect(page).toMatchObject({ data: [], has_more: false });
    expect((await shop.get(`?after=${page.next_cursor}&wait=0`)).page.data).toEqual([]);
  });

  it.each([
    ['?wait=56', 'wait: expected a whole number of seconds from 0 to 55, got "56".'],
    ['?wait=-1', 'wait: expected a whole number'],
    ['?wait=1&wait=2', 'wait: expected at most one value, got 2.'],
    ['?types=product', 'types: expected a comma-separated list of products, variants, collections, orders'],
    ['?types=', 'types: expected a comma-separated list of'],
    ['?after=nowhere', 'after: expected a cursor'],
    ['?limit=201', 'limit: expected an integer from 1 to 200'],
  ])('refuses %s as JSON and as a stream', async (query, message) => {
    const shop = await openShop();
    const { status, text } = await shop.get(query);
    expect([status, text]).toEqual([400, expect.stringContaining(JSON.stringify(message).slice(1, -1))]);
    const stream = await Stream.open(shop.apiKey, query);
    expect(stream.response.statusCode).toBe(400);
  });
});

describe('GET /changes as server-sent events', () => {
  it.each([
    ['text/event-stream', 'text/event-stream'],
    ['text/event-stream; charset=utf-8', 'text/event-stream'],
    ['text/event-stream, application/json', 'text/event-stream'],
    ['application/json; charset=utf-8, text/event-stream; charset=utf-8', 'application/json'],
    ['application/json, text/event-stream', 'application/json'],
    ['*/*', 'application/json'],
    ['application/xml', 'application/json'],
  ])('%s gets %s', async (accept, expected) => {
    const { apiKey } = await openShop();
    const { response, close } = await Stream.open(apiKey, '', { Accept: accept });
    close();
    expect(response.headers['content-type']).toBe(expected);
  });

  it('sends everything, then changes as they happen, and resumes after any event', async () => {
    const random = createRandom(seed);
    const shop = await openShop();
    // Larger than what a socket takes at once.
    for (let count = 0; count < 10; count += 1)
      await seedProduct(service.sql, shop.id, { description_html: 'x'.repeat(70_000) });
    const { mock } = jest.spyOn(ServerResponse.prototype, 'write');
    const stream = await Stream.open(shop.apiKey, '?limit=1');
    expect(stream.response.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await stream.untilCurrent();
    expect((mock.contexts.at(-1) as ServerResponse).listenerCount('close')).toBeLessThan(10);
    const order = await seedOrder(service.sql, shop.id);
    await stream.untilCurrent(2);
    await service.sql('DELETE FROM orders WHERE id = $1', [order]);
    await stream.untilCurrent(3);
    stream.close();
    const copy = new Map<string, unknown>();
    apply(copy, stream.entries);
    expect([...copy.keys()].sort()).toEqual([...(await readLists(shop)).keys()].sort());
    for (const { id } of stream.events) expect(id).not.toBe('');

    const at = random.integer(0, stream.events.length - 1);
    const resumed = await Stream.open(shop.apiKey, '?limit=3&after=now', {
      'Last-Event-ID': stream.events[at]?.id ?? '',
    });
    await resumed.untilCurrent();
    resumed.close();
    const before = stream.events.slice(0, at + 1).filter(({ event }) => event === 'message');
    const whole = new Map<string, unknown>();
    apply(whole, [...before.map(({ data }) => data as Entry), ...resumed.entries]);
    expect(new Map([...whole].sort())).toEqual(new Map([...copy].sort()));
  });

  it('ends when the key is revoked, before it sends later changes', async () => {
    const shop = await openShop();
    const stream = await Stream.open(shop.apiKey, '?after=now');
    await stream.untilCurrent();
    await service.sql('UPDATE api_keys SET revoked_at = now() WHERE shop_id = $1', [shop.id]);
    await seedOrder(service.sql, shop.id);
    await stream.until(() => stream.isOver);
    expect(stream.entries).toEqual([]);
  });

  it('survives an outage of the database', async () => {
    const shop = await openShop();
    const stream = await Stream.open(shop.apiKey, '?after=now');
    await stream.untilCurrent();
    await service.duringOutage(async () => {
      await seedOrder(service.sql, shop.id);
      await exchange(service.origin, '/v1/shop', { headers: { Authorization: `Bearer ${shop.apiKey}` } });
    });
    await stream.untilCurrent(2);
    expect(stream.entries.map(({ type }) => type)).toEqual(['order']);
    stream.close();
  });
});

it('reads no further page for streams whose clients have disconnected', async () => {
  const shop = await openShop();
  const streams = await Promise.all(Array.from({ length: 100 }, () => Stream.open(shop.apiKey, '?after=now')));
  await Promise.all(streams.map((stream) => stream.untilCurrent()));
  const last = await Stream.open(shop.apiKey, '?after=now');
  await last.untilCurrent();
  const answers = await countAnswers(service.origin);
  await whileLocked(service.database, 'api_keys', async () => {
    await seedOrder(service.sql, shop.id);
    await untilBlocked(service.database, 1);
    for (const stream of streams) stream.close();
    while ((await countWaiting()) > 1);
  });
  await last.until(() => last.entries.length > 0);
  // 64 of a shop may read at the same time, and had begun.
  expect((await countAnswers(service.origin)) - answers).toBeLessThanOrEqual(64 + 1);
  last.close();
});

it('reads one change once for all clients that wait at the same position', async () => {
  const shop = await openShop();
  const streams = await Promise.all(Array.from({ length: 100 }, () => Stream.open(shop.apiKey, '?after=now')));
  await Promise.all(streams.map((stream) => stream.untilCurrent()));
  const answers = await countAnswers(service.origin);
  const order = await seedOrder(service.sql, shop.id);
  await Promise.all(streams.map((stream) => stream.untilCurrent(2)));
  for (const stream of streams) stream.close();
  expect(streams.map(({ entries }) => entries.map(({ id }) => id))).toEqual(streams.map(() => [order]));
  // 64 of a shop read at the same time. Those that see their change in another turn of the event loop read it again.
  expect((await countAnswers(service.origin)) - answers).toBeLessThan(20);
});

it('a stream that is not read keeps one page in bytes, and no objects of it', async () => {
  const shop = await openShop();
  await service.sql(
    `INSERT INTO products (shop_id, external_id, title, description_html, created_at, updated_at)
     SELECT $1, n::text, 'A', repeat(md5(n::text), 10000), now(), now() FROM generate_series(1, 60) AS n`,
    [shop.id],
  );
  const buffers = (): number => process.memoryUsage().arrayBuffers;
  const heap = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  await shop.get('?limit=20');
  const [heapBefore, buffersBefore] = [heap(), buffers()];
  const port = Number(new URL(service.origin).port);
  const sockets = Array.from({ length: 6 }, () => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET /changes?limit=20 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${shop.apiKey}\r\nAccept: text/event-stream\r\n\r\n`,
    );
    return socket;
  });
  // Two pages of six megabytes each exceed the socket buffers of both systems.
  const megabyte = 1024 * 1024;
  await untilWaiting(6);
  while (buffers() - buffersBefore < 6 * 5 * megabyte) await shop.get('?limit=1');
  // The page being built is allowed; what is held afterwards stays until the service ends the connections, after forty
  // seconds.
  while (heap() - heapBefore > 6 * 2 * megabyte && (await countWaiting()) >= 6);
  expect(await countWaiting()).toBe(6);
  for (const socket of sockets) socket.resetAndDestroy();
}, 60_000);

it('when too many clients wait, some of the shop with the most stop waiting', async () => {
  const crowded = await startService({ rateLimit: 100_000, settings: { MAX_WAITING_CLIENTS: '4' } });
  try {
    const [greedy, modest] = [await openShop(crowded), await openShop(crowded)];
    const endings: string[] = [];
    const wait = ({ get }: Shop, name: string) => get('?after=now&wait=50').then(() => void endings.push(name));
    const many = Array.from({ length: 4 }, () => wait(greedy, 'greedy'));
    const single = wait(modest, 'modest');
    await Promise.race([...many, single]);
    expect(endings).toEqual(['greedy']);
    await seedOrder(crowded.sql, modest.id);
    await single;
    expect(endings).toEqual(['greedy', 'modest']);
    await crowded.stop(5_000);
    await Promise.all(many);
  } finally {
    await crowded.close();
  }
});

it('a process that stops responds to waiting clients and ends streams', async () => {
  const stopping = await startService();
  try {
    const { apiKey, get } = await openShop(stopping);
    const waiting = get('?after=now&wait=50');
    const headers = { Authorization: `Bearer ${apiKey}`, Accept: 'text/event-stream' };
    const streamed = fetch(`${stopping.origin}/changes?after=now`, { headers });
    const text = (await streamed).text();
    await untilWaiting(2, stopping);
    await stopping.stop(30_000);
    expect((await waiting).page).toMatchObject({ data: [], has_more: false });
    expect(await text).toContain('event: current');
  } finally {
    await stopping.close();
  }
});

it('is disabled by MAX_WAITING_CLIENTS=0', async () => {
  const closed = await startService({ settings: { MAX_WAITING_CLIENTS: '0' } });
  try {
    const { get } = await openShop(closed);
    expect((await get('')).status).toBe(404);
  } finally {
    await closed.close();
  }
});
