/* global fetch */
/** The expected answers, made from the tables by plain SQL that shares nothing with the service. */
import pg from 'pg';
import { jsonColumns, productFields, variantFields } from './peers/product-sql.mjs';

export async function openOracle(url) {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const query = async (text, values) => (await pool.query(text, values)).rows;

  /** Ids of the shop's visible products that meet the condition, oldest first. */
  const ids = async (shopId, condition = 'true', limit = null) =>
    (
      await query(
        `SELECT id FROM products WHERE shop_id = $1 AND deleted_at IS NULL AND ${condition} ORDER BY created_at, id LIMIT $2`,
        [shopId, limit],
      )
    ).map(({ id }) => id);

  /** Products as the REST API shows them, by id. */
  const products = async (shopId, wanted) => {
    const rows = await query(
      `SELECT row_to_json(r)::text AS json FROM (
         SELECT ${jsonColumns(productFields)} FROM products WHERE shop_id = $1 AND id = ANY ($2::uuid[])) AS r`,
      [shopId, wanted],
    );
    const byId = new Map(rows.map(({ json }) => [json.slice(7, 43), JSON.parse(json)]));
    return wanted.map((id) => byId.get(id));
  };

  const productWithVariants = async (shopId, id) => {
    const [product] = await products(shopId, [id]);
    const rows = await query(
      `SELECT row_to_json(r)::text AS json FROM (
         SELECT ${jsonColumns(variantFields)} FROM variants AS w WHERE shop_id = $1 AND product_id = $2
          ORDER BY w.position, w.id) AS r`,
      [shopId, id],
    );
    return { ...product, variants: rows.map(({ json }) => JSON.parse(json)) };
  };

  return { query, ids, products, productWithVariants, close: () => pool.end() };
}

/** Compares as text: the order of the members and the digits count too. @throws Error that shows where they differ. */
export function assertSame(what, actual, expected) {
  const [given, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (given === right) return;
  let start = 0;
  while (given[start] === right[start]) start += 1;
  const around = (text) => text.slice(Math.max(0, start - 60), start + 60);
  throw new Error(`WRONG RESPONSE: ${what}\n  got      …${around(given)}…\n  expected …${around(right)}…`);
}

export async function getJson(origin, path, headers = {}, init = {}) {
  const response = await fetch(origin + path, { headers, ...init });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`WRONG RESPONSE: ${path}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
}
