import type { Client } from 'pg';
import { restColumnsOf } from '../../src/catalog/model';
import { findDifferences, readDerivedChecks } from '../../src/database/derived/check-derived';
import type { SearchedTexts } from '../support/search-law';
import { wordsOf } from '../support/search-law';
import { remains, waitForTruncate } from '../../src/database/derived/derived-checks';

/**
 * The content of all tables in one snapshot. Numbers that may exceed a double, and rows that are compared, are text.
 */
export interface CatalogState {
  readonly shops: readonly ShopState[];
  readonly products: readonly ProductState[];
  readonly variants: readonly VariantState[];
  readonly collections: readonly CollectionState[];
  readonly objects: readonly ObjectState[];
  /** For each shop, a digest of all its rows without the shop's version. */
  readonly digests: readonly { readonly shop_id: string; readonly digest: string }[];
  /** Products for which the term index and the rows themselves give different results. */
  readonly index_differences: number;
}

interface ShopState {
  readonly shop_id: string;
  readonly data_version: string;
  readonly product_limit: number | null;
  readonly live_product_count: number;
}

interface ProductState {
  readonly shop_id: string;
  readonly id: string;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly created: string;
  readonly variant_count: number;
  readonly min_price: string | null;
  readonly max_price: string | null;
  readonly total_stock: string;
  readonly skus: string | null;
  readonly title: string;
  readonly handle: string | null;
  readonly tags: readonly string[];
  readonly is_live: boolean;
  readonly is_visible: boolean;
  readonly kept_tags: readonly string[];
  readonly memberships: readonly { readonly collection_external_id: string; readonly position: number | null }[];
  readonly kept_members: readonly string[];
  readonly search_text: string;
  readonly search_words: string;
  readonly title_sort: string;
  readonly are_values_right: boolean;
  readonly rest_json: string;
}

interface VariantState {
  readonly shop_id: string;
  readonly product_id: string;
  readonly id: string;
  readonly price: string | null;
  readonly inventory_quantity: string | null;
  readonly columns: Readonly<Record<string, unknown>>;
  readonly options: readonly { readonly name: string; readonly value: string }[];
  readonly created: string;
  readonly updated: string;
  readonly are_values_right: boolean;
  readonly rest_json: string;
}

interface CollectionState {
  readonly columns: Readonly<Record<string, unknown>>;
  readonly created: string | null;
  readonly updated: string | null;
  readonly are_values_right: boolean;
  readonly rest_json: string;
}

/** An object, or what the change feed keeps of a deleted one. */
interface ObjectState {
  readonly shop_id: string;
  readonly kind: number;
  readonly id: string;
  /** A digest of what readers see of it; null if they see nothing. */
  readonly view: string | null;
  /** Its entry in the change feed. */
  readonly version: string | null;
}

const time = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const indexedTerms = ['mug', 'gla', 'é', '\ufffesACTIVE', '\ufffetkitchen', '\ufffevKiln', '\ufffea mug'];
/** The first is from the index. */
const termsDiffer = indexedTerms
  .map((term) => {
    const holds = `catalog_terms(status, vendor, product_type, tags, search_text, search_words) @@ '''${term}'''::tsquery`;
    return `(SELECT count(*) FROM product_terms WHERE shop_id IN (SELECT shop_id FROM shops) AND ${holds})
      - (SELECT count(*) FROM products WHERE deleted_at IS NULL AND ${holds})`;
  })
  .map((difference) => `abs(${difference})`)
  .join(' + ');

/** The columns that writers write, as the API shows them. */
const written = (table: 'products' | 'variants' | 'collections'): string =>
  `json_build_object(${restColumnsOf(table)
    .filter(({ kind }) => kind !== 'derived')
    .map(({ name, kind }) => `'${name}', ${kind === 'timestamp' ? time(name) : name}`)
    .join(', ')})`;

const readStateStatement = `SELECT json_build_object(
  'shops', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT shop_id, data_version::text, product_limit, live_product_count FROM shops) AS t),
  'products', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT shop_id, id, ${time('created_at')} AS created, variant_count, min_price, max_price,
           total_stock::text, skus, title, handle, tags, memberships, search_text, search_words, title_sort, rest_json,
           deleted_at IS NULL AS is_live,
           (created_at, id) <= (SELECT visible_until_at, visible_until_id FROM shops AS s WHERE s.shop_id = products.shop_id) AS is_visible,
           (SELECT coalesce(json_agg(tag), '[]') FROM product_tags AS t
             WHERE t.shop_id = products.shop_id AND t.product_id = products.id AND t.created_at = products.created_at) AS kept_tags,
           (SELECT coalesce(json_agg(c.position || ' ' || c.collection), '[]') FROM collection_products AS c
             WHERE c.shop_id = products.shop_id AND c.product_id = products.id AND c.created_at = products.created_at) AS kept_members,
           min_price_value IS NOT DISTINCT FROM min_price::numeric AND max_price_value IS NOT DISTINCT FROM max_price::numeric
             AND min_price_sort = coalesce(min_price::numeric, 'Infinity') AS are_values_right,
           ${written('products')} AS columns
      FROM products) AS t),
  'variants', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT shop_id, product_id, id, price, inventory_quantity::text, options, rest_json, ${time('created_at')} AS created,
           ${time('updated_at')} AS updated, price_value IS NOT DISTINCT FROM price::numeric AS are_values_right,
           ${written('variants')} AS columns
      FROM variants ORDER BY position, id) AS t),
  'collections', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT rest_json, ${time('created_at')} AS created, ${time('updated_at')} AS updated,
           sort_at = coalesce(created_at, 'infinity') AS are_values_right,
           ${written('collections')} AS columns
      FROM collections) AS t),
  'objects', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    WITH seen AS (
      SELECT p.shop_id, p.id FROM products AS p JOIN shops AS s USING (shop_id)
       WHERE p.deleted_at IS NULL AND (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id)
    ), objects AS (
      SELECT p.shop_id, 1::smallint AS kind, p.id, CASE WHEN seen.id IS NOT NULL THEN md5(concat(p.rest_json, p.url, p.images, p.memberships)) END AS view
        FROM products AS p LEFT JOIN seen ON seen.shop_id = p.shop_id AND seen.id = p.id
       UNION ALL
      SELECT v.shop_id, 2::smallint, v.id, CASE WHEN seen.id IS NOT NULL THEN md5(v.product_id || v.rest_json) END
        FROM variants AS v LEFT JOIN seen ON seen.shop_id = v.shop_id AND seen.id = v.product_id
       UNION ALL
      SELECT shop_id, 3::smallint, id, md5(concat(rest_json, (
               SELECT string_agg(concat(p.id, m.place), ',' ORDER BY p.id)
                 FROM products AS p CROSS JOIN LATERAL (
                      SELECT coalesce(min((m.one ->> 'position')::integer), 2147483647) AS place
                        FROM jsonb_array_elements(p.memberships) AS m (one)
                       WHERE m.one ->> 'collection_external_id' = c.external_id HAVING count(*) > 0) AS m
                WHERE p.shop_id = c.shop_id AND p.deleted_at IS NULL)))
        FROM collections AS c
       UNION ALL
      SELECT shop_id, 4::smallint, id, md5(o::text) FROM orders AS o
    )
    SELECT shop_id, kind, id, o.view, c.version::text
      FROM objects AS o FULL JOIN changes AS c USING (shop_id, kind, id)) AS t),
  'digests', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT s.shop_id, md5(concat(
             s.name, s.plan, s.product_limit, s.live_product_count, s.last_sync_at, s.visible_until_at, s.visible_until_id,
             (SELECT string_agg(p::text, ',' ORDER BY p.id) FROM products AS p WHERE p.shop_id = s.shop_id),
             (SELECT string_agg(v::text, ',' ORDER BY v.id) FROM variants AS v WHERE v.shop_id = s.shop_id),
             (SELECT string_agg(c::text, ',' ORDER BY c.id) FROM collections AS c WHERE c.shop_id = s.shop_id),
             (SELECT string_agg(o::text, ',' ORDER BY o.id) FROM orders AS o WHERE o.shop_id = s.shop_id))) AS digest
      FROM shops AS s) AS t),
  'index_differences', ${termsDiffer})::text AS state`;

/** Decimals by value, without floats (D21): both are scaled to the same number of decimals and compared as integers. */
function compareDecimals(a: string, b: string): number {
  const scaled = (text: string): bigint => {
    const [whole = '', fraction = ''] = text.split('.');
    return BigInt(whole + fraction.padEnd(40, '0'));
  };
  return scaled(a) < scaled(b) ? -1 : scaled(a) > scaled(b) ? 1 : 0;
}

interface OwnVariant {
  readonly columns: Readonly<Record<string, unknown>>;
  readonly price: string | null;
  readonly inventory_quantity: string | null;
}

/** The derived columns of a product, from its variants in order (D21, D22). */
function deriveProduct(own: readonly OwnVariant[]) {
  const prices = own.map(({ price }) => price).filter((price) => price !== null);
  const skus = [...new Set(own.map(({ columns }) => columns['sku'] as string | null))]
    .filter((sku) => sku !== null)
    .sort();
  // sort() is stable: among equal values, the first in the order of variants counts, with its own digits.
  return {
    variant_count: own.length,
    min_price: [...prices].sort(compareDecimals)[0] ?? null,
    max_price: [...prices].sort((a, b) => compareDecimals(b, a))[0] ?? null,
    total_stock: String(own.reduce((sum, { inventory_quantity }) => sum + BigInt(inventory_quantity ?? 0), 0n)),
    skus: skus.length > 0 ? skus.join(' ') : null,
  };
}

interface Dated {
  readonly id: string;
  readonly created: string;
}

/** The ids of the first `limit` products in (created_at, id) order (D8), sorted. */
const deriveVisible = (live: readonly Dated[], limit: number | null): string[] =>
  [...live]
    .sort((a, b) => (a.created === b.created ? (a.id < b.id ? -1 : 1) : a.created < b.created ? -1 : 1))
    .slice(0, limit ?? undefined)
    .map(({ id }) => id)
    .sort();

/** Each tag once, cut to 500 characters. */
const deriveTags = (tags: readonly string[]): string[] => [
  ...new Set(tags.map((tag) => Array.from(tag).slice(0, 500).join(''))),
];

/** Each collection once, at the product's first position in it, or at the very end if it has none. */
function deriveMembers(memberships: ProductState['memberships']): string[] {
  const places = new Map<string, number>();
  for (const { collection_external_id: id, position } of memberships)
    places.set(id, Math.min(places.get(id) ?? Infinity, position ?? 2 ** 31 - 1));
  return [...places].map(([id, place]) => `${place} ${id}`).sort();
}

/**
 * Each word, and each two neighbors joined, with the letter of its first section; words of the last section always.
 */
function deriveWords(sections: SearchedTexts): string[] {
  const [others = '', ...first] = sections.toReversed();
  const found = new Map<string, string>();
  for (const [at, text] of first.toReversed().entries()) {
    const words = wordsOf(text);
    const pairs = words.slice(1).map((word, before) => `${words[before]}${word}`);
    for (const word of [...words, ...pairs]) if (!found.has(word)) found.set(word, 'abc'.charAt(at));
  }
  return [
    ...new Set([
      ...[...found].map((each) => each.toReversed().join(' ')),
      ...wordsOf(others).map((word) => `d ${word}`),
    ]),
  ].sort();
}

const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Members in order. A member in `raw` is the text of a number too large for a double. */
function toJson(values: Readonly<Record<string, unknown>>, raw: Readonly<Record<string, string | null>> = {}): string {
  const texts = Object.entries(values).map(
    ([name, value]) => `${JSON.stringify(name)}:${name in raw ? (raw[name] ?? 'null') : JSON.stringify(value)}`,
  );
  return `{${texts.join(',')}}`;
}

function inOrder(columns: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, columns[name]]));
}

/** What `rest_json` contains, in its order. */
const restMembers = {
  products: restColumnsOf('products').map(({ name }) => name),
  variants: restColumnsOf('variants').map(({ name }) => name),
  collections: restColumnsOf('collections').map(({ name }) => name),
} as const;

/** What this file derives from the written columns. */
function findGenerated(state: CatalogState): string[] {
  const violations: string[] = [];
  const compare = (what: string, found: unknown, expected: unknown): void => {
    const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
    if (a !== b) violations.push(`${what} is ${a} and should be ${b}`);
  };
  for (const { shop_id, product_limit, live_product_count } of state.shops) {
    const live = state.products.filter((product) => product.shop_id === shop_id && product.is_live);
    const visible = live.filter(({ is_visible }) => is_visible).map(({ id }) => id);
    compare(`live_product_count of ${shop_id}`, live_product_count, live.length);
    compare(`the visible set of ${shop_id}`, visible.sort(), deriveVisible(live, product_limit));
  }
  for (const product of state.products) {
    const { variant_count, min_price, max_price, total_stock, skus } = product;
    const kept = { variant_count, min_price, max_price, total_stock, skus };
    const own = state.variants.filter(({ product_id }) => product_id === product.id);
    compare(`derived columns of ${product.id}`, kept, deriveProduct(own));
    const tags = product.is_live ? deriveTags(product.tags) : [];
    compare(`product_tags of ${product.id}`, [...product.kept_tags].sort(), tags.sort());
    const members = product.is_live ? deriveMembers(product.memberships) : [];
    compare(`collection_products of ${product.id}`, [...product.kept_members].sort(), members);
    const { title, handle, columns: { vendor } } = product; // prettier-ignore
    const others = [...(skus === null ? [] : [skus]), ...product.tags].join(' ');
    compare(
      `search_words of ${product.id}`,
      [...new Set(product.search_words.split('\ufffe').filter(Boolean))].sort(),
      deriveWords([title, handle ?? '', (vendor as string | null) ?? '', others]),
    );
    compare(
      `search_text of ${product.id}`,
      product.search_text,
      `${fold(product.title)}\uffff${fold(product.handle ?? '')}`,
    );
    compare(`title_sort of ${product.id}`, product.title_sort, Array.from(fold(product.title)).slice(0, 100).join(''));
    compare(`values of ${product.id}`, product.are_values_right, true);
    const columns = { ...product.columns, ...kept, created_at: product.created };
    compare(
      `rest_json of ${product.id}`,
      product.rest_json,
      toJson(inOrder(columns, restMembers.products), { total_stock }),
    );
  }
  for (const variant of state.variants) {
    const { inventory_quantity } = variant;
    const options = variant.options.map(({ name, value }) => ({ name, value }));
    const columns = { ...variant.columns, options, created_at: variant.created, updated_at: variant.updated };
    compare(`values of variant ${variant.id}`, variant.are_values_right, true);
    compare(
      `rest_json of variant ${variant.id}`,
      variant.rest_json,
      toJson(inOrder(columns, restMembers.variants), { inventory_quantity }),
    );
  }
  for (const { columns, created, updated, are_values_right, rest_json } of state.collections) {
    const shown = { ...columns, created_at: created, updated_at: updated };
    compare('values of a collection', are_values_right, true);
    compare('rest_json of a collection', rest_json, toJson(inOrder(shown, restMembers.collections)));
  }
  compare('the index of terms', state.index_differences, 0);
  return violations;
}

/** Everything derived, as `catalog check` computes it. @returns a line for each difference */
async function findDerived(client: Client): Promise<string[]> {
  const { rows: shops } = await client.query<{ shop_id: string }>('SELECT shop_id FROM shops');
  const all = (await readDerivedChecks(client))
    .map(
      ({ differences }) => `SELECT kind::text, object::text, stored::text, expected::text FROM (${differences}) AS d`,
    )
    .join(' UNION ALL ');
  const found = await findDifferences(client, remains);
  for (const { shop_id } of shops) found.push(...(await findDifferences(client, { differences: all }, shop_id)));
  return found.flatMap(({ kind, examples }) =>
    examples.map(({ object, stored, expected }) => `${kind} of ${object} is ${stored} and should be ${expected}`),
  );
}

/** One snapshot, and what is wrong in it. */
export async function readState(client: Client): Promise<{ state: CatalogState; violations: string[] }> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(waitForTruncate);
    const { rows } = await client.query<{ state: string }>(readStateStatement);
    const state = JSON.parse(rows[0]?.state ?? '') as CatalogState;
    return { state, violations: [...findGenerated(state), ...(await findDerived(client))] };
  } finally {
    await client.query('COMMIT');
  }
}

export const readViolations = async (client: Client): Promise<string[]> => (await readState(client)).violations;

/** Compares versions with their content: a version never decreases, and one version never has two contents. */
export class Versions {
  readonly #last = new Map<string, bigint>();
  readonly #contents = new Map<string, string>();

  /** Snapshots arrive in the order in which they were taken. @returns a line for each violation */
  findViolations(state: CatalogState): string[] {
    const violations: string[] = [];
    const digests = new Map(state.digests.map(({ shop_id, digest }) => [shop_id, digest]));
    for (const { shop_id, data_version } of state.shops) {
      const version = BigInt(data_version);
      const last = this.#last.get(shop_id) ?? 0n;
      if (version < last) violations.push(`data_version of ${shop_id} went back from ${last} to ${version}`);
      this.#last.set(shop_id, version);
      const key = `${shop_id} ${version}`;
      const digest = digests.get(shop_id) ?? '';
      const known = this.#contents.get(key);
      if (known !== undefined && known !== digest) violations.push(`${shop_id} has two contents in version ${version}`);
      this.#contents.set(key, digest);
    }
    return violations;
  }
}

/** Compares the change feed with what readers saw: everything that they see differently has a later version. */
export class Feed {
  #before: CatalogState | undefined;

  /** Snapshots arrive in the order in which they were taken. @returns a line for each violation */
  findViolations(state: CatalogState): string[] {
    const before = this.#before;
    this.#before = state;
    if (before === undefined) return [];
    const versions = new Map(before.shops.map(({ shop_id, data_version }) => [shop_id, BigInt(data_version)]));
    const keyOf = ({ shop_id, kind, id }: ObjectState): string => `${shop_id} ${kind} ${id}`;
    const now = new Map(state.objects.map((object) => [keyOf(object), object]));
    const shops = new Set(state.shops.map(({ shop_id }) => shop_id));
    const past = new Map(before.objects.map((object) => [keyOf(object), object]));
    const violations: string[] = [];
    for (const [key, object] of now) {
      if ((past.get(key)?.view ?? null) === object.view) continue;
      if (BigInt(object.version ?? 0) <= (versions.get(object.shop_id) ?? 0n))
        violations.push(`the change feed does not show that ${key} changed, entered with ${object.version}`);
    }
    for (const [key, { shop_id }] of past) {
      if (shops.has(shop_id) && !now.has(key)) violations.push(`the change feed has lost ${key}`);
    }
    return violations;
  }
}
