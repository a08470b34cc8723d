import type { GraphQLField, IntrospectionQuery } from 'graphql';
import { buildClientSchema, getIntrospectionQuery, isEnumType, isObjectType } from 'graphql';
import { askGraphql } from '../support/graphql-client';
import { fc } from '../support/properties';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

let shop: string;
let apiKey: string;
let product: string;

const moments = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z', '2026-02-01T00:00:00.000Z'];
/** Numerically equal but different as text, larger than a double, negative, absent. */
const prices = ['19.90', '19.9', '9007199254740993.01', '9007199254740993.02', '-1', '0', null];

/** A shop in which every sort key has duplicate values, and nullable ones are null more than once. */
const service = useService({ rateLimit: 1_000_000 });
beforeAll(async () => {
  const { sql } = service;
  shop = await seedShop(sql);
  ({ apiKey } = await seedApiKey(sql, shop));
  product = await seedProduct(sql, shop, { created_at: moments[0] });
  for (let index = 0; index < 14; index += 1) {
    const updated_at = moments[(index + 1) % 2];
    const id = await seedProduct(sql, shop, {
      created_at: moments[index % 3],
      updated_at,
      title: ['Éclair', 'éclair', 'Tea', `${'long '.repeat(30)}${index}`][index % 4],
    });
    const price = prices[index % prices.length];
    await seedVariant(sql, shop, id, { price, updated_at, inventory_quantity: index % 3 === 0 ? null : index % 4 });
    await seedVariant(sql, shop, product, { position: [null, 1, 1, 2, 1_000_000_000][index % 5] });
    const nullable = { created_at: [...moments, null][index % 4], updated_at: [null, ...moments][index % 4] };
    await seedCollection(sql, shop, nullable);
    await seedOrder(sql, shop, { ...nullable, total_price: price });
  }
  const beyondTheLimit = await seedProduct(sql, shop, { created_at: '2027-01-01T00:00:00Z', updated_at: moments[0] });
  await seedVariant(sql, shop, beyondTheLimit, { price: '0', updated_at: moments[0] });
});

const ask = <Data>(query: string, variables: Record<string, unknown> = {}) =>
  askGraphql<Data>(service.origin, apiKey, query, variables);

const readSchema = async () => buildClientSchema((await ask<IntrospectionQuery>(getIntrospectionQuery())).data);

/* GraphQL Cursor Connections Specification, sections 2 to 5; Global Object Identification, sections 2 and 4. */
it('the schema has the types and arguments of both specifications', async () => {
  const schema = await readSchema();
  const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
  const toTexts = (all: readonly { readonly name: string; readonly type: unknown }[]) =>
    Object.fromEntries(all.map(({ name, type }) => [name, String(type)]));
  const fieldsOf = (name: string) => {
    const type = schema.getType(name);
    return isObjectType(type) ? toTexts(Object.values(type.getFields())) : {};
  };
  // The change feed only supports forward pagination, and its total means nothing.
  const nouns = ['Product', 'Variant', 'Collection', 'Order', 'Change'];
  for (const noun of nouns) {
    expect(fieldsOf(`${noun}Connection`)).toMatchObject({
      ...{ edges: `[${noun}Edge!]!`, nodes: `[${noun}!]!`, pageInfo: 'PageInfo!' },
      ...(noun !== 'Change' && { totalCount: 'Long!' }),
    });
    expect(fieldsOf(`${noun}Edge`)).toEqual({ cursor: 'String!', node: `${noun}!` });
  }
  const cursors = { startCursor: 'String', endCursor: 'String' };
  expect(fieldsOf('PageInfo')).toEqual({ hasNextPage: 'Boolean!', hasPreviousPage: 'Boolean!', ...cursors });

  const fields = objects.flatMap((type): GraphQLField<unknown, unknown>[] => Object.values(type.getFields()));
  const connections = fields.filter(({ type }) => /Connection!?$/.test(String(type)));
  expect(connections).toHaveLength(11);
  for (const { name, args } of connections) {
    const backward = name === 'changes' ? {} : { last: 'Int', before: 'String' };
    expect(toTexts(args)).toMatchObject({ first: 'Int', after: 'String', ...backward });
  }
  // The id of a change is that of its object, which may no longer exist.
  const nodes = objects.filter((type) => type.getInterfaces().some(({ name }) => name === 'Node'));
  const withId = objects.filter((type) => type.name !== 'Change' && 'id' in type.getFields());
  expect(nodes).toEqual(withId);
  expect(nodes.map(({ name }) => fieldsOf(name)['id'])).toEqual(nodes.map(() => 'ID!'));
  expect(fieldsOf('Query')).toMatchObject({ node: 'Node', nodes: '[Node]!' });
});

interface Row {
  readonly id: string;
  readonly [member: string]: unknown;
}
interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly nodes: readonly Row[];
  readonly pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  readonly totalCount: number;
}

const page = async (field: string, own: string, given: Record<string, unknown>, members = 'id'): Promise<Page> => {
  const text = `${field}(first: $first, after: $after, last: $last, before: $before, ${own}) {
    edges { cursor node { id } } nodes { ${members} } totalCount
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;
  const { data, errors } = await ask<{ list?: Page; product?: { list: Page } }>(
    `query ($first: Int, $after: String, $last: Int, $before: String) {
      ${field === 'variantConnection' ? `product(id: "${product}") { list: ${text} }` : `list: ${text}`} }`,
    given,
  );
  expect(errors).toBeUndefined();
  return (data.list ?? data.product?.list) as Page;
};

const idsOf = ({ nodes }: Page) => nodes.map(({ id }) => id);

/* What each sort key means, repeated without SQL: absent values are last, equal ones ordered by id (D9). */
type Key = (value: unknown) => number | bigint | string;
const time: Key = (value) => (value === null ? Infinity : Date.parse(value as string));
/** Exact for decimals of any length: integer and fraction as one big integer. */
const decimal: Key = (value) => {
  if (value === null) return 10n ** 40n;
  const [whole, fraction = ''] = (value as string).split('.') as [string, string?];
  return BigInt(whole + fraction.padEnd(6, '0'));
};
const number: Key = (value) => (value as number | null) ?? Infinity;
const title: Key = (value) => [...(value as string).toLowerCase()].slice(0, 100).join('');
const sortKeys: Readonly<Record<string, Readonly<Record<string, readonly [member: string, key: Key]>>>> = {
  products: {
    CREATED_AT: ['createdAt', time],
    UPDATED_AT: ['updatedAt', time],
    TITLE: ['title', title],
    PRICE: ['minPrice', decimal],
    STOCK: ['totalStock', number],
  },
  variants: {
    ID: ['id', String],
    UPDATED_AT: ['updatedAt', time],
    PRICE: ['price', decimal],
    STOCK: ['inventoryQuantity', number],
  },
  collections: { CREATED_AT: ['createdAt', time], UPDATED_AT: ['updatedAt', time] },
  orders: { CREATED_AT: ['createdAt', time], UPDATED_AT: ['updatedAt', time], TOTAL_PRICE: ['totalPrice', decimal] },
};

it('every sort key of connections is tested here, except for the best match (test/graph/search)', async () => {
  const found = Object.values((await readSchema()).getTypeMap()).filter(isEnumType);
  const ofSchema = found.filter(({ name }) => name.endsWith('SortKey') && name !== 'ProductSalesSortKey');
  const names = ofSchema.flatMap((type) => type.getValues().map(({ name }) => name));
  expect(names.filter((name) => name !== 'RELEVANCE').sort()).toEqual(
    Object.values(sortKeys).flatMap(Object.keys).sort(),
  );
});

const lists = [
  ...Object.entries(sortKeys).flatMap(([field, keys]) =>
    Object.entries(keys).map(([sortKey, [member, key]]) => [field, `sortKey: ${sortKey}`, member, key] as const),
  ),
  ['variantConnection', '', 'position', number] as const,
];

describe.each(lists)('%s(%s)', (field, own, member, key) => {
  const reversals = field === 'variantConnection' ? [''] : ['', 'reverse: true'];
  const limits = field === 'products' || field === 'variants' ? [15, null] : [15];
  it.each(reversals.flatMap((reverse) => limits.map((limit) => [limit, reverse] as const)))(
    'is in order, and any page of it is the part that its arguments describe: under the limit %s %s',
    async (limit, reverse) => {
      await service.sql('UPDATE shops SET product_limit = $2 WHERE shop_id = $1', [shop, limit]);
      const given = `${own} ${reverse}`;
      const all = await page(field, given, { first: 200 }, `id ${member}`);
      const compare = (a: Row, b: Row) => {
        const [x, y] = [key(a[member]), key(b[member])];
        return x === y ? (a.id < b.id ? -1 : 1) : x < y ? -1 : 1;
      };
      const sorted = [...all.nodes].sort(compare);
      expect(all.nodes).toEqual(reverse === '' ? sorted : sorted.reverse());
      const ids = idsOf(all);
      expect(new Set(ids).size).toBe(({ products: 15, variants: 28 }[field] ?? 14) + (limit === null ? 1 : 0));
      if (member !== 'id') expect(new Set(all.nodes.map((node) => key(node[member]))).size).toBeLessThan(ids.length);

      const cursors = all.edges.map(({ cursor }) => cursor);
      const bound = fc.option(fc.nat(ids.length - 1), { nil: undefined });
      const size = fc.oneof(fc.nat(ids.length + 1), fc.constant(undefined));
      await fc.assert(
        fc.asyncProperty(bound, bound, size, fc.boolean(), async (after, before, most, isBackwards) => {
          const range = { after: cursors[after ?? -1], before: cursors[before ?? -1] };
          const found = await page(field, given, { ...range, [isBackwards ? 'last' : 'first']: most });
          const within = ids.slice(after === undefined ? 0 : after + 1, before);
          const reads = isBackwards && most !== undefined;
          const expected = reads ? within.slice(Math.max(0, within.length - most)) : within.slice(0, most);
          expect(idsOf(found)).toEqual(expected);
          expect(found.edges).toEqual(expected.map((id) => ({ cursor: cursors[ids.indexOf(id)], node: { id } })));
          const isCut = expected.length < within.length;
          expect(found.pageInfo).toEqual({
            hasNextPage: reads ? before !== undefined : isCut,
            hasPreviousPage: reads ? isCut : after !== undefined,
            startCursor: found.edges[0]?.cursor ?? null,
            endCursor: found.edges.at(-1)?.cursor ?? null,
          });
          expect(found.totalCount).toBe(ids.length);
        }),
        { numRuns: 40 },
      );
    },
  );
});

it('the list of the variants of a product has the order of their connection (D9)', async () => {
  const { data } = await ask<{ product: { variants: Row[] } }>(`{ product(id: "${product}") { variants { id } } }`);
  expect(data.product.variants.map(({ id }) => id)).toEqual(idsOf(await page('variantConnection', '', {})));
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
    ['products', 'q=', 'filter: { createdAt: { from: null }, tagsAll: [], search: " " }'],
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
    for (const size of ['first: -1', 'last: -1', 'first: 201', 'last: 201'])
      expect(await refusal(`${field}(${size})`)).toBe(
        size.replace(' ', ' expected an integer from 0 to 200, got ') + '.',
      );
  });

  it("cursors of another list, order, direction or filter, and text that is not a cursor: all with one message after the argument's name (D10)", async () => {
    const cursor = await cursorOf('products');
    const tampered = cursor.slice(0, -1) + (cursor.endsWith('A') ? 'B' : 'A');
    const others = [
      `products(after: "${await cursorOf('collections')}")`,
      `products(after: "${await cursorOf('orders')}")`,
      `products(after: "${await cursorOf('variantConnection')}")`,
      `collections(after: "${cursor}")`,
      `orders(after: "${cursor}")`,
      `products(sortKey: PRICE, after: "${cursor}")`,
      `orders(sortKey: TOTAL_PRICE, after: "${await cursorOf('orders')}")`,
      `products(reverse: true, after: "${cursor}")`,
      `collections(reverse: true, after: "${await cursorOf('collections')}")`,
      `products(filter: { vendor: "x" }, after: "${cursor}")`,
      `products(filter: { tagsAny: [] }, after: "${cursor}")`,
      `products(after: "${await cursorOf('products', 'filter: { status: ACTIVE }')}")`,
      `products(after: "${tampered}")`,
      `products(after: "")`,
      `products(after: "x")`,
      `products(after: "${cursor}=")`,
      `products(after: " ${cursor}")`,
      `products(after: "\\u0000")`,
    ];
    const messages = await Promise.all(others.map(refusal));
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
});
