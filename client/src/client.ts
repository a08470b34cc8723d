import type { Clock } from './clock.ts';
import { longestDelay, systemClock } from './clock.ts';
import type { CredentialOptions } from './credentials.ts';
import { createCredentials, demand, demandNumber } from './credentials.ts';
import { CatalogError } from './errors.ts';
import type { Fetch, TransportParts } from './exchange.ts';
import type { PrintDocument, RunGraphql } from './graphql.ts';
import { createGraphql } from './graphql.ts';
import type { List, ListOptions } from './list.ts';
import { createList } from './list.ts';
import type { MirrorOptions, MirrorReport } from './mirror.ts';
import { runMirror } from './mirror.ts';
import { createPageCache } from './page-cache.ts';
import { createPace, sharePace } from './pace.ts';
import { createGet } from './rest.ts';
import { createTransport } from './transport.ts';
import type {
  CallOptions,
  Collection,
  CollectionFilters,
  Order,
  OrderFilters,
  Product,
  ProductFilters,
  ProductWithVariants,
  Shop,
} from './types.ts';

export interface CatalogClientOptions {
  /** URL of the service without `/v1`, such as `https://api.catalog.example`. May include a path. */
  readonly origin: string;
  readonly credentials: CredentialOptions;
  /** Timeout of one attempt, including its body, and of `getToken`. Default: 30 s. */
  readonly timeoutMs?: number | undefined;
  /**
   * How long one call, or one page of a list, can wait for the rate limit and for outages. Default: 5 minutes.
   */
  readonly waitBudgetMs?: number | undefined;
  /** Size of the ETag cache for pages, in characters. Default: 32 million. 0 disables it. */
  readonly cacheCharacters?: number | undefined;
  /** `print` from graphql, for parsed documents. */
  readonly print?: PrintDocument | undefined;
  /** Replaces the global fetch. */
  readonly fetch?: Fetch | undefined;
  /** Source of time, for tests. */
  readonly clock?: Clock | undefined;
  /** Returns a number from 0 to below 1. Default: Math.random. */
  readonly random?: (() => number) | undefined;
}

export interface CatalogClient {
  readonly shop: { get(options?: CallOptions): Promise<Shop> };
  readonly products: {
    /** Without variants, oldest first. */
    list(options?: ListOptions & ProductFilters): List<Product>;
    /** Includes its variants. Throws NOT_FOUND. */
    get(id: string, options?: CallOptions): Promise<ProductWithVariants>;
  };
  readonly collections: { list(options?: ListOptions & CollectionFilters): List<Collection> };
  readonly orders: { list(options?: ListOptions & OrderFilters): List<Order> };
  readonly graphql: RunGraphql;
  /** Creates or updates a copy of the shop. */
  mirror(options: MirrorOptions): Promise<MirrorReport>;
}

/** PUBLIC_URL of the service, without a trailing slash. */
function toBase(text: string): string {
  // `localhost:4000` is a URL, too, with the scheme `localhost`.
  if (!/^\s*https?:/i.test(text)) throw new TypeError('origin: expected a URL that starts with https:// or http://.');
  const { origin, pathname } = new URL(text);
  const path = pathname.replace(/\/$/, '');
  if (path.endsWith('/v1')) throw new TypeError('origin: expected a URL without /v1; the client adds it.');
  return `${origin}${path}`;
}

export function createCatalogClient(options: CatalogClientOptions): CatalogClient {
  demand(typeof options.origin === 'string', 'origin', options.origin, 'a URL as a string');
  const origin = toBase(options.origin);
  const { clock = systemClock, random = Math.random } = options;
  const parts: TransportParts = {
    fetch: options.fetch ?? ((url, init) => fetch(url, init)),
    clock,
    random,
    timeoutMs: Math.min(demandNumber('timeoutMs', options.timeoutMs ?? 30_000), longestDelay),
    waitBudgetMs: demandNumber('waitBudgetMs', options.waitBudgetMs ?? 300_000),
  };
  const credentials = createCredentials(options.credentials, origin, parts);
  const { name } = credentials;
  const pace = name === undefined ? createPace(parts) : sharePace(`${origin} ${name}`, parts);
  const transport = createTransport({ ...parts, credentials, pace });
  const cache = createPageCache(demandNumber('cacheCharacters', options.cacheCharacters ?? 32_000_000));
  const get = createGet(`${origin}/v1`, transport, cache);

  const getData = async <Data>(path: string, { signal }: CallOptions = {}): Promise<Data> =>
    (await get<{ readonly data: Data }>(path, {}, signal)).body.data;

  const graphql = createGraphql(origin, transport, options.print);

  return {
    shop: { get: (call) => getData('/shop', call) },
    products: {
      list: (list = {}) => createList(get, '/products', list),
      async get(id, call) {
        // URL parsing would remove such a segment and request another path.
        if (/^\.*$/.test(id)) throw new CatalogError('NOT_FOUND', 'No product has this ID.');
        return getData(`/products/${encodeURIComponent(id)}`, call);
      },
    },
    collections: { list: (list = {}) => createList(get, '/collections', list) },
    orders: { list: (list = {}) => createList(get, '/orders', list) },
    graphql,
    mirror: (mirror) =>
      runMirror(
        { origin, get: createGet(origin, transport, cache), timeoutMs: parts.timeoutMs, transport, sleep: clock.sleep },
        mirror,
      ),
  };
}
