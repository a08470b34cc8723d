import type { Sql } from '../../database/sql';
import { rawSql, sql } from '../../database/sql';
import { streamSnapshot, toUuidLiteral } from '../../database/snapshot-stream';
import { ApiError } from '../../errors/api-error';
import { enterInTime, FairQueue, yieldToLoop } from '../../common/fair-queue';
import { dataVersionOf, isSeen, ofShop } from './page-statement';
import type { ProductAddress } from './product-json';
import { shopTables } from './shop-tables';

/**
 * A product that, with its variants, is larger than a response may be; it is read from one snapshot while it is sent.
 */
export interface LargeProduct {
  readonly dataVersion: string;
  /** The length of all chunks. */
  readonly bytes: number;
  /**
   * The product with its variants as JSON in UTF-8. When they have been read, or canceled, the database connection is
   * closed.
   */
  readonly chunks: AsyncIterable<Buffer>;
  /** Must be called when the chunks are not read to their end. */
  cancel(): void;
}

/** Each read holds a database connection. Shared by the whole process, like its connections. */
const reads = new FairQueue({ slots: 4, slotsPerQueue: 2, reservedSlots: 0, size: Infinity });
/** Requests end soon after (REQUEST_TIMEOUT_MS). */
const patienceMilliseconds = 1_000;

/** Bounds how long VACUUM keeps old rows for it. */
const timeoutMilliseconds = 10 * 60_000;
const connectionTimeoutMilliseconds = 10_000;

/**
 * Reads a product of any size in chunks. Pages of variants could come from different versions of the shop's data, so
 * one COPY reads them (docs/decisions.md 41). Its connection is kept until the chunks are read.
 * @returns null when the shop shows no product with this id
 * @throws ApiError SERVICE_UNAVAILABLE when no connection is free for it in time
 */
export async function openLargeProduct(url: string, address: ProductAddress): Promise<LargeProduct | null> {
  const ended = new AbortController();
  const read = readInChunks(url, address, ended.signal);
  const first = await read.next();
  if (first.done === true) return null;
  const [dataVersion, bytes, json] = JSON.parse(first.value.toString()) as [string, number, string];
  const [start, end] = [Buffer.from(`${json.slice(0, -1)},"variants":[`), Buffer.from(']}')];
  async function* chunks(): AsyncGenerator<Buffer, void, void> {
    yield start;
    yield* read;
    yield end;
  }
  return {
    dataVersion,
    bytes: start.length + bytes + end.length,
    chunks: chunks(),
    cancel() {
      ended.abort(new Error('The product is not read any further.'));
      read.return().catch(() => undefined);
    },
  };
}

/** First the product's own members, then its variants, separated by commas, one per line. */
async function* readInChunks(
  url: string,
  { shopId, id }: ProductAddress,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const statements = toStatements(shopId, id);
  const tables = ['shops', 'products', 'variants'];
  const options = { url, shopId, tables, signal, timeoutMilliseconds, connectionTimeoutMilliseconds };
  const leave = await enterInTime(reads, shopId, {
    milliseconds: patienceMilliseconds,
    signal,
    createError: () =>
      new ApiError('SERVICE_UNAVAILABLE', 'Too many large products are being read. Try again in a moment.'),
  });
  try {
    yield* streamSnapshot({ ...options, applicationName: 'catalog product' }, async function* (snapshot) {
      const product = await snapshot.readValue(statements.product);
      if (product === null) return;
      yield Buffer.from(product);
      for await (const chunk of snapshot.copyOut(statements.variants)) {
        await yieldToLoop(shopId);
        yield chunk;
      }
    });
  } finally {
    leave();
  }
}

const [productJson, variantJson] = [rawSql(shopTables.products.restJson), rawSql(shopTables.variants.restJson)];

function toStatements(shopId: string, id: string): { readonly product: Sql; readonly variants: Sql } {
  const [shop, product] = [toUuidLiteral(shopId), toUuidLiteral(id)];
  const variants = sql`variants AS item WHERE ${ofShop('variants', shop)} AND item.product_id = ${product}`;
  return {
    // Each variant has a comma or, the first, none, and a line break.
    product: sql`
      SELECT json_build_array(${dataVersionOf(shop)}, v.bytes, ${productJson})::text
        FROM products AS item
       CROSS JOIN (SELECT coalesce(sum(octet_length(${variantJson}) + 2) - 1, 0) AS bytes FROM ${variants}) AS v
       WHERE ${isSeen('products', shop)} AND item.id = ${product}`,
    variants: sql`
      SELECT CASE WHEN row_number() OVER (ORDER BY item.position, item.id) > 1 THEN ',' ELSE '' END || ${variantJson}
        FROM ${variants} ORDER BY item.position, item.id`,
  };
}

/**
 * Placeholder for the product in the text of the response. JSON text never contains it, because it escapes control
 * characters.
 */
export const placeOfProduct = '\x1e';

/**
 * Where a resolver leaves a product that is too large for a response and is therefore streamed (docs/decisions.md 41).
 * A response can have one such product: a second one ends the operation.
 */
export interface ProductPlace {
  product?: LargeProduct;
}
