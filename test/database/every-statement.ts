import type { CollectionFilter, OrderFilter, ProductFilter, VariantFilter } from '../../src/catalog/schema-inputs';
import { createKeyReader } from '../../src/auth/authenticator';
import { positionBehind, positionOfStart } from '../../src/catalog/change/change-position';
import { objectTypes, restForms } from '../../src/catalog/rows/shop-tables';
import { listCollections } from '../../src/catalog/collection/collection';
import { sortKeysByDate as collectionSortKeys } from '../../src/catalog/rows/shop-list';
import { sortKeys as orderSortKeys, listOrders } from '../../src/catalog/order/order';
import { statusLists } from '../../src/catalog/figures/order-sums';
import { readOrderFigures } from '../../src/catalog/figures/order-figures-reader';
import { readPriceBands, readValueCounts } from '../../src/catalog/figures/figures-resolvers';
import { createProductJsonReader } from '../../src/catalog/rows/product-json';
import { listProducts, sortKeys } from '../../src/catalog/product/product';
import type { ShopTableName } from '../../src/catalog/rows/shop-tables';
import type { RowList } from '../../src/catalog/rows/shop-rows';
import { ShopRows } from '../../src/catalog/rows/shop-rows';
import { listVariants, sortKeys as variantSortKeys } from '../../src/catalog/variant/variant';
import { WorkPauses } from '../../src/common/fair-queue';
import type { Database } from '../../src/database/database';
import type { Sql } from '../../src/database/sql';
import type { KeysetRange } from '../../src/relay/connection';
import { toOrdersWithin } from '../../src/catalog/rows/figure-statement';
import conditions from './conditions.json';

/**
 * A condition in SQL, with its name, and whether it is a range or has terms, because only then can it find the matching
 * rows by itself.
 */
export interface Condition<Filter> {
  readonly filter: Filter;
  readonly sql: string;
}

/** A statement that the service can send, and its purpose. */
export interface NamedStatement {
  readonly name: string;
  readonly statement: Sql;
  /** The conditions of a list; none for a lookup. */
  readonly conditions: readonly Condition<object>[];
  readonly kind: 'page' | 'count' | 'look-up' | 'figures';
  readonly table: ShopTableName | 'shops' | 'changes';
  /** Whether one index is enough: no condition, or one whose index is in list order. */
  readonly isScan: boolean;
}

interface Root<Filter extends object> {
  readonly table: ShopTableName;
  readonly orders: readonly string[];
  readonly conditions: readonly Condition<Filter>[];
  readonly combinations: readonly (readonly [Condition<Filter>, Condition<Filter>])[];
  list(rows: ShopRows, filter: Filter, order: string, reverse: boolean): RowList<never>;
  /** A value in the middle of each order. */
  readonly middle: Readonly<Record<string, string>>;
}

const pageSize = 50;
const middleId = '80000000-0000-0000-0000-000000000000';
const everyType = { types: objectTypes, limit: pageSize + 1 };

/**
 * The conditions of a list, with values from seedLargeShop: for each condition, values that match no, few and many
 * rows. Each rare value is combined with each frequent one.
 */
function triedOf<Filter extends object>(
  table: keyof typeof conditions,
): Pick<Root<Filter>, 'conditions' | 'combinations'> {
  const { rare, many } = conditions[table] as { rare: Condition<Filter>[]; many: Condition<Filter>[] };
  const overlaps = (a: object, b: object) => Object.keys(a).some((key) => key in b);
  return {
    conditions: [{ filter: {} as Filter, sql: 'true' }, ...rare, ...many],
    combinations: rare.flatMap((each) =>
      many.filter(({ filter }) => !overlaps(filter, each.filter)).map((other) => [each, other] as const),
    ),
  };
}

const rootOf = <Filter extends object>(
  table: keyof typeof conditions,
  keys: object,
  list: (rows: ShopRows, filter: Filter, given: { sortKey: never; reverse: boolean }) => RowList<unknown>,
  middle: Root<Filter>['middle'],
): Root<Filter> => ({
  table,
  ...triedOf(table),
  orders: Object.keys(keys),
  list: (rows, filter, sortKey, reverse) =>
    list(rows, filter, { sortKey: sortKey as never, reverse }) as RowList<never>,
  middle,
});

const products = rootOf<ProductFilter>('products', sortKeys, listProducts, {
  CREATED_AT: '2020-01-10T00:00:00Z',
  UPDATED_AT: '2021-01-10T00:00:00Z',
  TITLE: 'k',
  PRICE: '120',
  STOCK: '150',
  RELEVANCE: '1 2020-01-10T00:00:00.000Z',
});

const variants = rootOf<VariantFilter>('variants', variantSortKeys, listVariants, {
  ID: middleId,
  UPDATED_AT: '2021-01-10T00:00:00Z',
  PRICE: '120',
  STOCK: '150',
});

const orders = rootOf<OrderFilter>('orders', orderSortKeys, listOrders, {
  CREATED_AT: '2020-01-08T00:00:00Z',
  UPDATED_AT: '2020-01-08T00:00:00Z',
  TOTAL_PRICE: '150',
});

const collections = rootOf<CollectionFilter>('collections', collectionSortKeys, listCollections, {
  CREATED_AT: '2020-01-02T00:00:00Z',
  UPDATED_AT: '2020-01-02T00:00:00Z',
});

/** The members of each list's filter that the conditions above cover. */
export const membersTried: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  [products, variants, orders, collections].map(({ table, conditions }: Pick<Root<object>, 'table' | 'conditions'>) => [
    table,
    new Set(conditions.flatMap(({ filter }) => Object.keys(filter))),
  ]),
);

/** Records statements instead of sending them. */
function createNotebook(): { readonly database: Database; take(): Sql[] } {
  let noted: Sql[] = [];
  const database = {
    readRows: (statement: Sql) => {
      noted.push(statement);
      return Promise.resolve([['1', null]]); // a version, and nothing in it
    },
  } as unknown as Database;
  return {
    database,
    take: () => {
      const taken = noted;
      noted = [];
      return taken;
    },
  };
}

/**
 * Every form of statement that the service sends for a shop: for each root, each condition and each combination of a
 * rare and a common one, in each order and direction, from the start, from the end and from a cursor, as rows and as
 * JSON, and counted; plus the lookups.
 * @param isChosen selects some forms of lists by number, where all would take too long
 */
export async function everyStatement(
  shopId: string,
  productIds: readonly string[],
  isChosen: (form: number) => boolean,
): Promise<NamedStatement[]> {
  const notebook = createNotebook();
  const { database } = notebook;
  const readProduct = createProductJsonReader(database);
  const createRows = () => new ShopRows({ database, readProduct }, { shopId, dataVersion: '1' });
  const rows = createRows();
  const turns = new WorkPauses(shopId);
  const found: NamedStatement[] = [];
  let form = 0;

  async function addLists<Filter extends object>(root: Root<Filter>): Promise<void> {
    const asked = [...root.conditions.map((each) => [each]), ...root.combinations];
    for (const conditions of asked) {
      const filter = Object.assign({}, ...conditions.map((each) => each.filter)) as Filter;
      for (const order of root.orders) {
        if (order === 'RELEVANCE' && !('search' in filter)) continue;
        for (const reverse of [false, true]) {
          for (const { backwards, after, before } of [
            { backwards: false },
            { backwards: true },
            { backwards: false, after: [root.middle[order] as string, middleId] },
            { backwards: true, before: [root.middle[order] as string, middleId] },
          ] as Partial<KeysetRange>[]) {
            form += 1;
            if (!isChosen(form)) continue;
            const list = root.list(rows, filter, order, reverse);
            const range = { backwards, after, before, limit: pageSize + 1 } as KeysetRange;
            const shown: Promise<unknown>[] = [list.read(range), list.raw(restForms[root.table]).read(range)];
            if (form % 3 === 0) shown.push(list.raw([{ name: 'id', member: 'id' }]).read(range));
            if (form % 3 === 1) shown.push(list.hasAny(range));
            await Promise.all(shown);
            const name = `${root.table} ${JSON.stringify({ filter, order, reverse, ...range })}`;
            const statements = notebook.take();
            // Rows and JSON are two forms of the same rows, so they alternate.
            const statement = statements[form % statements.length];
            const isScan = conditions.length === 1 && isScanned(filter) && order === 'CREATED_AT';
            if (statement) found.push({ name, statement, conditions, kind: 'page', table: root.table, isScan });
          }
        }
      }
      form += 1;
      if (conditions.length === 1 || isChosen(form * 8)) {
        await root.list(rows, filter, root.orders[0] ?? '', false).count();
      }
      for (const statement of notebook.take()) {
        const name = `count of ${root.table} ${JSON.stringify(filter)}`;
        found.push({ name, statement, conditions, kind: 'count', table: root.table, isScan: false });
      }
    }
  }

  await addLists(products);
  await addLists(variants);
  await addLists(orders);
  await addLists(collections);
  const lookUps: readonly (readonly [string, NamedStatement['table'], () => Promise<unknown>])[] = [
    ['products by id', 'products', () => rows.byIds('products', productIds)],
    ['variants by id', 'variants', () => rows.byIds('variants', productIds)],
    ['collections by id', 'collections', () => rows.byIds('collections', productIds)],
    ['orders by id', 'orders', () => rows.byIds('orders', productIds)],
    ['variants of products', 'variants', () => rows.variantsOf(productIds)],
    ...(
      [
        ['', {}],
        [', from the end', { backwards: true }],
        [' from a position', { after: ['2', productIds[0] as string] }],
        [' without a position, from the end', { after: [null, productIds[0] as string], backwards: true }],
      ] as const
    ).map(([which, range]) => {
      const whole: KeysetRange = { after: undefined, before: undefined, limit: 11, backwards: false, ...range };
      const read = () =>
        Promise.all([rows.variantPagesOf(productIds, whole), rows.hasVariants(productIds[0] as string, whole)]);
      return [`pages of variants of products${which}`, 'variants', read] as const;
    }),
    ...(
      [
        ['', {}],
        [', from the end', { backwards: true }],
        [' from a position', { after: ['3', productIds[0] as string] }],
      ] as const
    ).map(([which, range]) => {
      const whole: KeysetRange = { after: undefined, before: undefined, limit: 11, backwards: false, ...range };
      const read = () =>
        Promise.all([rows.memberPagesOf(collectionIds, whole), rows.hasMembers(collectionIds[0], whole)]);
      return [`pages of products of collections${which}`, 'products', read] as const;
    }),
    ['products by external id', 'products', () => rows.byExternalIds('products', ['7', '777', 'none'])],
    ['variants by external id', 'variants', () => rows.byExternalIds('variants', ['7-1', '777-1', 'none'])],
    ['variants by key', 'variants', () => rows.variantsByKeys([`${productIds[0]}7-1`])],
    ['collections by external id', 'collections', () => rows.byExternalIds('collections', ['7', '777', 'none'])],
    ['variants by SKU', 'variants', () => rows.bySkus(['common', 'SKU-17-1', 'none'])],
    ['products with variants', 'products', () => Promise.all(productIds.slice(0, 4).map((id) => rows.rawProduct(id)))],
    ['changes from the start', 'changes', () => rows.feed.changes({ ...everyType, after: positionOfStart }, null)],
    [
      'changes of the end',
      'changes',
      () => rows.feed.changes({ ...everyType, after: positionBehind(shopId, 2n ** 60n) }, shopId),
    ],
    [
      'changes of one type in the middle of a version',
      'changes',
      () =>
        rows.feed.changes(
          {
            types: ['VARIANT'],
            limit: pageSize + 1,
            after: { version: 0n, kind: 2, id: middleId },
          },
          shopId,
        ),
    ],
    ['history', 'changes', () => rows.feed.primaryHistory(shopId)],
    [
      'keys',
      'shops',
      () => {
        const readKey = createKeyReader(database);
        return Promise.all(['other', 'none'].map((clientId) => readKey({ shopId, clientId })));
      },
    ],
  ];
  for (const [name, table, ask] of lookUps) {
    // A recorder returns nothing, which some readers reject.
    await ask().catch(() => undefined);
    for (const statement of notebook.take()) {
      found.push({ name, statement, conditions: [], kind: 'look-up', table, isScan: false });
    }
  }
  const wholeRange = { from: '2019-06-01T00:00:00Z', to: '2020-06-01T00:00:00Z' };
  const day = { from: '2020-01-03T00:00:00Z', to: '2020-01-04T00:00:00Z' };
  const figures = { interval: 'DAY', timeZone: 'Europe/Berlin' } as const;
  const ofFigures: readonly (readonly [string, ShopTableName, (own: ShopRows) => Promise<unknown>, string?])[] = [
    ['first and last order', 'orders', (own) => readOrderFigures(own, figures, turns, statusLists), 'false'],
    ['orders', 'orders', (own) => readOrderFigures(own, { ...figures, range: wholeRange }, turns, [])],
    [
      'orders of a day',
      'orders',
      (own) => readOrderFigures(own, { ...figures, range: day }, turns, []),
      "created_at >= '2020-01-03Z' AND created_at < '2020-01-04Z'",
    ],
    [
      'orders by total',
      'orders',
      (own) =>
        readOrderFigures(own, { ...figures, range: wholeRange, filter: { totalPrice: { min: '1' } } }, turns, []),
    ],
    [
      'orders by status',
      'orders',
      (own) => readOrderFigures(own, { ...figures, range: wholeRange, interval: 'MONTH' }, turns, statusLists),
    ],
    ...(['status', 'vendor', 'product_type', 'tag'] as const).map(
      (trait) => [`products by ${trait}`, 'products', (own: ShopRows) => readValueCounts(own, trait, 10)] as const,
    ),
    ['products by price', 'products', (own) => readPriceBands(own)],
    [
      'products sold on a day',
      'orders',
      (own) =>
        own.figures.sales(toOrdersWithin(Object.values(day)), Object.values(day), [], { first: 10, sortKey: 'UNITS' }),
      "created_at >= '2020-01-03Z' AND created_at < '2020-01-04Z'",
    ],
    ['products out of stock', 'products', (own) => own.figures.productsOutOfStock()],
  ];
  for (const [name, table, ask, sql = 'true'] of ofFigures) {
    // Once too many rows have been counted, further figures of the same rows are refused, so each figure gets its own.
    await ask(createRows()).catch(() => undefined);
    const statements = notebook.take();
    if (statements.length === 0) throw new Error(`no statement was sent for figures of ${name}`);
    for (const statement of statements) {
      const conditions = [{ filter: {}, sql }];
      found.push({ name: `figures of ${name}`, statement, conditions, kind: 'figures', table, isScan: false });
    }
  }
  return found;
}

/** Of the large shop: one collection with every second product, and one with twenty. */
const collectionIds = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000017'] as const;

/** The filters with an index in order of creation: one condition, or none. */
const isScanned = (filter: object): boolean =>
  Object.keys(filter).every((name) =>
    [
      'tag',
      'vendor',
      'productType',
      'status',
      'published',
      'financialStatus',
      'fulfillmentStatus',
      'createdAt',
    ].includes(name),
  );
