import { columnsOf } from '../../src/catalog/model';
import { orderRedaction } from '../../src/catalog/order/order-privacy';
import { lines, order, useImportHarness } from '../ingest/import-harness';
import { walk } from '../rest/walk';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedOrder, seedShop } from '../support/seed';
import { useService } from '../support/service';
import type { RestClient } from '../support/rest-client';
import { innocentTexts, spellings } from './corpus';
import { findAddressesNaively } from './naive-detector';

const secret = 'a secret between a router and this service';

/** An address alone, and before, after and between other words. */
const positions: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `Zoë Müller ${address}`,
  (address) => `${address}, Zoë Müller`,
  (address) => `of <${address}> & Söhne`,
];

const guarded = columnsOf('orders').filter(({ address }) => address !== undefined);

/** A line with the text in every member that can contain it. */
const lineWith = (text: string) => ({
  ...{ title: text, sku: text, quantity: 1, unit_price: null, total: null },
  ...{ product_external_id: text, variant_external_id: text },
});

/** An order with the address in every member that can contain text. Currency and price cannot (constraints). */
const valuesWith = (address: string, index: number) => ({
  ...Object.fromEntries(guarded.map(({ name }) => [name, address])),
  external_id: `${address} ${index}`,
  tags: ['vip', address, `é ${address}`],
  line_items: [lineWith(address)],
});

const texts = spellings.map(([, text], index) =>
  (positions[index % positions.length] as (text: string) => string)(text),
);

let client: RestClient;
let shopId: string;
let apiKey: string;
const ids: string[] = [];
const service = useService({ rateLimit: 100_000, settings: { SUBGRAPH_SECRET: secret } });
beforeAll(async () => {
  shopId = await seedShop(service.sql);
  ({ apiKey } = await seedApiKey(service.sql, shopId));
  client = service.client(apiKey);
  // With plain SQL, like another program.
  for (const [index, text] of texts.entries()) ids.push(await seedOrder(service.sql, shopId, valuesWith(text, index)));
});

const ask = (query: string, variables: Record<string, unknown> = {}) =>
  askGraphql<never>(service.origin, apiKey, query, variables);

const lineMembers = 'lineItems { title sku productExternalId variantExternalId }';
const members = ['currency', ...guarded.map(({ member }) => (member === 'lineItems' ? lineMembers : member))].join(' ');

it('every column of an order that accepts an e-mail address is tried here, and has a redaction', async () => {
  const columns = await service.sql<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
      WHERE table_schema = 'public' AND table_name = 'orders' AND data_type IN ('text', 'ARRAY', 'jsonb') AND is_generated = 'NEVER'`,
  );
  const address = 'column@example.com';
  const accepting: string[] = [];
  for (const { name, type } of columns) {
    const value = type === 'ARRAY' ? [address] : type === 'jsonb' ? [lineWith(address)] : address;
    // Undone at once, because the other tests expect the orders above.
    const isAccepted = await seedOrder(service.sql, shopId, { [name]: value }).then(
      (id) => service.sql('DELETE FROM orders WHERE id = $1', [id]).then(() => true),
      () => false,
    );
    if (isAccepted) accepting.push(name);
  }
  expect(accepting.toSorted()).toEqual(Object.keys(valuesWith('', 0)).toSorted());
  const redacted = Object.keys(orderRedaction.members).map((member) =>
    member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(redacted.toSorted()).toEqual(accepting.toSorted());
});

describe('orders that another program stored with e-mail addresses (D25)', () => {
  it('are returned by the REST API without them, each once, with a unique and stable external_id', async () => {
    const items = await walk(client, '/orders', 7);
    expect(findAddressesNaively(JSON.stringify(items))).toEqual([]);
    expect(items.map(({ id }) => id)).toEqual(ids);
    expect(items.map((item) => item['external_id'])).toEqual(ids.map((id) => `redacted:${id}`));
    expect(items.map((item) => [item['financial_status'], item['fulfillment_status'], item['tags']])).toEqual(
      items.map(() => [null, null, ['vip']]),
    );
    expect(items.every((item) => item['order_number'] !== '')).toBe(true);
  });

  it.each([
    ['nodes', `{ orders(first: 200) { nodes { ${members} } } }`],
    ['nodes without an id, in another order', `{ orders(last: 200, sortKey: TOTAL_PRICE) { nodes { ${members} } } }`],
    [
      'nodes under other names',
      '{ orders(first: 200) { nodes { __proto__: customerName id: externalId a: tags b: orderNumber } } }',
    ],
    ['edges', `{ orders(first: 200) { edges { cursor node { ${members} } } } }`],
    ['of the shop', `{ shop { orders(first: 200) { nodes { ${members} } edges { node { ${members} } } } } }`],
    ['nodes by id', `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Order { ${members} } } }`],
    [
      'a node and an order by id',
      `query ($id: ID!) { node(id: $id) { ... on Order { ${members} } } order(id: $id) { ${members} } }`,
    ],
  ])('are returned by GraphQL without them: %s', async (_, query) => {
    const { text, errors } = await ask(query, { ids: ids.slice(0, 90), id: ids[0] });
    expect(errors).toBeUndefined();
    expect(text).toContain(`redacted:${ids[0] ?? ''}`);
    expect(findAddressesNaively(text)).toEqual([]);
  });

  it('are counted in figures of best-selling products, which do not show them', async () => {
    const { text, errors, data } = await askGraphql<{ orderFigures: { products: readonly object[] } }>(
      service.origin,
      apiKey,
      '{ orderFigures { products(first: 200) { externalId sku title units product { id } } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.orderFigures.products.length).toBeGreaterThan(texts.length / 2);
    expect(findAddressesNaively(text)).toEqual([]);
  });

  it('are returned by a subgraph without them', async () => {
    const { text } = await exchange(service.origin, '/subgraph', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'Router-Authorization': secret,
        Authorization: `Bearer ${apiKey}`,
      },
      body: JSON.stringify({
        query: `query ($all: [_Any!]!) { _entities(representations: $all) { ... on Order { ${members} } } }`,
        variables: { all: ids.slice(0, 90).map((id) => ({ __typename: 'Order', id })) },
      }),
    });
    expect(text).toContain(`redacted:${ids[89] ?? ''}`);
    expect(findAddressesNaively(text)).toEqual([]);
  });

  it('are not found by a filter with the address, which would reveal that it is there', async () => {
    for (const [index, text] of texts.entries()) {
      const { external_id, tags } = valuesWith(text, index);
      const filters = [
        { financialStatus: text }, { financialStatusIn: [text] }, { fulfillmentStatus: text }, { fulfillmentStatusIn: [text] },
        { tag: text }, { tagsAny: [text, tags[2]] }, { tagsAll: ['vip', text] }, { externalIds: [external_id] }, { currency: text },
        { orderNumberIn: [text] }, { skuIn: [text] },
      ]; // prettier-ignore
      const fields = filters.map((_, n) => `f${n}: orders(filter: $f${n}) { totalCount nodes { id } }`);
      const { data, errors } = await ask(
        `query (${filters.map((_, n) => `$f${n}: OrderFilter`).join(' ')}) { ${fields.join(' ')} }`,
        Object.fromEntries(filters.map((filter, n) => [`f${n}`, filter])),
      );
      expect(errors).toBeUndefined();
      expect(Object.values(data)).toEqual(filters.map(() => ({ totalCount: 0, nodes: [] })));
      const query = new URLSearchParams({ financial_status: text }).toString();
      expect((await client.get(`/orders?${query}`)).body).toEqual({ data: [], has_more: false, next_cursor: null });
    }
  });

  it('are still found by their visible values', async () => {
    const { data } = await ask('{ orders(filter: { tag: "vip", currency: "EUR" }) { totalCount } }');
    expect(data).toEqual({ orders: { totalCount: ids.length } });
  });
});

describe('what a client sends', () => {
  it('occurs in no error message', async () => {
    for (const text of texts.filter((_, index) => index % 4 === 0)) {
      const query = (name: string) => new URLSearchParams({ [name]: text }).toString();
      const answers = await Promise.all([
        client.get(`/orders?${query('limit')}`),
        client.get(`/orders?${query('cursor')}`),
        client.get(`/products?${query('status')}`),
        exchange(service.origin, `/v1/${encodeURIComponent(text)}`, {}),
        exchange(service.origin, '/oauth/token', {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: `grant_type=client_credentials&${query('scope')}`,
        }),
        ask('query ($first: Int) { orders(first: $first) { totalCount } }', { first: text }),
        ask('query ($f: OrderFilter) { orders(filter: $f) { totalCount } }', {
          f: { [text]: 1, totalPrice: { min: text } },
        }),
        ask(`{ orders(first: ${JSON.stringify(text)}) { totalCount } }`),
        ask(`{ orders(after: ${JSON.stringify(text)}) { totalCount } }`),
        ask(`{ ${text} }`),
      ]);
      for (const answer of answers) expect(findAddressesNaively(answer.text)).toEqual([]);
    }
    expect(service.log.flatMap((line) => findAddressesNaively(JSON.stringify(line)))).toEqual([]);
  });
});

describe('orders that are imported', () => {
  const harness = useImportHarness();

  const snapshot = lines(...texts.map((text, index) => order(valuesWith(text, index))));

  it('are stored without addresses, and found again by the next import', async () => {
    const shop = await harness.createShop();
    const first = await shop.import(snapshot);
    expect(first.orders).toMatchObject({ read: texts.length, created: texts.length });
    // Two tags, and each other member once.
    expect(first.dropped.emails).toBe(texts.length * (guarded.length + 1));
    const rows = await shop.rows('orders');
    expect(findAddressesNaively(JSON.stringify(rows))).toEqual([]);
    expect(new Set(rows.map((row) => row['external_id'])).size).toBe(texts.length);
    const second = await shop.import(snapshot, { replace: true, allowRemoving: { percent: 100 } });
    expect(second.orders).toMatchObject({ unchanged: texts.length, removed: 0 });
    expect(await shop.rows('orders')).toEqual(rows);
  });

  it('keep texts without addresses, in every member', async () => {
    const shop = await harness.createShop();
    const innocent = innocentTexts.map((text, index) => ({
      ...{ external_id: `${text} ${index}`, order_number: text, customer_name: text },
      ...{ financial_status: text, fulfillment_status: text, tags: [text] },
      line_items: [lineWith(text)],
    }));
    const { dropped } = await shop.import(lines(...innocent.map(order)));
    expect(dropped.emails).toBe(0);
    const rows = await shop.rows('orders');
    expect(rows).toHaveLength(innocent.length);
    expect(rows).toEqual(expect.arrayContaining(innocent.map((values) => expect.objectContaining(values) as unknown)));
  });

  it('do not show the digest that replaces an external_id: an address could be guessed and compared with it', async () => {
    const digest = `redacted:${'0123456789abcdef'.repeat(4)}`;
    const id = await seedOrder(service.sql, shopId, { external_id: digest });
    const { data } = await ask(
      'query ($id: ID!, $digest: String!) { order(id: $id) { externalId } orders(filter: { externalIds: [$digest] }) { totalCount } }',
      { id, digest },
    );
    expect(data).toEqual({ order: { externalId: `redacted:${id}` }, orders: { totalCount: 0 } });
    const page = await client.get('/orders?limit=200');
    expect(page.text).not.toContain(digest);
  });
});
