import type { CatalogClient, CatalogClientOptions, ErrorCode } from '../../client/src/index.ts';
import { CatalogError, createCatalogClient, isCatalogError } from '../../client/src/index.ts';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { SeededKey } from '../support/seed';
import { useService } from '../support/service';
import type { Scripted } from './support';
import { collect, createJumpingClock, createProcessClock, createWatchedClient, scripted } from './support';

const clock = createProcessClock();
let shopId: string;
let key: SeededKey;
const productIds: string[] = [];

const service = useService();
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  key = await seedApiKey(service.sql, shopId);
  for (let count = 0; count < 25; count += 1) {
    productIds.push(
      await seedProduct(service.sql, shopId, { title: `Mug ${count}`, status: count < 20 ? 'ACTIVE' : 'DRAFT' }),
    );
  }
  await seedVariant(service.sql, shopId, productIds[0] as string);
  await seedCollection(service.sql, shopId);
  await seedCollection(service.sql, shopId, { published: false });
  await seedOrder(service.sql, shopId);
});
afterAll(() => jest.useRealTimers());
// A new rate-limit window for each test.
beforeEach(() => clock.advance(61_000));

const watch = (options: Partial<Parameters<typeof createWatchedClient>[0]> = {}) =>
  createWatchedClient({ origin: service.origin, credentials: { apiKey: key.apiKey }, clock, ...options });

const reasonOf = async (work: Promise<unknown>): Promise<unknown> => {
  try {
    await work;
  } catch (reason) {
    return reason;
  }
  throw new Error('Nothing was thrown.');
};

describe('lists', () => {
  it('are iterated item by item, page by page, with filters', async () => {
    const { client, calls } = watch();
    const walked = await collect(client.products.list({ limit: 7 }));
    expect(walked.map(({ id }) => id)).toEqual(productIds);
    expect(calls).toHaveLength(4);
    expect(await collect(client.products.list({ status: 'DRAFT' }))).toHaveLength(5);
    expect((await collect(client.products.list({ q: 'MUG 1' }))).map(({ title }) => title)).toContain('Mug 11');
    expect(await collect(client.collections.list({ published: false }))).toHaveLength(1);
    expect(await collect(client.orders.list({ financial_status: 'PAID' }))).toHaveLength(1);
  });

  it('are read in pages and resumed after any of them', async () => {
    const { client } = watch();
    for await (const { nextCursor, data } of client.products.list({ limit: 10 }).pages()) {
      expect(data.length).toBeLessThanOrEqual(10);
      if (nextCursor === null) continue;
      const rest = await collect(client.products.list({ limit: 3, resumeFrom: nextCursor }));
      expect(rest.map(({ id }) => id)).toEqual(productIds.slice(productIds.indexOf(data.at(-1)?.id as string) + 1));
    }
  });

  it('start at the first page if resumed from an empty cursor', async () => {
    expect(await collect(watch().client.products.list({ resumeFrom: '' }))).toHaveLength(25);
  });

  it('refuse the cursor parameter of the REST API, which would be overwritten', () => {
    const options = { cursor: 'saved' } as object;
    expect(() => watch().client.products.list(options)).toThrow(
      new TypeError('/products: expected the option resumeFrom, got cursor.'),
    );
  });

  it('stop when the reader does', async () => {
    const { client, calls } = watch();
    for await (const product of client.products.list({ limit: 2 })) {
      expect(product.id).toBe(productIds[0]);
      break;
    }
    expect(calls).toHaveLength(1);
  });

  it('continue where a page has fewer objects than requested, because they are large', async () => {
    const large = await seedShop(service.sql);
    const { apiKey } = await seedApiKey(service.sql, large);
    const description = 'x'.repeat(900_000);
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) {
      ids.push(await seedProduct(service.sql, large, { description_html: description }));
    }
    const { client, statuses } = watch({ credentials: { apiKey } });
    const walked = await collect(client.products.list());
    expect(walked.map(({ id }) => id)).toEqual(ids);
    expect(new Set(statuses())).toEqual(new Set([200]));
    expect(statuses().length).toBeGreaterThan(1);
  });
});

describe('single objects', () => {
  it('are the shop and products with their variants', async () => {
    const { client } = watch();
    expect((await client.shop.get()).id).toBe(shopId);
    const product = await client.products.get(productIds[0] as string);
    expect(product.variants).toHaveLength(1);
    expect(product.min_price).toBe('19.90');
  });

  it('can be longer than a page, alone and in an export', async () => {
    const large = await seedShop(service.sql);
    const { apiKey } = await seedApiKey(service.sql, large);
    const productId = await seedProduct(service.sql, large);
    const options = [{ name: 'Engraving', value: 'x'.repeat(60_000) }];
    for (let count = 0; count < 300; count += 1) await seedVariant(service.sql, large, productId, { options });
    const { client, calls } = watch({ credentials: { apiKey } });
    expect((await client.products.get(productId)).variants).toHaveLength(300);
    const [apply, nothing] = [jest.fn(), () => undefined];
    await client.mirror({ apply, remove: nothing, saveCursor: nothing, restart: nothing });
    // After a failed export, the mirror would read the feed, which splits the product over several pages.
    expect(calls.map(({ path }) => path.split('?')[0])).toEqual([`/v1/products/${productId}`, '/export', '/changes']);
    expect(apply.mock.calls.flat(2)).toHaveLength(301);
  });

  it.each(['', '.', '..', '...', 'a/b', '%', 'nothing', '00000000-0000-4000-8000-000000000000'])(
    'throw NOT_FOUND for the id "%s"',
    async (id) => {
      expect(await reasonOf(watch().client.products.get(id))).toMatchObject({ code: 'NOT_FOUND' });
    },
  );
});

describe('entity tags', () => {
  it('make an unchanged page cost a 304; a changed one is read again', async () => {
    const { client, statuses } = watch();
    const first = await collect(client.products.list({ limit: 10 }));
    expect(await collect(client.products.list({ limit: 10 }))).toEqual(first);
    expect(statuses()).toEqual([200, 200, 200, 304, 304, 304]);
    const pages = await collect(client.products.list({ limit: 10 }).pages());
    expect(pages.map(({ isUnchanged }) => isUnchanged)).toEqual([true, true, true]);
    await service.sql("UPDATE products SET vendor = 'Another' WHERE id = $1", [productIds[3]]);
    expect((await collect(client.products.list({ limit: 10 })))[3]?.vendor).toBe('Another');
  });

  it('return new objects each time', async () => {
    const { client } = watch();
    const shop = (await client.shop.get()) as { name?: string | null };
    shop.name = 'changed by the reader';
    expect((await client.shop.get()).name).not.toBe(shop.name);
  });

  it('are cached up to a size', async () => {
    const { client, statuses } = watch({ cacheCharacters: 0 });
    await client.shop.get();
    await client.shop.get();
    expect(statuses()).toEqual([200, 200]);
  });
});

describe('the rate limit', () => {
  it('is waited for without a refused call, over several windows', async () => {
    const { client, statuses } = watch({ cacheCharacters: 0 });
    for (let count = 0; count < 300; count += 1) await client.shop.get();
    expect(statuses().filter((status) => status !== 200)).toEqual([]);
  });

  it('slows down all clients of a key together', async () => {
    const [one, two] = [watch({ cacheCharacters: 0 }), watch({ cacheCharacters: 0 })];
    const walks = [one, two, one, two].map(async ({ client }) => {
      for (let count = 0; count < 100; count += 1) await client.shop.get();
    });
    await Promise.all(walks);
    const statuses = [...one.statuses(), ...two.statuses()];
    expect(statuses.filter((status) => status === 200)).toHaveLength(400);
    expect(statuses.filter((status) => status === 429).length).toBeLessThan(5);
  });

  it('is respected when others use up the key', async () => {
    const { client, statuses } = watch({ cacheCharacters: 0 });
    await client.shop.get();
    const stranger = service.client(key.apiKey);
    for (let count = 0; count < 120; count += 1) await stranger.get('/shop');
    await client.shop.get();
    expect(statuses()).toEqual([200, 429, 200]);
  });

  it('ends a call whose budget it exceeds, before it is sent', async () => {
    const { client, calls } = watch({ cacheCharacters: 0, waitBudgetMs: 10_000 });
    for (let count = 0; count < 120; count += 1) await client.shop.get();
    const reason = await reasonOf(client.shop.get());
    expect(reason).toMatchObject({ code: 'RATE_LIMITED', message: expect.stringMatching(/waitBudgetMs/) as string });
    expect(calls).toHaveLength(120);
  });
});

describe('a service under a path of an origin', () => {
  it.each(['https://shop.example/catalog', 'https://shop.example/catalog/'])('is called below %s', async (origin) => {
    const addresses: string[] = [];
    const client = createCatalogClient({
      origin,
      credentials: { clientId: 'some', clientSecret: 'secret' },
      fetch: (url) => {
        addresses.push(url);
        if (url.endsWith('/oauth/token'))
          return Promise.resolve(Response.json({ access_token: 'a.b.c', expires_in: 3600 }));
        return Promise.resolve(Response.json({ data: { id: 'a shop' } }));
      },
    });
    await client.shop.get();
    await client.graphql('{ shop { id } }');
    expect(addresses).toEqual([
      'https://shop.example/catalog/oauth/token',
      'https://shop.example/catalog/v1/shop',
      'https://shop.example/catalog/graphql',
    ]);
  });

  it.each(['https://shop.example/v1', 'https://shop.example/catalog/v1/'])('is not %s', (origin) => {
    expect(() => createCatalogClient({ origin, credentials: { apiKey: 'ck_some.secret' } })).toThrow(
      'origin: expected a URL without /v1; the client adds it.',
    );
  });

  it.each(['localhost:4000', '127.0.0.1:4000', 'shop.example'])('has a scheme, unlike %s', (origin) => {
    expect(() => createCatalogClient({ origin, credentials: { apiKey: 'ck_some.secret' } })).toThrow(
      'origin: expected a URL that starts with https:// or http://.',
    );
  });
});

describe('failures', () => {
  const restError = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response =>
    Response.json({ error: { code, message: 'In words.' } }, { status, headers });
  const ok = Response.json({ data: { id: 'a shop' } });
  const offline = (...answers: Scripted[]) => {
    const network = scripted(...answers);
    const ownClock = createJumpingClock();
    const client = createCatalogClient({
      origin: 'https://api.catalog.example',
      credentials: { apiKey: 'ck_some.secret' },
      fetch: network.fetch,
      clock: ownClock,
      timeoutMs: 50,
    });
    return { client, network, clock: ownClock };
  };

  it.each<[string, Scripted]>([
    ['an outage', restError(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '2' })],
    ['an outage without Retry-After', restError(503, 'SERVICE_UNAVAILABLE')],
    ['a failure of the service', restError(500, 'INTERNAL_SERVER_ERROR')],
    ['a proxy without a service', new Response('<html>', { status: 502 })],
    ['a connection that fails', new TypeError('fetch failed', { cause: new Error('ECONNRESET') })],
    ['a service that hangs', 'hang'],
    ['a limit', restError(429, 'RATE_LIMITED', { 'Retry-After': '17' })],
  ])('are waited out: %s', async (_, failure) => {
    const { client, network, clock: ownClock } = offline(failure, failure, ok);
    expect((await client.shop.get()).id).toBe('a shop');
    expect(network.urls).toHaveLength(3);
    expect(ownClock.waits).toHaveLength(2);
    expect(Math.min(...ownClock.waits)).toBeGreaterThanOrEqual(1000);
  });

  it('are retried five times after any number of waits that the service asked for', async () => {
    const outage = restError(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': new Date(0).toUTCString() });
    const five = (answer: Scripted) => Array<Scripted>(5).fill(answer);
    const { client, network } = offline(...five(outage), ...five(new TypeError('fetch failed')), ok);
    await client.shop.get();
    expect(network.urls).toHaveLength(11);
  });

  it.each<[ErrorCode, number, Scripted, number]>([
    ['SERVICE_UNAVAILABLE', 61, restError(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '5' }), 503],
    ['INTERNAL_SERVER_ERROR', 6, restError(500, 'INTERNAL_SERVER_ERROR'), 500],
    ['UNEXPECTED_RESPONSE', 6, new Response('<html>', { status: 500 }), 500],
    ['UNEXPECTED_RESPONSE', 6, new Response('<html>', { status: 502 }), 502],
    ['UNEXPECTED_RESPONSE', 1, new Response('<html>', { status: 200 }), 200],
    ['UNAUTHORIZED', 1, restError(401, 'UNAUTHORIZED'), 401],
    ['PLAN_LIMIT_EXCEEDED', 1, restError(403, 'PLAN_LIMIT_EXCEEDED'), 403],
    ['FORBIDDEN', 1, restError(403, 'FORBIDDEN'), 403],
    ['BAD_USER_INPUT', 1, restError(400, 'BAD_USER_INPUT'), 400],
  ])('%s is thrown after at most %i calls', async (code, atMost, failure, status) => {
    const { client, network } = offline(failure);
    const reason = await reasonOf(client.shop.get());
    expect(reason).toBeInstanceOf(CatalogError);
    expect(reason).toMatchObject({ code, status });
    expect(isCatalogError(reason, code)).toBe(true);
    expect(network.urls.length).toBeLessThanOrEqual(atMost);
    if (atMost < 10) expect(network.urls).toHaveLength(atMost);
  });

  it.each<[ErrorCode, Scripted]>([
    ['CONNECTION_FAILED', new TypeError('fetch failed', { cause: new Error('ECONNREFUSED') })],
    ['TIMEOUT', 'hang'],
  ])('%s says what was asked, and no secret', async (code, failure) => {
    const reason = (await reasonOf(offline(failure).client.shop.get())) as CatalogError;
    expect(reason).toMatchObject({ code, status: undefined });
    expect(reason.message).toMatch(/^GET \/v1\/shop on api\.catalog\.example: /);
    expect(reason.message).not.toContain('secret');
  });

  it.each([
    [undefined, 'unknown reason'],
    [null, 'unknown reason'],
    ['no network', 'no network'],
    [{ cause: null }, 'unknown reason'],
    [new Error('fetch failed', { cause: null }), 'fetch failed'],
  ])('have a message when fetch rejects with %p', async (error, reason) => {
    const failing = createCatalogClient({
      origin: 'https://api.catalog.example',
      credentials: { apiKey: 'ck_some.secret' },
      waitBudgetMs: 0,
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as custom fetches may
      fetch: () => Promise.reject(error),
    });
    expect(await reasonOf(failing.shop.get())).toMatchObject({
      code: 'CONNECTION_FAILED',
      message: `GET /v1/shop on api.catalog.example: the connection failed: ${reason}.`,
    });
  });

  it('refuses a key with a line break, without quoting it', () => {
    const create = () => createCatalogClient({ origin: service.origin, credentials: { apiKey: 'ck_a.secret\n' } });
    expect(create).toThrow(/line break/);
    expect(create).not.toThrow(/secret/);
  });

  it('names the request of an error', async () => {
    const reason = await reasonOf(collect(watch().client.products.list({ limit: 0 })));
    expect(reason).toMatchObject({ code: 'BAD_USER_INPUT', status: 400, requestId: expect.any(String) as string });
  });
});

describe('signals', () => {
  const reason = new Error('enough');

  it('end a call before it, during it and while it waits', async () => {
    expect(await reasonOf(watch().client.shop.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    const { fetch, urls } = scripted(new TypeError('fetch failed'));
    const credentials = { clientId: 'a', clientSecret: 'b' };
    const unsent = createCatalogClient({ origin: service.origin, credentials, fetch });
    expect(await reasonOf(unsent.shop.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
    expect(urls).toEqual([]);

    const during = new AbortController();
    const hanging = createCatalogClient({
      origin: service.origin,
      credentials: { apiKey: key.apiKey },
      fetch: scripted('hang').fetch,
    });
    const call = reasonOf(hanging.shop.get({ signal: during.signal }));
    setImmediate(() => during.abort(reason));
    expect(await call).toBe(reason);

    const waiting = new AbortController();
    const limited = createCatalogClient({
      origin: 'https://api.catalog.example',
      credentials: { apiKey: 'ck_another.secret' },
      fetch: scripted(
        Response.json(
          { error: { code: 'RATE_LIMITED', message: '' } },
          { status: 429, headers: { 'Retry-After': '60' } },
        ),
      ).fetch,
    });
    const walk = reasonOf(collect(limited.products.list({ signal: waiting.signal })));
    setTimeout(() => waiting.abort(reason), 20);
    expect(await walk).toBe(reason);
  });

  const never = (): Promise<never> => new Promise(() => undefined);
  const nothing = (): void => undefined;
  const calls = [
    (client: CatalogClient, signal?: AbortSignal) => client.shop.get({ signal }),
    (client: CatalogClient, signal?: AbortSignal) =>
      client.mirror({ apply: nothing, remove: nothing, saveCursor: nothing, restart: nothing, signal }),
  ];
  it.each<[string, Partial<CatalogClientOptions>]>([
    ['a token', { credentials: { getToken: never } }],
    ['a fetch that ignores signals', { fetch: never }],
    ['a body that ignores signals', { fetch: () => Promise.resolve(new Response(new ReadableStream())) }],
  ])('and timeouts end calls that wait for %s', async (_, hanging) => {
    const connect = (timeoutMs: number): CatalogClient =>
      createCatalogClient({
        origin: 'https://api.catalog.example',
        credentials: { apiKey: 'ck_hanging.secret' },
        clock: createJumpingClock(),
        timeoutMs,
        ...hanging,
      });
    for (const call of calls) {
      expect(await reasonOf(call(connect(10)))).toMatchObject({ code: 'TIMEOUT' });
      const stop = new AbortController();
      setImmediate(() => stop.abort(reason));
      expect(await reasonOf(call(connect(30_000), stop.signal))).toBe(reason);
    }
  });

  it('end a call whose fetch aborts them', async () => {
    for (const call of calls) {
      const stop = new AbortController();
      const fetch = (): Promise<never> => {
        stop.abort(reason);
        return never();
      };
      expect(await reasonOf(call(watch({ fetch }).client, stop.signal))).toBe(reason);
    }
  });

  it('end the download of a body that ignores signals', async () => {
    const stop = new AbortController();
    const canceled = new Promise<void>((resolve) => {
      const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
        await new Promise(setImmediate);
        controller.enqueue(new Uint8Array(1));
        stop.abort(reason);
      };
      const body = new ReadableStream({ pull, cancel: () => resolve() });
      const { client } = watch({ fetch: () => Promise.resolve(new Response(body)) });
      void reasonOf(client.shop.get({ signal: stop.signal }));
    });
    await canceled;
  });
});

describe('tokens', () => {
  const credentials = () => {
    const [clientId = '', clientSecret = ''] = key.apiKey.split('.');
    return { clientId, clientSecret };
  };
  const tokenCalls = (calls: readonly { readonly path: string }[]) =>
    calls.filter(({ path }) => path === '/oauth/token').length;

  it('are fetched once for all calls, and again before they expire', async () => {
    const { client, calls } = watch({ credentials: credentials() });
    await Promise.all([1, 2, 3].map(() => client.shop.get()));
    expect(tokenCalls(calls)).toBe(1);
    clock.advance(3_550_000);
    await client.shop.get();
    expect(tokenCalls(calls)).toBe(2);
  });

  it('have the requested scopes', async () => {
    const { client } = watch({ credentials: { ...credentials(), scopes: ['catalog:read'] } });
    expect(await reasonOf(client.shop.get())).toMatchObject({ code: 'FORBIDDEN' });
    expect(await collect(client.products.list())).toHaveLength(25);
  });

  it('come from the service if tokenUrl is undefined', async () => {
    const { client, calls } = watch({ credentials: { ...credentials(), tokenUrl: undefined } });
    await client.shop.get();
    expect(tokenCalls(calls)).toBe(1);
  });

  it('are fetched again when one is refused, for parallel calls too, and a refused client is an error', async () => {
    const { client, calls } = watch({ credentials: credentials() });
    await client.shop.get();
    const before = calls.length;
    // The service considers it expired, which the client cannot know.
    const { fetch: realFetch } = globalThis;
    const stale = createWatchedClient({
      origin: service.origin,
      credentials: credentials(),
      clock,
      fetch: async (url, init) => {
        if (url.endsWith('/oauth/token')) return realFetch(url, init);
        const headers = new Headers(init.headers);
        if (tokenCalls(stale.calls) === 1) headers.set('Authorization', `${headers.get('Authorization')}x`);
        return realFetch(url, { ...init, headers });
      },
    });
    await Promise.all([1, 2, 3].map(() => stale.client.shop.get()));
    expect(tokenCalls(stale.calls)).toBe(2);
    expect(calls).toHaveLength(before);

    const wrong = watch({ credentials: { ...credentials(), clientSecret: 'wrong' } });
    expect(await reasonOf(wrong.client.shop.get())).toMatchObject({ code: 'invalid_client', status: 401 });
    expect(wrong.calls).toHaveLength(1);
  });

  it('may come from elsewhere', async () => {
    let token = key.apiKey;
    const { client } = watch({ credentials: { getToken: () => Promise.resolve(token) } });
    expect((await client.shop.get()).id).toBe(shopId);
    token += '\nX: y';
    expect(String(await reasonOf(client.shop.get()))).toMatch(
      /^TypeError: getToken\(\): expected one or more visible ASCII/,
    );
  });
});
