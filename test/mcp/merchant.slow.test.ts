import { askGraphql } from '../support/graphql-client';
import { seedApiKey, seedShop } from '../support/seed';
import type { Service } from '../support/service';
import { startService } from '../support/service';
import { collections, orders, pageUrl, pictureUrl, productOfSku, products, seedMerchant } from './merchant-shop';
import type { Item, Tools } from './questions';
import { connectTools } from './tools-client';

type Variables = Readonly<Record<string, unknown>>;

/** One question, answered once with GraphQL and once with tools. Both must match the answer from the plain values. */
interface Question {
  readonly query: string;
  /** What a caller has looked up before: the ids of collections by title and of products by handle. */
  readonly variables?: (idOf: (name: string) => string) => Variables;
  /** From GraphQL responses. */
  readonly pick: (data: never) => unknown;
  readonly tools: (tools: Tools) => Promise<unknown>;
  readonly answer: unknown;
}

const live = products.filter(({ isDeleted }) => isDeleted !== true);
const stockOf = ({ variants }: (typeof products)[number]) => variants.reduce((sum, { stock }) => sum + stock, 0);
const titlesOf = (of: readonly { readonly title: string }[]) => of.map(({ title }) => title);
const product = (id: string) => products.find((each) => each.id === id) as (typeof products)[number];
const membersOf = (collection: string) =>
  live
    .filter(({ places }) => collection in places)
    .toSorted((a, b) => (a.places[collection] ?? Infinity) - (b.places[collection] ?? Infinity));

const november = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' };
const isIn = (at: string) => Date.parse(at) >= Date.parse(november.from) && Date.parse(at) < Date.parse(november.to);

/** Units and revenue of November by product, in cents, so that sums are exact. */
function sales(currency: string) {
  const sums = new Map<string, { title: string; units: number; cents: number }>();
  for (const { sku, quantity, total } of orders
    .filter((order) => order.currency === currency && isIn(order.at))
    .flatMap(({ lines }) => lines)) {
    const { id, title } = productOfSku(sku);
    const sum = sums.get(id) ?? { title, units: 0, cents: 0 };
    sums.set(id, { title, units: sum.units + quantity, cents: sum.cents + Number(total.replace('.', '')) });
  }
  return [...sums.values()];
}
const byUnits = (currency: string) =>
  sales(currency)
    .toSorted((a, b) => b.units - a.units)
    .map(({ title, units }) => [title, units]);
const byRevenue = (currency: string) =>
  sales(currency)
    .toSorted((a, b) => b.cents - a.cents)
    .map(({ title, cents }) => [title, (cents / 100).toFixed(2)]);

const collectionId = async (tools: Tools, title: string) =>
  (await tools.list('list_collections', { fields: ['id', 'title'] })).find((each) => each['title'] === title)?.['id'];
const productId = async (tools: Tools, q: string) =>
  (await tools.list('list_products', { q, fields: ['id'] }))[0]?.['id'];
const toolTitles = (items: readonly Item[]) => items.map(({ title }) => title);
const ofCollection = async (tools: Tools, title: string, given: Item = {}) =>
  toolTitles(
    await tools.list('list_products', { collection_id: await collectionId(tools, title), fields: ['title'], ...given }),
  ).sort();
const found = (search: string) => async (tools: Tools) =>
  toolTitles(await tools.list('list_products', { search, fields: ['title'] }));
const linesOf = async (tools: Tools, given: Item) =>
  (await tools.list('list_orders', { ...given, fields: ['order_number', 'line_items'] })) as readonly {
    readonly order_number: string;
    readonly line_items: readonly { readonly sku: string; readonly title: string; readonly quantity: number }[];
  }[];
const bestSellers = async (tools: Tools, given: Item) =>
  (
    (await tools.ask('get_order_figures', { ...november, best_sellers: 10, ...given })) as {
      best_sellers: readonly { title: string; units: number; revenue: string }[];
    }
  ).best_sellers;

interface Nodes<Node> {
  readonly nodes: readonly Node[];
}
interface Titled {
  readonly title: string;
}
const titlesOfProducts = ({ products: { nodes } }: { products: Nodes<Titled> }) => titlesOf(nodes);
const sortedTitles = (data: { products: Nodes<Titled> }) => titlesOfProducts(data).sort();
interface Sales extends Titled {
  readonly units: number;
  readonly revenue: string;
}
const soldUnits = (all: readonly Sales[]) => all.map(({ title, units }) => [title, units]);
const soldRevenue = (all: readonly Sales[]) => all.map(({ title, revenue }) => [title, revenue]);

const searchQuery =
  'query ($search: String) { products(filter: { search: $search }, sortKey: RELEVANCE, reverse: false) { nodes { title } } }';
const searches = (search: string, answer: readonly string[]): Question => ({
  query: searchQuery,
  variables: () => ({ search }),
  pick: titlesOfProducts,
  tools: found(search),
  answer: titlesOf(answer.map(product)),
});

const bestQuery = (filter: string, more = '') =>
  `query ($range: DateTimeRange) { orderFigures(range: $range, filter: { ${filter} }) { products(first: 10${more}) { title units revenue } } }`;
const inNovember = () => ({ range: november });

const questions: Readonly<Record<string, Question>> = {
  'Which products are in Summer, in its order?': {
    query: 'query ($summer: ID!) { collection(id: $summer) { products { nodes { title } } } }',
    variables: (idOf) => ({ summer: idOf('Summer') }),
    pick: ({ collection }: { collection: { products: Nodes<Titled> } }) => titlesOf(collection.products.nodes),
    tools: async (tools) => {
      const [summer] = (await tools.list('list_collections')).filter(({ title }) => title === 'Summer');
      const given = { collection_id: summer?.['id'], fields: ['title', 'memberships'] };
      const members = (await tools.list('list_products', given)) as unknown as readonly (Titled & {
        memberships: readonly { collection_external_id: string; position: number | null }[];
      })[];
      const placeOf = ({ memberships }: (typeof members)[number]) =>
        memberships.find(({ collection_external_id: id }) => id === summer?.['external_id'])?.position ?? Infinity;
      return titlesOf(members.toSorted((a, b) => placeOf(a) - placeOf(b)));
    },
    answer: titlesOf(membersOf('summer')),
  },
  'Which products of Summer are out of stock?': {
    query:
      'query ($summer: ID!) { products(filter: { collectionIdIn: [$summer], totalStock: { max: 0 } }) { nodes { title } } }',
    variables: (idOf) => ({ summer: idOf('Summer') }),
    pick: sortedTitles,
    tools: (tools) => ofCollection(tools, 'Summer', { max_stock: 0 }),
    answer: titlesOf(membersOf('summer').filter((each) => stockOf(each) <= 0)).sort(),
  },
  'How many products are in each collection?': {
    query: '{ collections { nodes { title products(first: 0) { totalCount } } } }',
    pick: ({ collections: all }: { collections: Nodes<Titled & { products: { totalCount: number } }> }) =>
      all.nodes.map(({ title, products: { totalCount } }) => [title, totalCount]),
    tools: async (tools) =>
      Promise.all(collections.map(async ({ title }) => [title, (await ofCollection(tools, title)).length])),
    answer: collections.map(({ id, title }) => [title, membersOf(id).length]),
  },
  'Which collections hold this mug?': {
    query: '{ product(handle: "mug") { collections { title } } }',
    pick: ({ product: { collections: of } }: { product: { collections: readonly Titled[] } }) => titlesOf(of).sort(),
    tools: async (tools) => {
      const mug = (await tools.ask('get_product', { product_id: await productId(tools, 'möwe') })) as {
        collections: readonly Titled[];
      };
      return titlesOf(mug.collections).sort();
    },
    answer: titlesOf(collections.filter(({ id }) => id in product('mug').places)).sort(),
  },
  'Which products of Sol are in Kitchen & Table or Summer?': {
    query: 'query ($both: [ID!]) { products(filter: { collectionIdIn: $both, vendor: "Sol" }) { nodes { title } } }',
    variables: (idOf) => ({ both: [idOf('Summer'), idOf('Kitchen & Table')] }),
    pick: sortedTitles,
    tools: async (tools) => [
      ...new Set([
        ...(await ofCollection(tools, 'Summer', { vendor: 'Sol' })),
        ...(await ofCollection(tools, 'Kitchen & Table', { vendor: 'Sol' })),
      ]),
    ],
    answer: titlesOf(
      live.filter(({ vendor, places }) => vendor === 'Sol' && ('summer' in places || 'kitchen' in places)),
    ).sort(),
  },
  'What did order #1010 hold?': {
    query: '{ orders(filter: { orderNumberIn: ["#1010"] }) { nodes { lineItems { title sku quantity total } } } }',
    pick: ({ orders: { nodes } }: { orders: Nodes<{ lineItems: readonly object[] }> }) => nodes[0]?.lineItems,
    tools: async (tools) =>
      (await linesOf(tools, { order_number: '#1010' }))[0]?.line_items.map((each) => ({
        ...each,
        unit_price: undefined,
      })),
    answer: orders
      .find(({ number }) => number === '#1010')
      ?.lines.map(({ sku, quantity, total }) => ({ title: productOfSku(sku).title, sku, quantity, total })),
  },
  'In which collections are the products of order #1012?': {
    query:
      '{ orders(filter: { orderNumberIn: ["#1012"] }) { nodes { lineItems { product { collections { title } } } } } }',
    pick: ({
      orders: { nodes },
    }: {
      orders: Nodes<{ lineItems: readonly { product: { collections: readonly Titled[] } | null }[] }>;
    }) => nodes[0]?.lineItems.flatMap(({ product: of }) => titlesOf(of?.collections ?? [])),
    tools: async (tools) => {
      const lines = (await linesOf(tools, { order_number: '#1012' }))[0]?.line_items ?? [];
      const all = await tools.list('list_products', { fields: ['title', 'collections'] });
      return lines.flatMap(({ title }) =>
        titlesOf((all.find((each) => each['title'] === title)?.['collections'] ?? []) as readonly Titled[]),
      );
    },
    answer: ['Summer'],
  },
  'Which orders hold the white mug?': {
    query: '{ orders(filter: { skuIn: ["MUG-W"] }) { nodes { orderNumber } } }',
    pick: ({ orders: { nodes } }: { orders: Nodes<{ orderNumber: string }> }) =>
      nodes.map(({ orderNumber }) => orderNumber),
    tools: async (tools) => (await linesOf(tools, { sku: 'MUG-W' })).map(({ order_number: number }) => number),
    answer: orders.filter(({ lines }) => lines.some(({ sku }) => sku === 'MUG-W')).map(({ number }) => number),
  },
  'What are the ten best sellers of November in EUR?': {
    query: bestQuery('currency: "EUR"'),
    variables: inNovember,
    pick: ({ orderFigures }: { orderFigures: { products: readonly Sales[] } }) => soldUnits(orderFigures.products),
    tools: async (tools) => soldUnits(await bestSellers(tools, { currency: 'EUR' })),
    answer: byUnits('EUR'),
  },
  'What brought most money in November in EUR?': {
    query: bestQuery('currency: "EUR"', ', sortKey: REVENUE'),
    variables: inNovember,
    pick: ({ orderFigures }: { orderFigures: { products: readonly Sales[] } }) => soldRevenue(orderFigures.products),
    tools: async (tools) => soldRevenue(await bestSellers(tools, { currency: 'EUR', best_sellers_by: 'REVENUE' })),
    answer: byRevenue('EUR'),
  },
  'Which best sellers are no longer sold?': {
    query: 'query ($range: DateTimeRange) { orderFigures(range: $range) { products { title product { id } } } }',
    variables: inNovember,
    pick: ({ orderFigures }: { orderFigures: { products: readonly (Titled & { product: object | null })[] } }) =>
      titlesOf(orderFigures.products.filter((each) => each.product === null)),
    tools: async (tools) => {
      const all = toolTitles(await tools.list('list_products', { fields: ['title'] }));
      return titlesOf(await bestSellers(tools, {})).filter((title) => !all.includes(title));
    },
    answer: ['Parasol'],
  },
  'Which pictures lack an alternative text?': {
    query: '{ products { nodes { images { url altText } } } }',
    pick: ({
      products: { nodes },
    }: {
      products: Nodes<{ images: readonly { url: string; altText: string | null }[] }>;
    }) => nodes.flatMap(({ images }) => images.filter(({ altText }) => altText === null).map(({ url }) => url)),
    tools: async (tools) =>
      (
        (await tools.list('list_products', { fields: ['images'] })) as unknown as readonly {
          images: readonly { url: string; alt_text: string | null }[];
        }[]
      ).flatMap(({ images }) => images.filter((each) => each.alt_text === null).map(({ url }) => url)),
    answer: live.flatMap(({ pictures }) =>
      pictures.filter(([, alt]) => alt === null).map(([file]) => pictureUrl(file)),
    ),
  },
  'Where can customers buy the teapot?': {
    query: '{ product(handle: "pot") { url } }',
    pick: ({ product: { url } }: { product: { url: string } }) => url,
    tools: async (tools) => (await tools.list('list_products', { search: 'teapot', fields: ['url'] }))[0]?.['url'],
    answer: pageUrl('pot'),
  },
  'Find “tea pot”': searches('tea pot', ['pot']),
  'Find “mowe” without the accent': searches('mowe', ['mug']),
  'Find “mug enamel” in any order': searches('mug enamel', ['mug']),
  'Find “mug”: the title before the tag': searches('mug', ['mug', 'strainer']),
  'Find what begins with “te”': searches('te', ['strainer', 'pot']),
  'Find “email” of the vendor Émail': searches('EMAIL', ['strainer', 'mug']),
  'Find a product by the SKU on its label': searches('hat-l', ['hat']),
};

let service: Service;
let apiKey: string;
let tools: Awaited<ReturnType<typeof connectTools>>;
const ids = new Map<string, string>();
beforeAll(async () => {
  service = await startService({ rateLimit: 100_000 });
  const shop = await seedShop(service.sql);
  await seedMerchant(service.sql, shop);
  ({ apiKey } = await seedApiKey(service.sql, shop));
  tools = await connectTools(service.origin, apiKey);
  const { data } = await askGraphql<{ collections: Nodes<Titled & { id: string }> }>(
    ...[service.origin, apiKey, '{ collections { nodes { id title } } }'],
  );
  for (const { id, title } of data.collections.nodes) ids.set(title, id);
});
afterAll(async () => {
  await tools.close();
  await service.close();
});

describe.each(Object.entries(questions))('%s', (_, { query, variables, pick, tools: use, answer }) => {
  it('GraphQL answers', async () => {
    const given = variables?.((name) => ids.get(name) ?? '') ?? {};
    const { data, errors } = await askGraphql<never>(service.origin, apiKey, query, given);
    expect(errors).toBeUndefined();
    expect(pick(data)).toEqual(answer);
  });

  it('tools answer', async () => {
    expect(await use(tools)).toEqual(answer);
  });
});
