import { LRUCache } from 'lru-cache';
import { getOrMake } from '../../common/once';
import { createCoalescedRead } from '../../database/bounded-pool';
import type { Database, ShopVersion } from '../../database/database';
import type { Sql } from '../../database/sql';
import { fence, rawSql, sql } from '../../database/sql';
import { maximumAnswerBytes, ProductTooLargeError } from '../answer-size';
import { dataVersionOf, isSeen, ofShop, toSqlLiteral } from './page-statement';
import { shopTables } from './shop-tables';

/** Identifies a product's row. */
export interface ProductAddress extends ShopVersion {
  readonly id: string;
}

/** A product as of one version of its shop's data. */
interface ProductJson {
  readonly dataVersion: string;
  /**
   * The product and then its variants in their order (D9), each as a JSON object in the form of the REST API; empty
   * when the shop shows no product with this id.
   */
  readonly texts: readonly string[];
}

/** Reads a product with its variants as JSON texts. */
export type ProductJsonReader = (address: ProductAddress) => Promise<ProductJson>;

/**
 * The number of shops whose requests share statements; an evicted shop only loses the chance that its next request
 * shares one.
 */
const rememberedShops = 1_000;

/**
 * One statement reads a product with its variants, and concurrent requests for products of a shop share it. Only a few
 * share one, because more are read faster over several connections. Shops never share one: the products of one would
 * wait for the other's (docs/decisions.md 40).
 */
export function createProductJsonReader(database: Database): ProductJsonReader {
  const readsOfShops = new LRUCache<string, ProductJsonReader>({ max: rememberedShops });
  const createRead = () =>
    createCoalescedRead<ProductAddress, ProductJson>({
      readMany: (addresses) => readProducts(database, addresses),
      maximumKeys: 4,
      maximumInFlight: 8,
      maximumDelayMilliseconds: 250,
    });
  return (address) => getOrMake<string, ProductJsonReader>(readsOfShops, address.shopId, createRead)(address);
}

const [product, variant] = [rawSql(shopTables.products.restJson), rawSql(shopTables.variants.restJson)];

/**
 * Reads products of one shop, in the given order. A product that is too large to share a statement is read separately.
 * @throws ProductTooLargeError for a product that is too large on its own, only from the promise of its call
 */
async function readProducts(
  database: Database,
  addresses: readonly ProductAddress[],
): Promise<readonly (ProductJson | ProductTooLargeError)[]> {
  const found = await selectProducts(database, addresses);
  return Promise.all(
    addresses.map(async (address, index) => {
      const beside = found[index] as ProductJson;
      const isAlone = addresses.length === 1;
      const [own = beside] = beside.texts[0] === isLarge && !isAlone ? await selectProducts(database, [address]) : [];
      return own.texts[0] === isLarge ? new ProductTooLargeError() : own;
    }),
  );
}

/** Replaces a product that is too large. */
const isLarge = '!';
/** Before each product, not before variants. */
const productMark = ' ';
/** Separates the product and its variants; never in a JSON text, like the separator of columns. */
const rowSeparator = '\x1e';
const rowEnd = toSqlLiteral(rowSeparator);

/** Whether the text could take 128 kB as a string: V8 puts such strings in newly mapped and cleared memory. */
const isLong = rawSql(`octet_length(found.text) > ${60 * 1024}`);

/**
 * A statement whose rows are a version and a text each. When a text is long, each part between its row separators is a
 * row instead, because the driver makes one string of each value (docs/decisions.md 67).
 */
const toRowsIfLong = (texts: Sql): Sql => sql`
    SELECT found.version, part.text
      FROM (${texts} ${fence}) AS found
     CROSS JOIN LATERAL (
           SELECT found.text WHERE (${isLong}) IS NOT TRUE
            UNION ALL
           SELECT string_to_table(found.text, ${rowEnd}) WHERE ${isLong}) AS part`;

async function selectProducts(
  database: Database,
  addresses: readonly ProductAddress[],
): Promise<readonly ProductJson[]> {
  const shopId = (addresses[0] as ProductAddress).shopId;
  const shop = sql`${shopId}::uuid`;
  // Together they are no larger than one may be.
  const limit = sql`${Math.floor(maximumAnswerBytes / addresses.length)}::integer`;
  // Correlated subqueries, so that each row is found by its key whatever the planner estimates for the arrays. JSON
  // text never contains the separator of products and variants. Nothing is added beyond the limit.
  const products = sql`
    SELECT ${dataVersionOf(shop)} AS version, '${rawSql(productMark)}' || coalesce((
             SELECT CASE WHEN v.bytes + octet_length(${product}) > ${limit} THEN '${rawSql(isLarge)}'
                         ELSE ${product} || coalesce(${rowEnd} || v.json, '') END
               FROM products AS item CROSS JOIN LATERAL (
                 SELECT string_agg(s.json, ${rowEnd}) FILTER (WHERE s.bytes <= ${limit}) AS json, coalesce(max(s.bytes), 0) AS bytes
                   FROM (SELECT ordered.json, sum(octet_length(ordered.json) + 1) OVER (ROWS UNBOUNDED PRECEDING) AS bytes
                           FROM (SELECT ${variant} AS json
                                   FROM variants AS item
                                  WHERE ${ofShop('variants', shop)} AND item.product_id = asked.id
                                  ORDER BY item.position, item.id ${fence}) AS ordered) AS s) AS v
              WHERE ${isSeen('products', shop)} AND item.id = asked.id
           ), '') AS text
      FROM unnest(${addresses.map(({ id }) => id)}::uuid[]) AS asked (id)`;
  const at = { shopId, dataVersions: addresses.map(({ dataVersion }) => dataVersion) };
  const rows = (await database.readRows(toRowsIfLong(products), undefined, at)) as unknown as [string, string][];
  const found: { dataVersion: string; texts: string[] }[] = [];
  for (const [dataVersion, part] of rows)
    for (const text of part.split(rowSeparator)) {
      const json = text.slice(productMark.length);
      if (!text.startsWith(productMark)) found.at(-1)?.texts.push(text);
      else found.push({ dataVersion, texts: json === '' ? [] : [json] });
    }
  return found;
}
