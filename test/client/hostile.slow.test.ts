import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogClient, CatalogClientOptions, CredentialOptions, MirroredObject } from '../../client/src/index.ts';
import { createCatalogClient, isCatalogError } from '../../client/src/index.ts';
import { projectRoot } from '../../src/common/project-root';
import { fc } from '../support/properties';
import { collect, createJumpingClock } from './support';

/*
 * A service that answers anything. The client ends, in bounded memory, with a value or with an error that programs can
 * match.
 */

const clientOf = (
  answer: (url: string, call: number) => Response,
  options: Partial<CatalogClientOptions> = {},
): { client: CatalogClient; calls: () => number } => {
  let calls = 0;
  const client = createCatalogClient({
    origin: 'https://hostile.example',
    credentials: { getToken: () => Promise.resolve('token') },
    clock: createJumpingClock(),
    fetch: (url) => Promise.resolve(answer(url, calls++)),
    ...options,
  });
  return { client, calls: () => calls };
};

const lines = (...objects: readonly unknown[]): Response =>
  new Response(objects.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n') + '\n');
const json = (body: unknown, init?: ResponseInit): Response => new Response(JSON.stringify(body), init);

const noMirror = { apply: () => undefined, remove: () => undefined, saveCursor: () => undefined };

const reasonOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was thrown',
    (error: unknown) => error,
  );

/** An endless body, and how much of it was read. */
function endless(piece: string): { response: () => Response; taken: () => number } {
  let taken = 0;
  const bytes = new TextEncoder().encode(piece);
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    taken += bytes.length;
    controller.enqueue(bytes);
  };
  return { response: () => new Response(new ReadableStream({ pull })), taken: () => taken };
}

describe('a hostile service', () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom(
      null,
      [],
      {},
      'text',
      7,
      { data: null },
      { data: [] },
      { errors: [null] },
      { errors: [] },
      { error: 5 },
    ),
  );
  const cursor = fc.constantFrom('a', 'b', 'c', 'd', '', null, 7, undefined);
  const page = fc.record({
    data: fc.oneof(fc.array(fc.record({ id: fc.constantFrom('1', '2') }), { maxLength: 3 }), anything),
    has_more: fc.boolean(),
    next_cursor: cursor,
  });
  const change = fc.record({
    type: fc.constantFrom('PRODUCT', 'VARIANT', 'OTHER', '__PROTO__', 7),
    id: fc.constantFrom('1', '__proto__', 7),
    externalId: fc.constantFrom('x', null),
    deleted: fc.constantFrom(true, false, 'no'),
    node: fc.oneof(
      fc.constant(null),
      fc.record({ title: fc.constant('t'), product: fc.constantFrom(null, { id: '1' }, 7) }),
      anything,
    ),
  });
  const goodChange = fc.constantFrom(
    { type: 'PRODUCT', id: '1', externalId: 'x', deleted: true, node: null },
    { type: 'ORDER', id: '2', externalId: 'y', deleted: false, node: { tags: [] } },
  );
  const changes = fc.record({
    data: fc.oneof(
      fc.record({
        changes: fc.record({
          nodes: fc.array(fc.oneof({ weight: 4, arbitrary: goodChange }, change), { maxLength: 2 }),
          pageInfo: fc.record({ hasNextPage: fc.boolean(), endCursor: cursor }),
        }),
      }),
      anything,
    ),
  });
  const resync = fc.constant({ errors: [{ message: 'again', extensions: { code: 'RESYNC_REQUIRED' } }] });
  const body = fc.oneof(
    fc.oneof(page, changes, resync, anything).map((value) => JSON.stringify(value) ?? ''),
    fc.string(),
    fc.constantFrom('', '{', '[[[[', 'null', '\u0000', '<html>', '{"__proto__":{"data":1}}'),
  );
  const exported = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          { type: 'shop', changes_cursor: 'a' },
          { type: 'product', id: '1', variants: [{ id: '2' }] },
          { type: 'order', id: '3' },
          { type: 'complete', products: 1, variants: 1, orders: 1 },
          { type: 'complete' },
          { type: 'variant', id: '4' },
          { type: 'constructor', id: '4' },
          { type: 'product', id: '1', variants: 7 },
        ),
        anything,
      ),
      { maxLength: 5 },
    )
    .map((objects) => objects.map((each) => JSON.stringify(each)).join('\n'));
  const answer = fc.record({
    text: body,
    exportText: fc.oneof(exported, body),
    status: fc.constantFrom(200, 200, 200, 200, 304, 400, 401, 404, 410, 429, 500, 503),
    retryAfter: fc.constantFrom(undefined, '0', '-1', '1', 'Infinity', 'soon', '1e-9'),
    left: fc.constantFrom(undefined, '0', '-1', 'Infinity'),
  });

  const everything: Readonly<Record<string, (client: CatalogClient) => Promise<unknown>>> = {
    shop: (client) => client.shop.get(),
    product: (client) => client.products.get('id'),
    list: (client) => collect(client.products.list()),
    pages: (client) => collect(client.orders.list({ limit: 1 }).pages()),
    graphql: (client) => client.graphql('{ shop { id } }'),
    mirror: (client) => client.mirror({ ...noMirror, restart: () => undefined }),
    'mirror without restart': (client) => client.mirror({ ...noMirror, cursor: 'a' }),
  };

  it.each(Object.keys(everything))(
    '%s: ends with a value or an error of the client, whatever the response',
    async (name) => {
      await fc.assert(
        fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 4 }), async (answers) => {
          const { client, calls } = clientOf((url, call) => {
            const { text, exportText, status, retryAfter, left } = answers[
              call % answers.length
            ] as (typeof answers)[number];
            const headers = new Headers();
            if (retryAfter !== undefined) headers.set('Retry-After', retryAfter);
            if (left !== undefined) {
              for (const [header, value] of [
                ['RateLimit-Limit', left],
                ['RateLimit-Remaining', left],
                ['RateLimit-Reset', left],
              ] as const)
                headers.set(header, value);
            }
            return new Response(status === 304 ? null : url.includes('/export') ? exportText : text, {
              status,
              headers,
            });
          });
          const outcome = await (everything[name] as (client: CatalogClient) => Promise<unknown>)(client).then(
            () => 'a value',
            (error: unknown) => (isCatalogError(error) ? 'a typed error' : error),
          );
          expect(['a value', 'a typed error']).toContain(outcome);
          expect(calls()).toBeLessThan(1_000);
        }),
        { numRuns: 120 },
      );
    },
  );

  it.each([
    ['a body', 'x'.repeat(1 << 16), (client: CatalogClient) => client.shop.get()],
    [
      'a body for the mirror',
      'x'.repeat(1 << 16),
      (client: CatalogClient) => client.mirror({ ...noMirror, cursor: 'a' }),
    ],
    [
      'a line of an export',
      'x'.repeat(1 << 16),
      (client: CatalogClient) => client.mirror({ ...noMirror, restart: () => undefined }),
    ],
  ])('endless %s is read no further than its bound', async (_, piece, use) => {
    const { response, taken } = endless(piece);
    const { client, calls } = clientOf((url, call) => (call < 2 ? response() : json({})));
    expect(await reasonOf(use(client))).toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    expect(taken()).toBeLessThan(calls() * 257 * 1024 * 1024);
  });

  it('a long line costs time in proportion to its length', async () => {
    const cost = async (length: number): Promise<number> => {
      const piece = 'x'.repeat(256);
      let left = length / piece.length;
      const bytes = new TextEncoder().encode(piece);
      const stream = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(left-- > 0 ? bytes : new TextEncoder().encode('\n'));
          if (left < 0) controller.close();
        },
      });
      const { client } = clientOf(() => new Response(stream));
      const before = process.cpuUsage();
      await reasonOf(client.mirror({ ...noMirror, restart: () => undefined }));
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await cost(1 << 20);
    const [short, long] = [await cost(1 << 20), await cost(8 << 20)];
    expect(long).toBeLessThan(4 * 8 * short + 200_000);
  });
});

describe('a mirror', () => {
  const shop = { type: 'shop', id: 's', changes_cursor: 'start' };
  const product = { type: 'product', id: '1', title: 'Mug', variants: [{ id: '2' }] };
  const feed = json({ data: [], has_more: false, next_cursor: 'end' });
  const mirror = async (...exported: readonly unknown[]): Promise<unknown> => {
    const { client } = clientOf((url) => (url.endsWith('/export') ? lines(...exported) : feed.clone()));
    return reasonOf(client.mirror({ ...noMirror, restart: () => undefined }));
  };

  it('accepts an export whose last line counts what was read', async () => {
    expect(await mirror(shop, product, { type: 'complete', products: 1, variants: 1, collections: 0, orders: 0 })).toBe(
      'nothing was thrown',
    );
  });

  it.each([
    ['a product that is missing', [shop, { type: 'complete', products: 1, variants: 0, collections: 0, orders: 0 }]],
    ['a variant that is missing', [shop, { ...product, variants: [] }, { type: 'complete', products: 1, variants: 1 }]],
    ['one too many', [shop, product, product, { type: 'complete', products: 1, variants: 2 }]],
    ['no shop in front', [product, { type: 'complete', products: 1, variants: 1 }]],
    ['a line that is not JSON', [shop, '{"customer_name": "Bob', { type: 'complete' }]],
    ['a line that is not an object', [shop, 'null', { type: 'complete' }]],
  ])('refuses an export with %s, and yields nothing of it', async (_, exported) => {
    const error = await mirror(...exported);
    expect(error).toMatchObject({ name: 'CatalogError', code: 'UNEXPECTED_RESPONSE' });
    expect(String(error)).not.toMatch(/Bob|Mug/);
  });

  it('leaves out members called __proto__, however they are spelled', async () => {
    const seen: MirroredObject[] = [];
    const { client } = clientOf((url) =>
      url.endsWith('/export')
        ? lines(
            shop,
            '{"type":"order","id":"1","__proto__":{"isAdmin":true}}',
            '{"type":"order","id":"2","\\u005f_proto__":{"isAdmin":true}}',
            { type: 'complete', orders: 2 },
          )
        : new Response(
            '{"data":[{"type":"order","id":"3","external_id":"3","deleted":false,"object":{"id":"3","__proto__":{"isAdmin":true}}}],"has_more":false,"next_cursor":"end"}',
          ),
    );
    await client.mirror({ ...noMirror, restart: () => undefined, apply: (objects) => void seen.push(...objects) });
    expect(seen).toHaveLength(3);
    for (const { object } of seen) {
      expect((Object.assign({}, object) as { isAdmin?: boolean }).isAdmin).toBeUndefined();
      expect(Object.keys(object)).not.toContain('__proto__');
    }
  });

  it('ends when the service wants it to start again each time', async () => {
    const again = { error: { code: 'RESYNC_REQUIRED', message: 'again' } };
    const { client, calls } = clientOf((url) =>
      url.endsWith('/export') ? lines(shop, { type: 'complete' }) : json(again, { status: 410 }),
    );
    expect(await reasonOf(client.mirror({ ...noMirror, cursor: 'old', restart: () => undefined }))).toMatchObject({
      code: 'RESYNC_REQUIRED',
    });
    expect(calls()).toBeLessThan(10);
  });
});

describe('a long wait', () => {
  afterEach(() => jest.useRealTimers());

  it.each<[string, Response, (client: CatalogClient, signal: AbortSignal) => Promise<unknown>]>([
    [
      'between polls',
      json({ data: [], has_more: false, next_cursor: 'end' }),
      (client, signal) => client.mirror({ ...noMirror, cursor: 'end', pollEveryMs: 30 * 86_400_000, signal }),
    ],
    [
      'for Retry-After',
      json({ error: { code: 'SERVICE_UNAVAILABLE' } }, { status: 503, headers: { 'Retry-After': '99999999' } }),
      (client, signal) => client.shop.get({ signal }),
    ],
  ])('%s is longer than a timer accepts, without requests in between', async (_, answer, use) => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    const { client, calls } = clientOf(() => answer.clone(), { clock: undefined, waitBudgetMs: Infinity });
    const stop = new AbortController();
    const call = reasonOf(use(client, stop.signal));
    await jest.advanceTimersByTimeAsync(1000);
    expect(calls()).toBe(1);
    stop.abort(new Error('enough'));
    expect(await call).toBe(stop.signal.reason);
  });

  it('without an end is ignored', async () => {
    const refusal = (): Response =>
      json({ error: { code: 'RATE_LIMITED' } }, { status: 429, headers: { 'Retry-After': 'Infinity' } });
    const answer = (_: string, call: number): Response => (call < 20 ? refusal() : json({ data: {} }));
    const { client } = clientOf(answer, { waitBudgetMs: Infinity });
    expect(await reasonOf(client.shop.get())).toMatchObject({ code: 'RATE_LIMITED' });
  });
});

describe('missing settings', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'apiKey',
      { apiKey: undefined },
      /^apiKey: expected an API key as a string, got undefined\. Is the environment variable/,
    ],
    ['apiKey', { apiKey: 7 }, /^apiKey: expected an API key as a string, got number\.$/],
    ['clientId', { clientId: undefined, clientSecret: 's' }, /^clientId: expected a string, got undefined/],
    ['clientSecret', { clientId: 'c' }, /^clientSecret: expected a string, got undefined/],
    ['getToken', { getToken: undefined }, /^getToken: expected a function, got undefined\.$/],
    ['credentials', { apikey: 'k' }, /^credentials: expected the property apiKey, clientId or getToken\.$/],
    ['credentials', undefined, /^credentials: expected an object, got undefined\.$/],
    ['credentials', null, /^credentials: expected an object, got null/],
  ])('%s of %j is named', (_, credentials, message) => {
    const create = (): unknown =>
      createCatalogClient({ origin: 'https://x.example', credentials: credentials as CredentialOptions });
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });

  it('origin is named', () => {
    const create = (): unknown =>
      createCatalogClient({ origin: undefined as unknown as string, credentials: { apiKey: 'k' } });
    expect(create).toThrow(/^origin: expected a URL as a string, got undefined/);
  });

  it.each(['timeoutMs', 'waitBudgetMs', 'cacheCharacters', 'pollEveryMs'])(
    '%s is named unless it is a number of at least 0',
    async (name) => {
      for (const value of [NaN, -1]) {
        const use = async (): Promise<unknown> =>
          clientOf(() => json({}), { [name]: value }).client.mirror({ ...noMirror, [name]: value });
        expect(await reasonOf(use())).toEqual(new TypeError(`${name}: expected a number of at least 0, got ${value}.`));
      }
    },
  );

  it('signal is named, before anything is started', async () => {
    const signal = new AbortController() as unknown as AbortSignal;
    const { client, calls } = clientOf(() => json({ data: {} }));
    const restart = jest.fn();
    for (const work of [
      client.shop.get({ signal }),
      client.products.get('id', { signal }),
      collect(client.orders.list({ signal })),
      client.graphql('{ shop { id } }', {}, { signal }),
      client.mirror({ ...noMirror, restart, signal }),
    ]) {
      expect(await reasonOf(work)).toEqual(new TypeError('signal: expected an AbortSignal, got object.'));
    }
    expect(calls()).toBe(0);
    expect(restart).not.toHaveBeenCalled();
  });
});

it('the build deletes nothing in the given directory', () => {
  const directory = mkdtempSync(join(tmpdir(), 'client-build-'));
  const file = join(directory, 'precious.txt');
  writeFileSync(file, 'mine');
  const build = (): unknown =>
    execFileSync(process.execPath, [join(projectRoot, 'client/build.mjs'), directory], { stdio: 'pipe' });
  expect(build).toThrow(/expected a directory that does not exist or is empty/);
  expect(existsSync(file)).toBe(true);
});
