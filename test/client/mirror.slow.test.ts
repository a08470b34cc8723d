import type { MirroredObject, MirroredType } from '../../client/src/index.ts';
import { createCatalogClient } from '../../client/src/index.ts';
import type { Fetch } from '../../client/src/exchange.ts';
import { Random } from '../model/random';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';
import { runSeed as seed } from '../support/run-seed';
import { Copy, membersOf, readMembers, readSource } from './copy';

/** `MIRROR_ROUNDS=1000 npx jest test/client/mirror` runs the full test. */
const rounds = Number(process.env['MIRROR_ROUNDS'] ?? 40);
const random = new Random(seed);

const service = useService({ rateLimit: 1_000_000 });

async function seedSource(products = 6) {
  const shopId = await seedShop(service.sql);
  const { apiKey } = await seedApiKey(service.sql, shopId);
  for (let count = 0; count < products; count += 1) {
    const product = await seedProduct(service.sql, shopId, { image_url: 'https://images.example/1.jpg' });
    for (let variants = count % 3; variants > 0; variants -= 1) {
      await seedVariant(service.sql, shopId, product, { position: variants, weight: '0.250', cost_price: '7' });
    }
  }
  await seedCollection(service.sql, shopId);
  await seedCollection(service.sql, shopId, { created_at: null, updated_at: null });
  await seedOrder(service.sql, shopId, { tags: ['gift'] });
  await seedOrder(service.sql, shopId, { created_at: null, updated_at: null, customer_name: null });
  const connect = (fetch?: Fetch) =>
    createCatalogClient({ origin: service.origin, credentials: { apiKey }, ...(fetch && { fetch }) });
  return { shopId, apiKey, connect };
}

it('keeps to the requested types, and to the scopes of the credential', async () => {
  const { shopId, connect } = await seedSource();
  const typesOf = (copy: Copy): ReadonlySet<MirroredType> => new Set(copy.state().map(({ type }) => type));
  const some = new Copy(connect());
  await some.pull(undefined, { types: ['collection', 'order'] });
  expect(typesOf(some)).toEqual(new Set(['collection', 'order']));

  const narrow = await seedApiKey(service.sql, shopId, { scopes: ['orders:read'] });
  const orders = new Copy(createCatalogClient({ origin: service.origin, credentials: { apiKey: narrow.apiKey } }));
  await orders.pull();
  expect(typesOf(orders)).toEqual(new Set(['order']));
  await expect(orders.pull(undefined, { types: ['product'] })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('starts again when the shop went back to an earlier state, or says so if it may not empty the copy', async () => {
  const { shopId, connect } = await seedSource();
  const copy = new Copy(connect());
  await copy.pull();
  copy.objects.set('product gone', { type: 'product', object: { id: 'gone' } } as MirroredObject);
  await service.sql('SELECT catalog_restart_changes($1)', [shopId]);
  const { apply, remove, saveCursor } = { apply: jest.fn(), remove: jest.fn(), saveCursor: jest.fn() };
  const withoutRestart = connect().mirror({ cursor: copy.cursor, apply, remove, saveCursor });
  await expect(withoutRestart).rejects.toMatchObject({ code: 'RESYNC_REQUIRED' });
  expect(apply).not.toHaveBeenCalled();
  await copy.pull();
  expect(copy.restarts).toBe(2);
  expect(copy.state()).toEqual(await readSource(connect()));
});

it('follows the shop until its signal ends it', async () => {
  const { shopId, connect } = await seedSource(1);
  const copy = new Copy(connect());
  const stop = new AbortController();
  const enough = new Error('enough');
  const following = copy.pull(undefined, {
    pollEveryMs: 5,
    signal: stop.signal,
    saveCursor: (cursor) => {
      copy.cursor = cursor;
      if (copy.state().some(({ object }) => 'title' in object && object.title === 'Later')) stop.abort(enough);
    },
  });
  await service.sql("UPDATE products SET title = 'Later' WHERE shop_id = $1", [shopId]);
  await expect(following).rejects.toBe(enough);
});

it('is live: changes are applied soon, without a call in between, until its signal ends it', async () => {
  const { shopId, connect } = await seedSource(1);
  const { paths, fetch } = recordPaths();
  const copy = new Copy(connect(fetch));
  const stop = new AbortController();
  const enough = new Error('enough');
  let isCurrent: () => void = () => undefined;
  const current = new Promise<void>((resolve) => (isCurrent = resolve));
  const following = copy.pull(undefined, {
    live: true,
    signal: stop.signal,
    saveCursor: (cursor) => {
      copy.cursor = cursor;
      isCurrent();
      if (copy.state().some(({ object }) => 'title' in object && object.title === 'Later')) stop.abort(enough);
    },
  });
  await current;
  await service.sql("UPDATE products SET title = 'Later' WHERE shop_id = $1", [shopId]);
  await expect(following).rejects.toBe(enough);
  expect(paths.filter((path) => path === '/changes').length).toBeLessThanOrEqual(2);
});

/** Records the paths that a client requests, and may respond instead of the service. */
function recordPaths(answer: (path: string, init: RequestInit) => Promise<Response> | undefined = () => undefined) {
  const paths: string[] = [];
  const recorded: Fetch = (url, init) => {
    const { pathname, search } = new URL(url);
    paths.push(pathname === '/changes' ? pathname : pathname + search);
    return answer(pathname, init) ?? fetch(url, init);
  };
  return { paths, fetch: recorded };
}

const closed = (): Promise<Response> => Promise.resolve(new Response('{}', { status: 404 }));

/** An export that breaks off after its first bytes. */
async function breakOff(url: string, init: RequestInit): Promise<Response> {
  const whole = await (await fetch(url, init)).text();
  return new Response(whole.slice(0, whole.indexOf('\n{"type":"order"') + 10));
}

it.each([
  ['no cursor', undefined],
  ['the empty cursor of a file that was not written completely', ''],
])('begins with one export, and continues with the feed behind it, given %s', async (_, cursor) => {
  const { connect } = await seedSource();
  const { paths, fetch } = recordPaths();
  const copy = Object.assign(new Copy(connect(fetch)), { cursor });
  await copy.pull(undefined, { pageSize: 2 });
  expect(paths).toEqual(['/export', '/changes']);
  expect(copy.state()).toEqual(await readSource(connect()));
  expect(await copy.pull()).toMatchObject({ applied: 0, removed: 0 });
});

it.each<[MirroredType[], string]>([
  [['variant'], '/export?types=products'],
  [['order', 'product', 'variant'], '/export?types=orders,products'],
])('exports what it needs for %s, and keeps to it', async (types, path) => {
  const { connect } = await seedSource();
  const { paths, fetch } = recordPaths();
  const copy = new Copy(connect(fetch));
  await copy.pull(undefined, { types });
  expect(paths).toEqual([path, '/changes']);
  const source = await readSource(connect());
  expect(copy.state()).toEqual(source.filter(({ type }) => types.includes(type)));
});

it.each([
  ['the service has none', closed],
  ['it breaks off', (init: RequestInit) => breakOff(`${service.origin}/export`, init)],
])('reads the feed from its start instead of an export when %s', async (_, answer) => {
  const { connect } = await seedSource();
  const { paths, fetch } = recordPaths((path, init) => (path === '/export' ? answer(init) : undefined));
  const copy = new Copy(connect(fetch));
  await copy.pull();
  expect(paths).toEqual(['/export', '/changes']);
  expect(copy.state()).toEqual(await readSource(connect()));
});

it('repeats an export once that the rate limit refused', async () => {
  const { connect } = await seedSource();
  for (const refusals of [1, 9]) {
    let left = refusals;
    const { paths, fetch } = recordPaths((path) =>
      path === '/export' && left-- > 0 ? Promise.resolve(new Response('{}', { status: 429 })) : undefined,
    );
    const copy = new Copy(connect(fetch));
    await copy.pull();
    expect(paths).toEqual(['/export', '/export', '/changes']);
    expect(copy.state()).toEqual(await readSource(connect()));
  }
});

it('reads no export into a copy that it may not empty: an export does not contain deletions', async () => {
  const { shopId, connect } = await seedSource();
  const copy = new Copy(connect());
  await copy.pull();
  await service.sql('DELETE FROM orders WHERE shop_id = $1', [shopId]);
  copy.cursor = undefined;
  await copy.pull(undefined, { restart: undefined as never });
  expect(copy.state()).toEqual(await readSource(connect()));
});

it('ends an export whose objects cannot be applied, or whose signal is aborted, with the reason', async () => {
  const { connect } = await seedSource();
  const stop = new AbortController();
  const reason = new Error('the disk is full');
  const failing = () => {
    throw reason;
  };
  await expect(new Copy(connect()).pull(failing)).rejects.toBe(reason);
  await expect(new Copy(connect()).pull(undefined, { apply: failing })).rejects.toBe(reason);
  const { fetch } = recordPaths((path) => {
    if (path === '/export') stop.abort(reason);
    return undefined;
  });
  await expect(new Copy(connect(fetch)).pull(undefined, { signal: stop.signal })).rejects.toBe(reason);
});

/** What a shop's writers do. `$1` is the shop, `$2` a random number. */
const writes: readonly string[] = [
  `INSERT INTO products (shop_id, external_id, title, created_at, updated_at)
   SELECT $1, 'w' || $2::int || '-' || n, 'New ' || n, timestamp '2025-06-01' + ($2::int % 700) * interval '1 day', now()
     FROM generate_series(1, 1 + $2::int % 8) AS n ON CONFLICT DO NOTHING`,
  `INSERT INTO variants (shop_id, product_id, external_id, title, price, position, created_at, updated_at)
   SELECT shop_id, id, 'w' || $2::int || '-' || id, 'New', '7.50', 1, now(), now() FROM products
    WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 2 ON CONFLICT DO NOTHING`,
  `UPDATE products SET title = 'Changed ' || $2::int WHERE id IN (SELECT id FROM products WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 3)`,
  `UPDATE products SET deleted_at = now() WHERE id IN (SELECT id FROM products WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)`,
  `UPDATE products SET deleted_at = NULL WHERE shop_id = $1 AND deleted_at IS NOT NULL AND $2::int % 2 = 0`,
  `DELETE FROM products WHERE id IN (SELECT id FROM products WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)`,
  `UPDATE variants SET price = ($2::int % 1000) || '.90' WHERE id IN (SELECT id FROM variants WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 2)`,
  `DELETE FROM variants WHERE id IN (SELECT id FROM variants WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)`,
  `UPDATE variants SET product_id = (SELECT id FROM products WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)
    WHERE id IN (SELECT id FROM variants WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)
      AND EXISTS (SELECT FROM products WHERE shop_id = $1)`,
  `UPDATE shops SET product_limit = NULLIF($2::int % 12, 11) WHERE shop_id = $1`,
  `INSERT INTO collections (shop_id, external_id, title, published, products_count) VALUES ($1, 'w' || $2::int, 'New', true, 1) ON CONFLICT DO NOTHING`,
  `DELETE FROM collections WHERE id IN (SELECT id FROM collections WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)`,
  `UPDATE collections SET published = NOT published WHERE shop_id = $1`,
  `INSERT INTO orders (shop_id, external_id, order_number, items_count) VALUES ($1, 'w' || $2::int, '#' || $2::int, 1) ON CONFLICT DO NOTHING`,
  `DELETE FROM orders WHERE id IN (SELECT id FROM orders WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 1)`,
  `UPDATE products SET memberships = (
     SELECT coalesce(jsonb_agg(jsonb_build_object('collection_external_id', external_id, 'position', NULLIF($2::int % 4, 0))), '[]')
       FROM (SELECT external_id FROM collections WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT $2::int % 3) AS c)
    WHERE id IN (SELECT id FROM products WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 4)`,
  `UPDATE products SET url = '/' || $2::int, images = jsonb_build_array(jsonb_build_object('url', '/' || $2::int, 'alt_text', 'Mug', 'position', 1))
    WHERE id IN (SELECT id FROM products WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 2)`,
  `UPDATE orders SET line_items = jsonb_build_array(jsonb_build_object('title', 'Mug', 'sku', NULL, 'quantity', $2::int % 9,
          'unit_price', '9.90', 'total', NULL, 'product_external_id', 'p', 'variant_external_id', NULL))
    WHERE id IN (SELECT id FROM orders WHERE shop_id = $1 ORDER BY md5(id::text || $2::int) LIMIT 2)`,
  `UPDATE orders SET financial_status = 'REFUNDED' WHERE shop_id = $1 AND $2::int % 2 = 0`,
];

class Killed extends Error {}

it.each([
  ['exports', recordPaths().fetch],
  ['the feed alone', recordPaths((path) => (path === '/export' ? closed() : undefined)).fetch],
])(`equals the shop after ${rounds} rounds of writes in which it is killed anywhere, with %s`, async (_, fetch) => {
  const { shopId, apiKey, connect } = await seedSource(12);
  let kills = 0;
  let copy = new Copy(connect());
  /**
   * A program that is killed at one of its next steps, requests included, chosen at random, and restarts with only its
   * copy.
   */
  const pullAndMaybeDie = async (): Promise<void> => {
    let left = random.oneIn(4) ? Infinity : random.integer(8);
    const mayKill = (): void => {
      if (left <= 0) throw new Killed();
      left -= 1;
    };
    const client = createCatalogClient({
      origin: service.origin,
      credentials: { apiKey },
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        // Being killed before the request arrives is the same as being killed before it is sent. Being killed before
        // the response arrives is not.
        if (random.oneIn(12)) left = 0;
        return response;
      },
    });
    const life = Object.assign(new Copy(client), { cursor: copy.cursor });
    for (const [name, object] of copy.objects) life.objects.set(name, object);
    copy = life;
    await life.pull(mayKill, { pageSize: random.pick([1, 2, 5, 200]) }).catch((error: unknown) => {
      if (!(error instanceof Killed)) throw error;
      kills += 1;
    });
  };

  for (let round = 0; round < rounds; round += 1) {
    const write = async (): Promise<void> => {
      for (let count = random.integer(6); count >= 0; count -= 1) {
        const sql = random.pick(writes);
        // PostgreSQL infers no type for a parameter that a statement does not use.
        await service.sql(sql, sql.includes('$2') ? [shopId, random.integer(2 ** 30)] : [shopId]);
      }
      if (random.oneIn(40)) await service.sql('SELECT catalog_restart_changes($1)', [shopId]);
    };
    const read = async (): Promise<void> => {
      for (let count = 1 + random.integer(4); count > 0; count -= 1) await pullAndMaybeDie();
    };
    await Promise.all([write(), read()]);
    // The cursor was lost, but not the copy.
    if (random.oneIn(6)) copy.cursor = undefined;
    const last = Object.assign(new Copy(connect(fetch)), { cursor: copy.cursor });
    for (const [name, object] of copy.objects) last.objects.set(name, object);
    await last.pull(undefined, { pageSize: random.pick([3, 200]) });
    copy = last;
    expect({ seed, round, state: copy.state() }).toEqual({ seed, round, state: await readSource(connect()) });
    expect({ seed, round, members: membersOf(copy.state()) }).toEqual({
      ...{ seed, round, members: await readMembers(connect()) },
    });
  }
  process.stdout.write(
    `seed ${seed}: ${rounds} rounds, killed ${kills} times, ${copy.objects.size} objects at the end\n`,
  );
  expect(kills).toBeGreaterThan(rounds / 4);
});
