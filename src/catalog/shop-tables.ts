import { Prisma } from '../database/generated/client';
import { orderRedaction } from './order/order-privacy';
import type { Redaction } from './redact-row';

/**
 * The tables that hold a shop's objects. `columns` is what a row becomes, member by member in the names of the GraphQL
 * schema. `exists` and `isVisible` are the conditions under which a row is there at all for a reader: the first is the predicate of
 * every index that lists are read by, the second bounds a list in the order of creation.
 */
export interface ShopTable {
  readonly name: string;
  /** In the GraphQL schema. */
  readonly typename: string;
  readonly columns: Readonly<Record<string, string>>;
  /** A column that holds the row as the REST API shows it (docs/decisions.md 36). */
  readonly restJson?: string;
  readonly redaction?: Redaction;
  readonly exists: Prisma.Sql;
  /**
   * @param position Two columns with the place of the row in that order.
   * @param end A place beyond which the list needs no row either.
   */
  readonly isVisible?: (shop: Prisma.Sql, position: string, end?: Place) => Prisma.Sql;
}

/** A place in the order of creation, in SQL. */
export interface Place {
  readonly at: Prisma.Sql;
  readonly id: Prisma.Sql;
}

/** UTC with milliseconds, made by PostgreSQL so that no time zone of a process can come in between (D23). */
const timestamp = (column: string): string =>
  `to_char(t.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const everyRow = Prisma.sql`true`;

export const shopTables = {
  products: {
    name: 'products',
    typename: 'Product',
    columns: {
      id: 't.id',
      externalId: 't.external_id',
      title: 't.title',
      handle: 't.handle',
      status: 't.status',
      vendor: 't.vendor',
      productType: 't.product_type',
      tags: 't.tags',
      descriptionHtml: 't.description_html',
      seoTitle: 't.seo_title',
      seoDescription: 't.seo_description',
      imageUrl: 't.image_url',
      variantCount: 't.variant_count',
      minPrice: 't.min_price',
      maxPrice: 't.max_price',
      totalStock: 't.total_stock',
      publishedAt: timestamp('published_at'),
      createdAt: timestamp('created_at'),
      updatedAt: timestamp('updated_at'),
    },
    restJson: 't.rest_json',
    exists: Prisma.sql`t.deleted_at IS NULL`,
    // The visible set is a stretch of the list, from its start to a position that the database keeps (D8). Read in the
    // same statement as the rows, so that a page is always of one moment.
    // One comparison for both ends: of two, PostgreSQL begins a walk backwards at the first, and passes over all that lies between them.
    isVisible: (shop, position, end) => {
      const toNearer = (column: string, bound?: Prisma.Sql) =>
        end === undefined || bound === undefined
          ? Prisma.raw(column)
          : Prisma.sql`CASE WHEN (visible_until_at, visible_until_id) < (${end.at}, ${end.id}) THEN ${Prisma.raw(column)} ELSE ${bound} END`;
      return Prisma.sql`(${Prisma.raw(position)}) <= (
      (SELECT ${toNearer('visible_until_at', end?.at)} FROM shops WHERE shop_id = ${shop}),
      (SELECT ${toNearer('visible_until_id', end?.id)} FROM shops WHERE shop_id = ${shop}))`;
    },
  },
  variants: {
    name: 'variants',
    typename: 'Variant',
    columns: {
      id: 't.id',
      productId: 't.product_id',
      externalId: 't.external_id',
      title: 't.title',
      sku: 't.sku',
      barcode: 't.barcode',
      price: 't.price',
      compareAtPrice: 't.compare_at_price',
      costPrice: 't.cost_price',
      inventoryQuantity: 't.inventory_quantity',
      weight: 't.weight',
      weightUnit: 't.weight_unit',
      position: 't.position',
      imageUrl: 't.image_url',
      options: 't.options',
      createdAt: timestamp('created_at'),
      updatedAt: timestamp('updated_at'),
    },
    restJson: 't.rest_json',
    exists: everyRow,
  },
  collections: {
    name: 'collections',
    typename: 'Collection',
    columns: {
      id: 't.id',
      externalId: 't.external_id',
      title: 't.title',
      handle: 't.handle',
      descriptionHtml: 't.description_html',
      published: 't.published',
      collectionType: 't.collection_type',
      productsCount: 't.products_count',
      imageUrl: 't.image_url',
      seoTitle: 't.seo_title',
      seoDescription: 't.seo_description',
      createdAt: timestamp('created_at'),
      updatedAt: timestamp('updated_at'),
    },
    restJson: 't.rest_json',
    exists: everyRow,
  },
  orders: {
    name: 'orders',
    typename: 'Order',
    columns: {
      id: 't.id',
      externalId: 't.external_id',
      orderNumber: 't.order_number',
      customerName: 't.customer_name',
      currency: 't.currency',
      totalPrice: 't.total_price',
      subtotalPrice: 't.subtotal_price',
      totalTax: 't.total_tax',
      totalShipping: 't.total_shipping',
      financialStatus: 't.financial_status',
      fulfillmentStatus: 't.fulfillment_status',
      itemsCount: 't.items_count',
      tags: 't.tags',
      createdAt: timestamp('created_at'),
      updatedAt: timestamp('updated_at'),
    },
    redaction: orderRedaction,
    exists: everyRow,
  },
} as const satisfies Record<string, ShopTable>;

export type ShopTableName = keyof typeof shopTables;
