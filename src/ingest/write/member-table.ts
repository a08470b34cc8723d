import { model } from '../../catalog/model';
import { describeShortened } from '../formats/check-lengths';
import { listFirst } from '../values/display-names';
import type { ContentCounter } from './import-report';
import { compareTables, lookUpRows, type Query } from './import-transaction';
import { findById, ofShop } from './lookups';
import { isRefusal, refusal } from './record-writer';
import { stagedTable } from './staging';

const productsPerBatch = 500;
const maxExamples = 3;

/**
 * The products of collections, in their order, that the files list. They are stored in the database until all files are
 * read: the products may come later.
 */
export class MemberTable {
  #isCreated = false;

  constructor(
    private readonly query: Query,
    private readonly shopId: string,
  ) {}

  /** Takes the lists of the staged collections; a later list of a collection replaces an earlier one. */
  async add(): Promise<void> {
    if (!this.#isCreated) {
      await this.query(
        'CREATE TEMPORARY TABLE import_members (collection text PRIMARY KEY, products text[]) ON COMMIT DROP',
      );
    }
    this.#isCreated = true;
    await this.query(addStatement);
  }

  /**
   * Makes the lists the memberships of their collections, and leaves those of other collections alone.
   * @returns warnings
   */
  async apply(changes: ContentCounter): Promise<readonly string[]> {
    if (!this.#isCreated) return [];
    // Here whole tables are compared, once.
    await this.query(compareTables);
    await this.query('ANALYZE import_members');
    await this.query(changeStatement, [this.shopId]);
    await this.query('CREATE INDEX ON import_memberships (batch)');
    await this.query('ANALYZE import_memberships');
    const { rows } = await this.query<Changed>(changeReport, [this.shopId]);
    const { changed, shortened, unknown, examples } = rows[0] as Changed;
    await this.query(lookUpRows);
    for (let batch = 0; batch * productsPerBatch < changed; batch += 1)
      await this.query(updateStatement, [this.shopId, batch]).catch(refuse);
    changes.add({ memberships: changed });
    const named = listFirst(examples ?? [], maxExamples, (id) => id);
    return [
      ...(unknown > 0
        ? [`${unknown} collection ${unknown === 1 ? 'member was skipped because it is' : 'members were skipped because they are'} not in the shop (${named}): import the products as well`] // prettier-ignore
        : []),
      ...(shortened > 0 ? [describeShortened('memberships', shortened)] : []),
    ];
  }
}

/** The memberships fit, but the whole product may become too large with them. */
function refuse(error: unknown): never {
  throw isRefusal(error) ? refusal(error, 'the products of collections') : error;
}

interface Changed {
  readonly changed: number;
  readonly shortened: number;
  readonly unknown: number;
  readonly examples: readonly string[] | null;
}

const addStatement = `
  INSERT INTO import_members SELECT external_id, products FROM ${stagedTable('collections')} WHERE products IS NOT NULL
  ON CONFLICT (collection) DO UPDATE SET products = excluded.products`;

const { count, bytes } = model.products.memberships;

/**
 * The new memberships of each product that has others: $1 shop. `places` has the listed collections that it is in or
 * was in, with null for those that it has left. The order of the JSON array stays that of the products file.
 */
const changeStatement = `
  CREATE TEMPORARY TABLE import_memberships ON COMMIT DROP AS
  WITH member AS (
    SELECT product.id, given.collection, listed.position
      FROM import_members AS given CROSS JOIN LATERAL unnest(given.products) WITH ORDINALITY AS listed (external_id, position)
      JOIN products AS product
        ON product.shop_id = $1::uuid AND product.external_id = listed.external_id AND product.deleted_at IS NULL
     UNION ALL
    SELECT stored.product_id, stored.collection, NULL
      FROM import_members AS given
      JOIN collection_products AS stored ON stored.shop_id = $1::uuid AND stored.collection = given.collection
  ), place AS (
    SELECT id, jsonb_object_agg(collection, position) AS places
      FROM (SELECT id, collection, min(position) AS position FROM member GROUP BY id, collection) AS member GROUP BY id
  )
  SELECT place.id, list.memberships, list.is_shortened, (row_number() OVER (ORDER BY place.id) - 1) / ${productsPerBatch} AS batch
    FROM place
    JOIN products AS stored ON stored.shop_id = $1::uuid AND stored.id = place.id
   CROSS JOIN LATERAL (
     SELECT coalesce(jsonb_agg(one ORDER BY number) FILTER (WHERE fits), '[]') AS memberships, bool_or(NOT fits) AS is_shortened
       FROM (SELECT one, row_number() OVER sorted AS number,
                    row_number() OVER sorted <= ${count} AND sum(octet_length(one::text) + 2) OVER sorted <= ${bytes} - 2 AS fits
               FROM (SELECT kept.one || CASE WHEN places ? id THEN jsonb_build_object('position', places -> id) ELSE '{}' END AS one,
                            kept.number
                       FROM jsonb_array_elements(stored.memberships) WITH ORDINALITY AS kept (one, number)
                      CROSS JOIN LATERAL (SELECT kept.one ->> 'collection_external_id' AS id) AS named
                      WHERE places -> id IS DISTINCT FROM 'null'
                      UNION ALL
                     SELECT jsonb_build_object('collection_external_id', id, 'position', position), NULL
                       FROM jsonb_each(places) AS added (id, position)
                      WHERE position <> 'null'
                        AND NOT stored.memberships @> jsonb_build_array(jsonb_build_object('collection_external_id', id))) AS item
             WINDOW sorted AS (ORDER BY number, one)) AS item) AS list
   WHERE list.memberships <> stored.memberships`;

const changeReport = `
  SELECT (SELECT count(*)::integer FROM import_memberships) AS changed,
         (SELECT count(*)::integer FROM import_memberships WHERE is_shortened) AS shortened,
         count(*)::integer AS unknown, (array_agg(external_id ORDER BY external_id))[1:${maxExamples + 1}] AS examples
    FROM (SELECT DISTINCT listed.external_id FROM import_members AS given CROSS JOIN LATERAL unnest(given.products) AS listed (external_id)
           WHERE NOT EXISTS (SELECT FROM products AS found WHERE found.shop_id = $1::uuid
                               AND found.external_id = listed.external_id AND found.deleted_at IS NULL)) AS missing`;

/** $1 shop, $2 batch. */
const updateStatement = `
  UPDATE products AS stored SET memberships = changed.memberships
    FROM import_memberships AS changed
   CROSS JOIN LATERAL (${findById('products', 'found.ctid', 'changed.id')}) AS product
   WHERE changed.batch = $2 AND ${ofShop} AND stored.ctid = product.ctid`;
