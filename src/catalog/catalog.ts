import DataLoader from 'dataloader';
import type { Principal, ShopRecord } from '../auth/principal';
import { WorkPauses } from '../common/fair-queue';
import type { Cancellation } from '../common/cancellation';
import type {
  Connection,
  ConnectionArguments,
  CursorCodec,
  Edge,
  KeysetRange,
  KeysetSection,
  PageInfo,
} from '../relay/connection';
import { connect } from '../relay/connection';
import { OperationMemory, VersionsRead, toPageBytes } from './rows/shop-statements';
import type { ProductPlace } from './rows/large-product';
import { isUuid } from './rows/shop-list';
import type { Projection } from './rows/shop-tables';
import type { RowSource } from './rows/shop-statements';
import type { RowList } from './rows/shop-rows';
import { ShopRows } from './rows/shop-rows';
import type { VariantRow } from './variant/variant';

/** Scheduler of loader batches. */
const afterAll = (pauses: WorkPauses) => ({ batchScheduleFn: (load: () => void) => pauses.afterAll(load) });

/** Loads one object by its id, null when there is none; ids requested in one batch share one statement. */
interface ByIdLoader<Row> {
  load(id: string): Promise<Row | null>;
}

/** @param read Rows among the ids, in any order; it never receives ids that are not UUIDs. */
function createByIdLoader<Row extends { readonly id: string }>(
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
  pauses: WorkPauses,
): ByIdLoader<Row> {
  const loader = new DataLoader<string, Row | null>(async (ids) => {
    const found = new Map((await read(ids)).map((row) => [row.id, row]));
    return ids.map((id) => found.get(id) ?? null);
  }, afterAll(pauses));
  return { load: async (id) => (isUuid(id) ? loader.load(id.toLowerCase()) : null) };
}

/** Loads the variants of many products with one statement. */
const createVariantsOfProductLoader = (rows: ShopRows, pauses: WorkPauses): DataLoader<string, readonly VariantRow[]> =>
  new DataLoader(async (productIds) => {
    const variants = new Map(productIds.map((id) => [id, [] as VariantRow[]]));
    for (const variant of await rows.variantsOf(productIds)) variants.get(variant.productId)?.push(variant);
    return productIds.map((id) => variants.get(id) ?? []);
  }, afterAll(pauses));

interface PageAddress {
  readonly ownerId: string;
  readonly range: KeysetRange;
}

type PageLoader<Row> = DataLoader<PageAddress, KeysetSection<Row>>;

/** Loads the same page of the rows of many owners with one statement. */
export const createPageLoader = <Row>(
  read: (ownerIds: readonly string[], range: KeysetRange) => Promise<ReadonlyMap<string, KeysetSection<Row>>>,
  pauses: WorkPauses,
): PageLoader<Row> =>
  new DataLoader<PageAddress, KeysetSection<Row>, string>(
    async (addresses) => {
      const pages = new Map<PageAddress, KeysetSection<Row>>();
      const ranges = new Map(addresses.map(({ range }) => [JSON.stringify(range), range]));
      for (const [text, range] of ranges) {
        const alike = addresses.filter((address) => JSON.stringify(address.range) === text);
        const ids = alike.map(({ ownerId }) => ownerId);
        const found = await read(ids, range);
        for (const address of alike) pages.set(address, found.get(address.ownerId) as KeysetSection<Row>);
      }
      return addresses.map((address) => pages.get(address) as KeysetSection<Row>);
    },
    {
      cacheKeyFn: ({ ownerId, range }) => `${ownerId} ${JSON.stringify(range)}`,
      ...afterAll(pauses),
    },
  );

/** Loads the objects for each of some external ids or SKUs: none, one, or several variants of one external id. */
const createByTextLoader = <Row>(
  read: (texts: readonly string[]) => Promise<readonly Row[]>,
  textOf: (row: Row) => unknown,
  pauses: WorkPauses,
): DataLoader<string, readonly Row[]> =>
  new DataLoader(async (texts) => {
    const found = new Map(texts.map((text): [unknown, Row[]] => [text, []]));
    for (const row of await read(texts)) found.get(textOf(row))?.push(row);
    return texts.map((text) => found.get(text) ?? []);
  }, afterAll(pauses));

const externalIdOf = ({ externalId }: { readonly externalId: unknown }): unknown => externalId;

/**
 * The context of the resolvers of one operation: the caller, the rows of the caller's shop and the loaders over them.
 * Created for every operation, so that nothing loaded for one is visible to another.
 */
export interface Catalog extends ReturnType<typeof createLoaders> {
  readonly principal: Principal;
  readonly cursors: CursorCodec;
  readonly rows: ShopRows;
  /** The versions of the data that the operation has read so far. */
  readonly versions: VersionsRead;
  /** Work on many objects yields to other operations. */
  readonly pauses: WorkPauses;
  /** Memory of rows read; released when the response is complete. */
  readonly memory: OperationMemory;
  /** Takes a product that is too large for one response; unset where responses cannot be streamed. */
  readonly streamedProduct: ProductPlace | undefined;
  /** The shop's record as read together with the key. */
  readShop(): ShopRecord;
}

/**
 * Everything that one caller can read.
 * @param reads How many fields of the operation read rows (toPageBytes).
 */
export function createCatalog(
  source: RowSource,
  cursors: CursorCodec,
  principal: Principal,
  cancellation?: Cancellation,
  reads = 1,
  streamedProduct?: ProductPlace,
): Catalog {
  const versions = new VersionsRead();
  const pauses = new WorkPauses(principal.shop.id);
  const memory = new OperationMemory(principal.shop.id, (error) => pauses.fail(error));
  const options = { cancellation, versions, pauses, memory, pageBytes: toPageBytes(reads) };
  const rows = new ShopRows(source, { shopId: principal.shop.id, dataVersion: principal.dataVersion }, options);
  const readShop = () => {
    versions.add(principal.dataVersion);
    return principal.shop;
  };
  return {
    principal,
    cursors,
    rows,
    versions,
    pauses,
    memory,
    streamedProduct,
    readShop,
    ...createLoaders(rows, pauses),
  };
}

function createLoaders(rows: ShopRows, pauses: WorkPauses) {
  return {
    products: createByIdLoader((ids) => rows.byIds('products', ids), pauses),
    variants: createByIdLoader((ids) => rows.byIds('variants', ids), pauses),
    variantsOfProduct: createVariantsOfProductLoader(rows, pauses),
    variantPages: createPageLoader((ids, range) => rows.variantPagesOf(ids, range), pauses),
    memberPages: createPageLoader((ids, range) => rows.memberPagesOf(ids, range), pauses),
    byExternalId: {
      products: createByTextLoader((ids) => rows.byExternalIds('products', ids), externalIdOf, pauses),
      variants: createByTextLoader((ids) => rows.byExternalIds('variants', ids), externalIdOf, pauses),
      variantsOfProducts: createByTextLoader(
        (keys) => rows.variantsByKeys(keys),
        ({ productId, externalId }) => `${productId}${externalId}`,
        pauses,
      ),
      collections: createByTextLoader((ids) => rows.byExternalIds('collections', ids), externalIdOf, pauses),
    },
    bySku: createByTextLoader(
      (skus) => rows.bySkus(skus),
      ({ sku }) => sku,
      pauses,
    ),
    collections: createByIdLoader((ids) => rows.byIds('collections', ids), pauses),
    orders: createByIdLoader((ids) => rows.byIds('orders', ids), pauses),
  };
}

/**
 * The text that binds a cursor to its list (D10): the same shop, resource, filters and order yield the same text, in
 * both APIs. A condition that does not restrict is ignored: absent, null, an open range, an empty `query` (D5) or
 * `tagsAll`, or a blank `search`.
 */
export function toBinding(shopId: string, resource: string, filter: object, order: readonly unknown[]): string {
  const conditions = Object.entries(filter)
    .filter(
      ([name, value]) =>
        value != null &&
        JSON.stringify(value, withoutNull) !== '{}' &&
        !(name === 'query' && value === '') &&
        !(name === 'tagsAll' && JSON.stringify(value) === '[]') &&
        !(name === 'search' && String(value).trim() === ''),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([shopId, resource, conditions, ...order], withoutNull);
}

const withoutNull = (_: string, value: unknown): unknown => value ?? undefined;

/** Arguments of a field that lists the objects of the shop. */
interface ListArguments<Filter, SortKey> extends ConnectionArguments {
  /**
   * The projection of the nodes, when they are column-only (passthrough.ts); clients cannot set it.
   */
  readonly projection?: Projection;
  readonly filter?: Filter | null;
  readonly sortKey: SortKey;
  readonly reverse: boolean;
}

/**
 * The resolver of a field that lists the objects of the shop.
 * @param resource The name that binds cursors to the list (see toBinding).
 */
export const listResolver =
  <Filter extends object, SortKey, Row>(
    resource: string,
    list: (rows: ShopRows, filter: Filter, given: ListArguments<Filter, SortKey>) => RowList<Row>,
  ) =>
  (_: unknown, given: ListArguments<Filter, SortKey>, { principal, rows, cursors }: Catalog) => {
    const filter = given.filter ?? ({} as Filter);
    const binding = toBinding(principal.shop.id, resource, filter, [given.sortKey, given.reverse]);
    const found = list(rows, filter, given);
    return given.projection === undefined
      ? connect(found, given, cursors, binding)
      : connect(found.raw(given.projection), given, cursors, binding);
  };

/** Every connection type resolves in the same way: see src/relay/connection.ts. */
const connection = {
  edges: <Item>(page: Connection<Item>) => page.edges(),
  totalCount: (page: Connection<unknown>) => page.totalCount(),
};

const edge = { cursor: (item: Edge<unknown>) => item.cursor() };

export const connectionResolvers = {
  ProductConnection: connection,
  ProductEdge: edge,
  VariantConnection: connection,
  VariantEdge: edge,
  CollectionConnection: connection,
  CollectionEdge: edge,
  OrderConnection: connection,
  OrderEdge: edge,
  PageInfo: {
    hasNextPage: (info: PageInfo) => info.hasNextPage(),
    hasPreviousPage: (info: PageInfo) => info.hasPreviousPage(),
    startCursor: (info: PageInfo) => info.startCursor(),
    endCursor: (info: PageInfo) => info.endCursor(),
  },
};
