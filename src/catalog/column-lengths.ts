import { maximumAnswerBytes } from './answer-size';

/**
 * The maximum lengths of the columns of a shop's objects, in bytes of UTF-8: far beyond what shops have, and small enough that a row fits
 * in an answer (docs/decisions.md 42). prisma/migrations/20261122000000_column_lengths enforces them for every writer.
 */

const kibibyte = 1024;

/**
 * The maximum size of a row as JSON text, in which some characters take more bytes than in a column. Two fit in one answer: a page of one
 * row reads a second, to determine whether there is one.
 */
export const maximumRowBytes = maximumAnswerBytes / 2;

/** Indexed columns: an entry of a B-tree must fit in a third of a page. */
const indexed = 2_000;
const words = 10_000;
const address = 8 * kibibyte;
const longText = 64 * kibibyte;
const document = 1024 * kibibyte;
/** More digits than any amount has. */
const decimal = 1_000;

/** The total number of elements and bytes of a list of texts. */
export const tagLimits = { count: 1_000, bytes: longText } as const;

/** The bytes of `options` as JSON text, as PostgreSQL writes it. */
export const optionsLimit = longText;

export const columnLengths = {
  shops: { name: words, platform: indexed, plan_status: indexed },
  products: {
    external_id: indexed,
    title: words,
    handle: words,
    vendor: indexed,
    product_type: indexed,
    description_html: document,
    seo_title: words,
    seo_description: longText,
    image_url: address,
  },
  variants: {
    external_id: indexed,
    title: words,
    sku: words,
    barcode: words,
    price: decimal,
    compare_at_price: decimal,
    cost_price: decimal,
    weight: decimal,
    weight_unit: indexed,
    image_url: address,
  },
  collections: {
    external_id: indexed,
    title: words,
    handle: words,
    description_html: document,
    collection_type: indexed,
    image_url: address,
    seo_title: words,
    seo_description: longText,
  },
  orders: {
    external_id: indexed,
    order_number: words,
    customer_name: words,
    total_price: decimal,
    subtotal_price: decimal,
    total_tax: decimal,
    total_shipping: decimal,
    financial_status: indexed,
    fulfillment_status: indexed,
  },
} as const;
