import type { IntrospectionField, IntrospectionObjectType, IntrospectionQuery, IntrospectionTypeRef } from 'graphql';
import { getIntrospectionQuery } from 'graphql';
import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';

let service: Service;
let shop: string;
let apiKey: string;
let product: string;

const moments = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-02-01T00:00:00.000Z'];
/** Equal in number but not in text, beyond doubles, negative, absent. */
const prices = ['19.90', '19.9', '9007199254740993.01', '9007199254740993.02', '-1', '0', null];

/** A shop in which every sort key has equal values, and those that can be null are null more than once. */
beforeAll(async () => {
  service = await startService({ rateLimit: 1_000_000 });
  const { sql } = service;
  shop = await seedShop(sql);
  ({ apiKey } = await seedApiKey(sql, shop));
  product = await seedProduct(sql, shop, { created_at: moments[0] });
  for (let index = 0; index < 14; index += 1) {
    const created_at = moments[index % 3];
    const updated_at = moments[(index + 1) % 2];
    const id = await seedProduct(sql, shop, {
      created_at,
      updated_at,
      title: ['Éclair', 'éclair', 'Tea', `${'long '.repeat(30)}${index}`][index % 4],
    });
    const price = prices[index % prices.length];
    await seedVariant(sql, shop, id, { price, inventory_quantity: index % 3 === 0 ? null : index % 4 });
    await seedVariant(sql, shop, product, { position: [null, 1, 1, 2, 1_000_000_000][index % 5] });
    const nullable = { created_at: [...moments, null][index % 4], updated_at: null };
    await seedCollection(sql, shop, nullable);
    await seedOrder(sql, shop, { ...nullable, total_price: price });
  }
});
afterAll(() => service.close());

const ask = <Data>(query: string, variables: Record<string, unknown> = {}) =>
  askGraphql<Data>(service.origin, apiKey, query, variables);

/*
 * Structure: GraphQL Cursor Connections Specification, sections 2 to 5; Global Object Identification, sections 2 and 4.
 */

describe('the schema', () => {
  let objects: readonly IntrospectionObjectType[];
  beforeAll(async () => {
    const { data } = await ask<IntrospectionQuery>(getIntrospectionQuery());
    objects = data.__schema.types.filter((type) => type.kind === 'OBJECT');
  });

  const toText = (type: IntrospectionTypeRef): string =>
    type.kind === 'NON_NULL'
      ? `${toText(type.ofType)}!`
      : type.kind === 'LIST'
        ? `[${toText(type.ofType)}]`
        : type.name;
  const fieldsOf = (name: string): Record<string, string> =>
    toFields(objects.find((type) => type.name === name)?.fields ?? []);
  const toFields = (fields: readonly IntrospectionField[]) =>
    Object.fromEntries(fields.map((field) => [field.name, toText(field.type)]));
  const argumentsOf = (field: IntrospectionField) =>
    Object.fromEntries(field.args.map((argument) => [argument.name, toText(argument.type)]));

  const nouns = ['Product', 'Variant', 'Collection', 'Order'];

  /** The change feed supports forward pagination only, and its total means nothing. */
  const feed = 'Change';

  it('has a connection and an edge for each noun and the feed, and for nothing else', () => {
    const names = objects.map(({ name }) => name);
    const expected = [...nouns, feed];
    expect(names.filter((name) => name.endsWith('Connection')).sort()).toEqual(
      expected.map((noun) => `${noun}Connection`).sort(),
    );
    expect(names.filter((name) => name.endsWith('Edge')).sort()).toEqual(expected.map((noun) => `${noun}Edge`).sort());
  });

  it('has the fields of a connection and of an edge for the feed', () => {
    expect(fieldsOf('ChangeConnection')).toMatchObject({
      edges: '[ChangeEdge!]!',
      nodes: '[Change!]!',
      pageInfo: 'PageInfo!',
    });
    expect(fieldsOf('ChangeEdge')).toEqual({ cursor: 'String!', node: 'Change!' });
  });

  it.each(nouns)('has the fields of a connection and of an edge for %s', (noun) => {
    expect(fieldsOf(`${noun}Connection`)).toEqual({
      edges: `[${noun}Edge!]!`,
      nodes: `[${noun}!]!`,
      pageInfo: 'PageInfo!',
      totalCount: 'Long!',
    });
    expect(fieldsOf(`${noun}Edge`)).toEqual({ cursor: 'String!', node: `${noun}!` });
  });

  it('has PageInfo', () => {
    expect(fieldsOf('PageInfo')).toEqual({
      hasNextPage: 'Boolean!',
      hasPreviousPage: 'Boolean!',
      startCursor: 'String',
      endCursor: 'String',
    });
  });

  it('accepts the four arguments on every connection, and on the feed those of forward pagination', () => {
    const connections = objects.flatMap((type) =>
      type.fields
        .filter((field) => toText(field.type).replace('!', '').endsWith('Connection'))
        .map((field) => [`${type.name}.${field.name}`, argumentsOf(field)] as const),
    );
    expect(connections.map(([name]) => name).sort()).toEqual(
      [
        'Product.variantConnection',
        'Query.changes',
        ...['Query', 'Shop'].flatMap((t) => ['collections', 'orders', 'products', 'variants'].map((f) => `${t}.${f}`)),
      ].sort(),
    );
    for (const [name, given] of connections) {
      const backward = name === 'Query.changes' ? {} : { last: 'Int', before: 'String' };
      expect(given).toMatchObject({ first: 'Int', after: 'String', ...backward });
    }
  });

  it('has Node on every type with a separate id, and the fields that find it', () => {
    // The id of a change is that of its object, which may no longer exist.
    const withId = objects
      .filter((type) => type.name !== feed && 'id' in toFields(type.fields))
      .map(({ name }) => name);
    const nodes = objects.filter(({ interfaces }) => interfaces.some(({ name }) => name === 'Node'));
    expect(nodes.map(({ name }) => name).sort()).toEqual(withId.sort());
    expect(nodes.map(({ name }) => fieldsOf(name)['id'])).toEqual(nodes.map(() => 'ID!'));
    expect(fieldsOf('Query')).toMatchObject({ node: 'Node', nodes: '[Node]!' });
  });
});

/* Behaviour. */

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly nodes: readonly { readonly id: string }[];
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  readonly totalCount: number;
}

/** Every list in each of its orders: the field with its own arguments, and the field it belongs to. */
const orders: readonly (readonly [name: string, field: string, own: string])[] = [
  ...['CREATED_AT', 'UPDATED_AT', 'TITLE', 'PRICE', 'STOCK'].map(
    (key) => [`products by ${key}`, 'products', `sortKey: ${key}`] as const,
  ),
  ['collections', 'collections', ''] as const,
  ...['CREATED_AT', 'TOTAL_PRICE'].map((key) => [`orders by ${key}`, 'orders', `sortKey: ${key}`] as const),
];
const lists = [
  ...orders.map(([name, field, own]) => [name, field, own] as const),
  ...orders.map(([name, field, own]) => [`${name}, reversed`, field, `${own} reverse: true`] as const),
  ['variants', 'variantConnection', ''] as const,
];

const selection = `{ edges { cursor node { id } } nodes { id } totalCount
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
const page = async (field: string, own: string, given: Record<string, unknown>): Promise<Page> => {
  const text = `${field}(first: $first, after: $after, last: $last, before: $before, ${own}) ${selection}`;
  const { data, errors } = await ask<{ list?: Page; product?: { list: Page } }>(
    `query ($first: Int, $after: String, $last: Int, $before: String) {
      ${field === 'variantConnection' ? `product(id: "${product}") { list: ${text} }` : `list: ${text}`} }`,
    given,
  );
  expect(errors).toBeUndefined();
  return (data.list ?? data.product?.list) as Page;
};

const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id);

describe.each(lists)('%s', (name, field, own) => {
  let all: Page;
  beforeAll(async () => {
    all = await page(field, own, { first: 200 });
  });

  it('holds everything once, in edges as in nodes, with a count', () => {
    const ids = idsOf(all);
    expect(ids).toHaveLength(field === 'products' ? 15 : 14);
    expect(new Set(ids).size).toBe(ids.length);
    expect(all.edges.map(({ node }) => node.id)).toEqual(ids);
    expect(all.totalCount).toBe(ids.length);
    expect(all.pageInfo).toEqual({
      hasNextPage: false,
      hasPreviousPage: false,
      startCursor: all.edges[0]?.cursor,
      endCursor: all.edges.at(-1)?.cursor,
    });
  });

  it.each([1, 4, 7, 14, 15])('is paginated forwards and backwards in pages of %d', async (size) => {
    const forwards: Page[] = [];
    for (let after: string | null | undefined; after !== null;) {
      const next: Page = await page(field, own, { first: size, after });
      forwards.push(next);
      after = next.pageInfo.hasNextPage ? next.pageInfo.endCursor : null;
    }
    const backwards: Page[] = [];
    for (let before: string | null | undefined; before !== null;) {
      const next: Page = await page(field, own, { last: size, before });
      backwards.unshift(next);
      before = next.pageInfo.hasPreviousPage ? next.pageInfo.startCursor : null;
    }
    expect(forwards.flatMap(idsOf)).toEqual(idsOf(all));
    expect(backwards.flatMap(idsOf)).toEqual(idsOf(all));
    for (const walk of [forwards, backwards]) {
      expect(walk).toHaveLength(Math.ceil(all.nodes.length / size));
      expect(walk.map(({ pageInfo }) => pageInfo)).toEqual(
        walk.map(({ edges }, index) => ({
          hasNextPage: index < walk.length - 1,
          hasPreviousPage: index > 0,
          startCursor: edges[0]?.cursor,
          endCursor: edges.at(-1)?.cursor,
        })),
      );
    }
  });

  it('continues after and before any edge', async () => {
    const ids = idsOf(all);
    for (const [index, { cursor }] of all.edges.entries()) {
      expect(idsOf(await page(field, own, { first: 3, after: cursor }))).toEqual(ids.slice(index + 1, index + 4));
      expect(idsOf(await page(field, own, { last: 3, before: cursor }))).toEqual(
        ids.slice(Math.max(0, index - 3), index),
      );
    }
  });

  it('returns a range between two cursors, from either end', async () => {
    const [after, before] = [all.edges[2]?.cursor, all.edges[8]?.cursor];
    const stretch = idsOf(all).slice(3, 8);
    const first = await page(field, own, { first: 3, after, before });
    const last = await page(field, own, { last: 3, after, before });
    const whole = await page(field, own, { after, before });
    expect([idsOf(first), idsOf(last), idsOf(whole)]).toEqual([stretch.slice(0, 3), stretch.slice(2), stretch]);
    expect([first, last].map(({ pageInfo }) => [pageInfo.hasPreviousPage, pageInfo.hasNextPage])).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  it('has an empty page where nothing is left, and for a size of 0', async () => {
    const empty = { edges: [], nodes: [], totalCount: all.totalCount };
    const [start, end] = [all.edges[0]?.cursor, all.edges.at(-1)?.cursor];
    const pageInfo = { startCursor: null, endCursor: null };
    const nothing = { hasNextPage: false, hasPreviousPage: false };
    expect(await page(field, own, { first: 5, after: end })).toEqual({
      ...empty,
      pageInfo: { ...pageInfo, ...nothing, hasPreviousPage: true },
    });
    expect(await page(field, own, { last: 5, before: start })).toEqual({
      ...empty,
      pageInfo: { ...pageInfo, ...nothing, hasNextPage: true },
    });
    expect(await page(field, own, { first: 0 })).toEqual({
      ...empty,
      pageInfo: { ...pageInfo, ...nothing, hasNextPage: true },
    });
    expect(await page(field, own, { last: 0 })).toEqual({
      ...empty,
      pageInfo: { ...pageInfo, ...nothing, hasPreviousPage: true },
    });
  });

  it('is the exact reverse of the list in the other direction', async () => {
    if (field === 'variantConnection') return;
    const other = name.endsWith('reversed') ? own.replace('reverse: true', '') : `${own} reverse: true`;
    expect(idsOf(await page(field, other, {}))).toEqual(idsOf(all).reverse());
  });
});

describe('the order', () => {
  const members = 'nodes { id createdAt updatedAt title minPrice totalStock }';
  interface Row {
    readonly id: string;
    readonly [member: string]: unknown;
  }
  const time = (value: unknown) => (value === null ? Infinity : Date.parse(value as string));
  /** Exact for decimals of any length: whole and fraction as one big number. */
  const decimal = (value: unknown): bigint => {
    if (value === null) return 10n ** 40n;
    const [whole, fraction = ''] = (value as string).split('.') as [string, string?];
    return BigInt(whole + fraction.padEnd(6, '0'));
  };
  const title = (value: unknown) => [...(value as string).toLowerCase()].slice(0, 100).join('');
  const keys: readonly (readonly [string, string, string, (row: Row) => number | bigint | string])[] = [
    ['products', 'sortKey: CREATED_AT', members, (row) => time(row['createdAt'])],
    ['products', 'sortKey: UPDATED_AT', members, (row) => time(row['updatedAt'])],
    ['products', 'sortKey: TITLE', members, (row) => title(row['title'])],
    ['products', 'sortKey: PRICE', members, (row) => decimal(row['minPrice'])],
    ['products', 'sortKey: STOCK', members, (row) => row['totalStock'] as number],
    ['collections', 'reverse: false', 'nodes { id createdAt }', (row) => time(row['createdAt'])],
    ['orders', 'sortKey: CREATED_AT', 'nodes { id createdAt }', (row) => time(row['createdAt'])],
    ['orders', 'sortKey: TOTAL_PRICE', 'nodes { id totalPrice }', (row) => decimal(row['totalPrice'])],
  ];

  it.each(keys)(
    'of %s with %s is that of its key, without one last, ties by id (D9)',
    async (field, own, select, key) => {
      const { data } = await ask<Record<string, { nodes: Row[] }>>(`{ ${field}(${own}) { ${select} } }`);
      const found = data[field]?.nodes ?? [];
      const compare = (a: Row, b: Row) => (key(a) === key(b) ? (a.id < b.id ? -1 : 1) : key(a) < key(b) ? -1 : 1);
      expect(found.map(({ id }) => id)).toEqual([...found].sort(compare).map(({ id }) => id));
      expect(new Set(found.map(key)).size).toBeLessThan(found.length);
    },
  );

  it('of variants is by position, without one last, then id, in the list as in the connection (D9)', async () => {
    const { data } = await ask<{ product: { variants: Row[]; variantConnection: { nodes: Row[] } } }>(
      `{ product(id: "${product}") { variants { id position } variantConnection { nodes { id position } } } }`,
    );
    const { variants, variantConnection } = data.product;
    const key = (row: Row) => (row['position'] as number | null) ?? Infinity;
    const compare = (a: Row, b: Row) => (key(a) === key(b) ? (a.id < b.id ? -1 : 1) : key(a) - key(b));
    expect(variants).toEqual([...variants].sort(compare));
    expect(variantConnection.nodes).toEqual(variants);
  });
});

describe('cursors of REST and GraphQL (D10)', () => {
  const filtered = [
    ['products', '', ''],
    ['products', 'status=ACTIVE', 'filter: { status: ACTIVE }'],
    [
      'products',
      'q=É&vendor=Kiln %26 Co&product_type=Mugs&tag=kitchen&status=ACTIVE',
      'filter: { tag: "kitchen", productType: "Mugs", vendor: "Kiln & Co", query: "É", status: ACTIVE }',
    ],
    ['products', 'q=', 'filter: {}'],
    ['collections', '', ''],
    ['collections', 'published=true', 'filter: { published: true }'],
    ['orders', '', 'sortKey: CREATED_AT, reverse: false'],
    [
      'orders',
      'financial_status=PAID&fulfillment_status=FULFILLED',
      'filter: { fulfillmentStatus: "FULFILLED", financialStatus: "PAID" }',
    ],
  ] as const;

  it.each(filtered)('of %s?%s continue on the other surface', async (field, query, own) => {
    const client = service.client(apiKey);
    const rest = async (cursor: string | null) => {
      const target = `/${field}?${encodeURI(query).replace('%2526', '%26')}&limit=2${cursor === null ? '' : `&cursor=${cursor}`}`;
      return (await client.get(target)).body as {
        data: { id: string }[];
        has_more: boolean;
        next_cursor: string | null;
      };
    };
    const whole = idsOf(await page(field, own, {}));
    const walked: string[] = [];
    let cursor: string | null = null;
    let isRest = true;
    do {
      if (isRest) {
        const { data, next_cursor } = await rest(cursor);
        walked.push(...data.map(({ id }) => id));
        cursor = next_cursor;
      } else {
        const next: Page = await page(field, own, { first: 2, after: cursor });
        walked.push(...idsOf(next));
        cursor = next.pageInfo.hasNextPage ? next.pageInfo.endCursor : null;
      }
      isRest = !isRest;
    } while (cursor !== null);
    expect(walked).toEqual(whole);
    expect(whole.length).toBeGreaterThan(2);
  });
});

describe('what is refused with BAD_USER_INPUT', () => {
  const refusal = async (field: string) => {
    const { status, data, errors } = await ask<Record<string, unknown>>(`{ list: ${field} { nodes { id } } }`);
    expect({ status, data }).toEqual({ status: 200, data: { list: null } });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]).toMatchObject({ path: ['list'], extensions: { code: 'BAD_USER_INPUT' } });
    return errors?.[0]?.message;
  };
  const cursorOf = async (field: string, own = '') =>
    (await page(field, own, { first: 1 })).pageInfo.endCursor as string;

  it.each(['products', 'collections', 'orders'])('sizes and pairs of sizes of %s', async (field) => {
    expect(await refusal(`${field}(first: 1, last: 1)`)).toMatch('first and last are mutually exclusive');
    expect(await refusal(`${field}(first: -1)`)).toBe('first: expected a whole number from 0 to 200, got -1.');
    expect(await refusal(`${field}(last: -1)`)).toBe('last: expected a whole number from 0 to 200, got -1.');
    expect(await refusal(`${field}(first: 201)`)).toBe('first: expected a whole number from 0 to 200, got 201.');
    expect(await refusal(`${field}(last: 201)`)).toBe('last: expected a whole number from 0 to 200, got 201.');
  });

  it('cursors of another list, order, direction or filter, and text that is no cursor: all with one message behind the name of the argument (D10)', async () => {
    const cursor = await cursorOf('products');
    const tampered = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A');
    const variantCursor = await cursorOf('variantConnection');
    const messages = [
      await refusal(`products(after: "${await cursorOf('collections')}")`),
      await refusal(`products(after: "${await cursorOf('orders')}")`),
      await refusal(`products(after: "${variantCursor}")`),
      await refusal(`collections(after: "${cursor}")`),
      await refusal(`orders(after: "${cursor}")`),
      await refusal(`products(sortKey: PRICE, after: "${cursor}")`),
      await refusal(`orders(sortKey: TOTAL_PRICE, after: "${await cursorOf('orders')}")`),
      await refusal(`products(reverse: true, after: "${cursor}")`),
      await refusal(`collections(reverse: true, after: "${await cursorOf('collections')}")`),
      await refusal(`products(filter: { vendor: "x" }, after: "${cursor}")`),
      await refusal(`products(filter: { tagsAny: [] }, after: "${cursor}")`),
      await refusal(`products(after: "${await cursorOf('products', 'filter: { status: ACTIVE }')}")`),
      await refusal(`products(after: "${tampered}")`),
      await refusal(`products(after: "")`),
      await refusal(`products(after: "x")`),
      await refusal(`products(after: "${cursor}=")`),
      await refusal(`products(after: " ${cursor}")`),
      await refusal(`products(after: "\\u0000")`),
    ];
    expect(new Set(messages).size).toBe(1);
    expect(await refusal(`products(before: "x")`)).toBe(messages[0]?.replace('after: ', 'before: '));
  });

  it('cursors of another product’s variants', async () => {
    const other = (await page('products', '', { last: 1 })).nodes[0]?.id;
    const { errors } = await ask(
      `{ product(id: "${other}") { variantConnection(after: "${await cursorOf('variantConnection')}") { nodes { id } } } }`,
    );
    expect(errors?.[0]).toMatchObject({
      path: ['product', 'variantConnection'],
      extensions: { code: 'BAD_USER_INPUT' },
    });
  });
});

describe('node and nodes (D27)', () => {
  it('find an object of every type by the id that lists and REST show', async () => {
    const { data } = await ask<Record<string, { nodes: { id: string }[] }>>(
      `{ products(first: 1) { nodes { id } } collections(first: 1) { nodes { id } } orders(first: 1) { nodes { id } } }`,
    );
    const [variant] = await service.sql<{ id: string }>('SELECT id FROM variants WHERE product_id = $1', [product]);
    const expected = [
      { __typename: 'Shop', id: shop },
      { __typename: 'Product', id: data['products']?.nodes[0]?.id },
      { __typename: 'Variant', id: variant?.id },
      { __typename: 'Collection', id: data['collections']?.nodes[0]?.id },
      { __typename: 'Order', id: data['orders']?.nodes[0]?.id },
    ];
    const ids = expected.map(({ id }) => id as string);
    for (const [index, id] of ids.entries()) {
      for (const spelling of [id, id.toUpperCase()]) {
        const { data: found } = await ask(`{ node(id: "${spelling}") { __typename id } }`);
        expect(found).toEqual({ node: expected[index] });
      }
    }
    const { data: many } = await ask('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
      ids: [...ids, ...ids].reverse(),
    });
    expect(many).toEqual({ nodes: [...expected, ...expected].reverse() });
  });

  it('are null, without an error, for what does not exist and for what is not an id (D11)', async () => {
    const ids = [
      '00000000-0000-0000-0000-000000000000',
      'x',
      '',
      '\u0000',
      `{${product}}`,
      product.replaceAll('-', ''),
      `${product} `,
    ];
    const { data, errors } = await ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
    expect({ data, errors }).toEqual({ data: { nodes: ids.map(() => null) }, errors: undefined });
  });

  it('do not find hidden and deleted products or their variants (D8)', async () => {
    const limited = await seedShop(service.sql, { product_limit: 1 });
    const key = (await seedApiKey(service.sql, limited)).apiKey;
    const ids: string[] = [];
    for (const values of [
      { created_at: moments[0] },
      { created_at: moments[1] },
      { created_at: moments[0], deleted_at: moments[1] },
    ]) {
      const id = await seedProduct(service.sql, limited, values);
      ids.push(id, await seedVariant(service.sql, limited, id));
    }
    const { data } = await askGraphql<{ nodes: unknown[] }>(
      service.origin,
      key,
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids },
    );
    expect(data.nodes).toEqual([{ id: ids[0] }, { id: ids[1] }, null, null, null, null]);
  });
});
