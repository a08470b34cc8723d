import { buildSchema, parse, validate } from 'graphql';
import { json, startPlatform, type PlatformAnswer, type PlatformServer, type Seen } from './platform-server';

export const shopifyToken = 'shpat_0123';

/** Results of bulk operations by what they request, one object per line. */
export interface ShopifyShop {
  readonly results: Record<string, string>;
  /** Whether another operation of the app is in the way; each attempt to start one counts it down. */
  busy: number;
  /** How many requests find the rate limit used up. The last but one has an internal error instead. */
  throttled: number;
  /** The final status of each operation; COMPLETED by default. */
  endings: { readonly status: string; readonly errorCode?: string }[];
  /** Whether the next result is gone. */
  lost: number;
  readonly started: string[];
}

export const newShopifyShop = (results: Record<string, string> = {}): ShopifyShop => ({
  results,
  busy: 0,
  throttled: 0,
  endings: [],
  lost: 0,
  started: [],
});

/** As much of Shopify's schema as the queries use: any other member is an error, as on Shopify. */
const schema = buildSchema(`
  scalar DateTime scalar Decimal scalar Money scalar UnsignedInt64
  type Query {
    products(query: String): ProductConnection!
    collections(query: String): CollectionConnection!
    orders(query: String): OrderConnection!
  }
  type ProductConnection { edges: [ProductEdge!]! }
  type ProductEdge { node: Product! }
  type CollectionConnection { edges: [CollectionEdge!]! }
  type CollectionEdge { node: Collection! }
  type OrderConnection { edges: [OrderEdge!]! }
  type OrderEdge { node: Order! }
  type VariantConnection { edges: [VariantEdge!]! }
  type VariantEdge { node: ProductVariant! }
  type Seo { title: String description: String }
  type Image { url: String! altText: String }
  type MediaPreview { image: Image }
  interface Media { id: ID! preview: MediaPreview }
  type MediaImage implements Media { id: ID! preview: MediaPreview image: Image }
  type MediaConnection { edges: [MediaEdge!]! }
  type MediaEdge { node: Media! }
  type Product {
    id: ID! title: String! handle: String! status: String! vendor: String! productType: String! tags: [String!]!
    descriptionHtml: String! seo: Seo! featuredMedia: Media publishedAt: DateTime createdAt: DateTime! updatedAt: DateTime!
    variants: VariantConnection! media: MediaConnection! collections: CollectionConnection! onlineStoreUrl: String
  }
  type SelectedOption { name: String! value: String! }
  type MoneyV2 { amount: Decimal! currencyCode: String! }
  type MoneyBag { shopMoney: MoneyV2! }
  type Weight { value: Float! unit: String! }
  type InventoryItemMeasurement { weight: Weight }
  type InventoryItem { tracked: Boolean! unitCost: MoneyV2 measurement: InventoryItemMeasurement! }
  type ProductVariant {
    id: ID! title: String! sku: String barcode: String price: Money! compareAtPrice: Money inventoryQuantity: Int position: Int!
    selectedOptions: [SelectedOption!]! image: Image inventoryItem: InventoryItem! createdAt: DateTime! updatedAt: DateTime!
  }
  type Count { count: Int! }
  enum ProductCollectionSortKeys { BEST_SELLING COLLECTION_DEFAULT CREATED ID MANUAL PRICE RELEVANCE TITLE }
  type CollectionRuleSet { appliedDisjunctively: Boolean! }
  type Collection {
    id: ID! title: String! handle: String! descriptionHtml: String! updatedAt: DateTime! seo: Seo! image: Image
    productsCount: Count ruleSet: CollectionRuleSet
    products(sortKey: ProductCollectionSortKeys = COLLECTION_DEFAULT): ProductConnection!
  }
  type LineItem {
    id: ID! name: String! sku: String quantity: Int! originalUnitPriceSet: MoneyBag! discountedTotalSet: MoneyBag!
    product: Product variant: ProductVariant
  }
  type LineItemEdge { node: LineItem! }
  type LineItemConnection { edges: [LineItemEdge!]! }
  type Address { firstName: String lastName: String }
  type Order {
    id: ID! name: String! currencyCode: String! totalPriceSet: MoneyBag! subtotalPriceSet: MoneyBag totalTaxSet: MoneyBag
    totalShippingPriceSet: MoneyBag! displayFinancialStatus: String displayFulfillmentStatus: String!
    lineItems: LineItemConnection! tags: [String!]! billingAddress: Address shippingAddress: Address
    createdAt: DateTime! updatedAt: DateTime!
  }
`);

interface GraphqlRequest {
  readonly query: string;
  readonly variables: { readonly query?: string; readonly id?: string };
}

function answer(shop: ShopifyShop, { method, url, headers, body }: Seen): PlatformAnswer {
  if (url.pathname.startsWith('/results/')) return resultOf(shop, url, headers);
  if (url.pathname === '/admin/oauth/access_token') {
    const { client_secret: secret } = JSON.parse(body) as { client_secret?: string };
    if (secret !== 'shpss_0123') {
      return { status: 400, body: JSON.stringify({ error: 'invalid_client', error_description: 'Client authentication failed' }) }; // prettier-ignore
    }
    return json({ access_token: shopifyToken, scope: 'read_products', expires_in: 86_399 });
  }
  if (method !== 'POST' || !/^\/admin\/api\/20\d\d-(01|04|07|10)\/graphql\.json$/.test(url.pathname)) {
    return { status: 404, body: '{"errors":"Not Found"}' };
  }
  if (headers['x-shopify-access-token'] !== shopifyToken) {
    return { status: 401, body: '{"errors":"[API] Invalid API key or access token"}' };
  }
  if (shop.throttled > 0) {
    shop.throttled -= 1;
    if (shop.throttled === 1)
      return json({ errors: [{ message: 'Internal error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] });
    return json({
      errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
      extensions: { cost: { requestedQueryCost: 110, throttleStatus: { currentlyAvailable: 10, restoreRate: 50 } } },
    });
  }
  const { query, variables } = JSON.parse(body) as GraphqlRequest;
  return json({ data: query.startsWith('mutation') ? start(shop, variables) : poll(shop, variables, url) });
}

function start(shop: ShopifyShop, { query = '' }: GraphqlRequest['variables']): object {
  const refuse = (message: string, code: string): object => ({
    bulkOperationRunQuery: { bulkOperation: null, userErrors: [{ message, code }] },
  });
  if (shop.busy > 0) {
    shop.busy -= 1;
    return refuse('A bulk query operation for this app and shop is already in progress.', 'OPERATION_IN_PROGRESS');
  }
  const faults = validate(schema, parse(query));
  if (faults.length > 0) return refuse(faults.map(({ message }) => message).join('; '), 'INVALID');
  shop.started.push(query);
  return {
    bulkOperationRunQuery: { bulkOperation: { id: `gid://shopify/BulkOperation/${shop.started.length}`, status: 'CREATED' }, userErrors: [] }, // prettier-ignore
  };
}

/** How often each operation was polled. An operation runs until it has been polled once. */
const asked = new WeakMap<ShopifyShop, Map<number, number>>();

function poll(shop: ShopifyShop, { id = '' }: GraphqlRequest['variables'], { origin }: URL): object {
  const number = Number(id.split('/').at(-1));
  const query = shop.started[number - 1];
  if (query === undefined) return { node: null };
  const counts = asked.get(shop) ?? new Map<number, number>();
  asked.set(shop, counts.set(number, (counts.get(number) ?? 0) + 1));
  const ending = shop.endings[number - 1] ?? { status: 'COMPLETED' };
  if (counts.get(number) === 1)
    return { node: { id, status: 'RUNNING', errorCode: null, objectCount: '1', url: null } };
  const result = shop.results[typeOf(query)] ?? '';
  const isThere = ending.status === 'COMPLETED' && result !== '';
  return {
    node: {
      id,
      errorCode: null,
      ...ending,
      objectCount: String(result.split('\n').length - 1),
      fileSize: isThere ? String(Buffer.byteLength(result)) : null,
      url: isThere ? `${origin}/results/${number}?signature=secret` : null,
    },
  };
}

const typeOf = (query: string): string => /products|collections|orders/.exec(query)?.[0] ?? '';

/** A signed storage URL: it takes no credential and supports resuming. */
function resultOf(shop: ShopifyShop, url: URL, headers: Seen['headers']): PlatformAnswer {
  if (headers['x-shopify-access-token'] !== undefined) return { status: 400, body: 'a credential has leaked' };
  if (shop.lost > 0) {
    shop.lost -= 1;
    return { status: 403, body: '<Error><Code>ExpiredToken</Code></Error>' };
  }
  const text = Buffer.from(shop.results[typeOf(shop.started[Number(url.pathname.split('/').at(-1)) - 1] ?? '')] ?? '');
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? '0');
  const isPart = from > 0 && headers['if-range'] === '"1"';
  return {
    status: isPart ? 206 : 200,
    headers: { ETag: '"1"', ...(isPart && { 'Content-Range': `bytes ${from}-${text.length - 1}/${text.length}` }) },
    body: (isPart ? text.subarray(from) : text).toString('utf8'),
  };
}

export const startShopify = (shop: ShopifyShop): Promise<PlatformServer> => startPlatform((seen) => answer(shop, seen));
