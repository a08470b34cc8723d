-- What is derived from products and their variants: columns of products, product_tags, product_terms and collection_products.

-- The terms that a product has if its searched text contains `q`, which is folded and not empty. A long `q` uses only its first trigrams.
CREATE OR REPLACE FUNCTION public.catalog_search_terms(q text) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT string_agg(
           '''' || replace(replace(substr(q, n, 3), '\', '\\'), '''', '''''') || CASE length(q) WHEN 2 THEN ''':*' ELSE '''' END,
           ' & ')::tsquery
    FROM generate_series(1, greatest(least(length(q), 50) - 2, 1)) AS n);

-- Derives variant_count, prices, stock and SKUs of the given products from their variants. Writes only rows that are wrong, so a writer
-- that has set the right values does not pay twice.
--
-- While a table is being filled, the planner's statistics are wrong, and every index starts with shop_id, so it may pick one that reads the
-- whole shop for each product. Both lookups therefore request an order that only the right index has, and sorting is off: the primary key
-- for products, variants_product_idx for variants. The plan is made once per session; otherwise planning would be most of the cost of a
-- changed price.
--
-- The correction is an UPDATE, which catalog_products_updated must not process again (docs/decisions.md 4). It recognizes the correction by
-- a secret that only the owner of the tables can read. A setting holds the secret while the correction runs; no code of a writer runs
-- during that time.
CREATE OR REPLACE FUNCTION public.catalog_derive_products(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
DECLARE
  wrong record;
BEGIN
  -- Looked up first, because an UPDATE that finds nothing still runs its triggers.
  SELECT array_agg(at) AS at, array_agg(shop_id) AS shop_id, array_agg(id) AS id,
         array_agg(variant_count) AS variant_count, array_agg(min_price) AS min_price, array_agg(max_price) AS max_price,
         array_agg(total_stock) AS total_stock, array_agg(skus) AS skus, bool_or(has_other_skus) AS has_other_skus
    INTO wrong
    FROM (SELECT product.at, k.shop_id, k.id, d.*, product.skus IS DISTINCT FROM d.skus AS has_other_skus
            FROM (SELECT DISTINCT * FROM unnest(shop_ids, product_ids) AS k (shop_id, id)) AS k
           CROSS JOIN LATERAL (
                 SELECT found.ctid AS at, found.id, found.variant_count, found.min_price, found.max_price, found.total_stock, found.skus
                   FROM public.products AS found
                  -- Not `=`, which would make the order redundant.
                  WHERE found.shop_id = k.shop_id AND found.id >= k.id AND found.id <= k.id
                  ORDER BY found.id LIMIT 1) AS product
           CROSS JOIN LATERAL (
                 SELECT count(*)::integer AS variant_count,
                        (array_agg(v.price ORDER BY v.price_value, v.position, v.id)
                           FILTER (WHERE v.price IS NOT NULL))[1] AS min_price,
                        (array_agg(v.price ORDER BY v.price_value DESC, v.position, v.id)
                           FILTER (WHERE v.price IS NOT NULL))[1] AS max_price,
                        coalesce(sum(v.inventory_quantity), 0)::bigint AS total_stock,
                        left(string_agg(DISTINCT v.sku COLLATE "C", ' ' ORDER BY v.sku COLLATE "C"), 8000 /*kept_sku_characters*/) AS skus
                   FROM (SELECT price, price_value, position, id, inventory_quantity, sku FROM public.variants AS v
                          WHERE v.shop_id = k.shop_id AND v.product_id = k.id
                          ORDER BY v.position, v.id OFFSET 0) AS v) AS d
           WHERE product.id = k.id
             AND (product.variant_count, product.min_price, product.max_price, product.total_stock, product.skus)
                 IS DISTINCT FROM (d.variant_count, d.min_price, d.max_price, d.total_stock, d.skus)
           -- Rewritten in the order in which they are stored, so that a page still finds its rows side by side.
           ORDER BY product.at) AS each;
  IF wrong.id IS NOT NULL THEN
    PERFORM set_config('catalog.deriving', (
      SELECT derivation_secret::text FROM public.visible_sets
       WHERE shop_id = (SELECT k.shop_id FROM unnest(wrong.shop_id) AS k (shop_id) ORDER BY 1 LIMIT 1)), true);
    -- Two statements, because one that sets the SKUs recomputes the search words of its products.
    IF wrong.has_other_skus THEN
      UPDATE public.products AS p
         SET variant_count = d.variant_count, min_price = d.min_price, max_price = d.max_price, total_stock = d.total_stock,
             skus = d.skus
        FROM unnest(wrong.at, wrong.shop_id, wrong.id, wrong.variant_count, wrong.min_price, wrong.max_price, wrong.total_stock, wrong.skus)
             AS d (at, shop_id, id, variant_count, min_price, max_price, total_stock, skus)
       WHERE p.ctid = d.at AND p.shop_id = d.shop_id AND p.id = d.id AND p.skus IS DISTINCT FROM d.skus;
      PERFORM public.catalog_write_terms(wrong.shop_id, wrong.id);
    END IF;
    UPDATE public.products AS p
       SET variant_count = d.variant_count, min_price = d.min_price, max_price = d.max_price, total_stock = d.total_stock
      FROM unnest(wrong.at, wrong.shop_id, wrong.id, wrong.variant_count, wrong.min_price, wrong.max_price, wrong.total_stock)
           AS d (at, shop_id, id, variant_count, min_price, max_price, total_stock)
     WHERE p.ctid = d.at AND p.shop_id = d.shop_id AND p.id = d.id; -- a ctid alone is not unique where the table is partitioned
    PERFORM set_config('catalog.deriving', '', true);
    PERFORM public.catalog_record_changes(1 /*product_kind*/::smallint, wrong.shop_id, wrong.id);
  END IF;
END
$$;

-- Deletes rows by lookups of the whole key, for the same reason.
CREATE OR REPLACE FUNCTION public.catalog_remove_tags(shop_ids uuid[], tags text[], dates timestamptz[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
BEGIN
  DELETE FROM public.product_tags AS t
   USING unnest(shop_ids, tags, dates, product_ids) AS k (shop_id, tag, created_at, id)
   CROSS JOIN LATERAL (
         SELECT f.ctid AS at FROM public.product_tags AS f
          WHERE f.shop_id = k.shop_id AND f.tag = k.tag AND f.created_at = k.created_at AND f.product_id = k.id
         OFFSET 0) AS found
   WHERE t.ctid = found.at -- which alone is not unique where the table is partitioned
     AND t.shop_id = k.shop_id AND t.tag = k.tag AND t.created_at = k.created_at AND t.product_id = k.id;
END
$$;

-- The collections that a product names, each once.
CREATE OR REPLACE FUNCTION public.catalog_memberships(memberships jsonb) RETURNS TABLE (collection text, place integer)
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT m.one ->> 'collection_external_id', coalesce(min((m.one ->> 'position')::numeric::integer), 2147483647)
    FROM jsonb_array_elements(memberships) AS m (one) GROUP BY 1
$$;

-- Removes products with the sign -1 from collections, adds the others, and records these collections as changed.
CREATE OR REPLACE FUNCTION public.catalog_move_members(
  signs integer[], shop_ids uuid[], collections text[], places integer[], product_ids uuid[], dates timestamptz[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
BEGIN
  DELETE FROM public.collection_products AS t
   USING unnest(signs, shop_ids, collections, places, product_ids) AS k (sign, shop_id, collection, place, id)
   CROSS JOIN LATERAL (
         SELECT f.ctid AS at FROM public.collection_products AS f
          WHERE k.sign < 0 AND f.shop_id = k.shop_id AND f.collection = k.collection AND f.position = k.place AND f.product_id = k.id
         OFFSET 0) AS found
   WHERE t.ctid = found.at
     AND t.shop_id = k.shop_id AND t.collection = k.collection AND t.position = k.place AND t.product_id = k.id;
  INSERT INTO public.collection_products (shop_id, collection, position, product_id, created_at)
  SELECT k.shop_id, k.collection, k.place, k.id, k.created_at
    FROM unnest(signs, shop_ids, collections, places, product_ids, dates) AS k (sign, shop_id, collection, place, id, created_at)
   WHERE k.sign > 0 ORDER BY 1, 2, 3, 4;
  PERFORM public.catalog_record_changes(3 /*collection_kind*/::smallint, array_agg(k.shop_id), array_agg(c.id))
     FROM (SELECT DISTINCT * FROM unnest(shop_ids, collections) AS k (shop_id, external_id)) AS k
    CROSS JOIN LATERAL (
          SELECT c.id FROM public.collections AS c
           WHERE c.shop_id = k.shop_id AND c.external_id >= k.external_id AND c.external_id <= k.external_id
           ORDER BY c.external_id LIMIT 1) AS c
   HAVING count(*) > 0;
END
$$;

-- Writes the terms of products as they are now, by lookups of the key: a transition table lacks what the trigger of variants changed, if
-- that ran first.
CREATE OR REPLACE FUNCTION public.catalog_write_terms(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
BEGIN
  INSERT INTO public.product_terms AS t (shop_id, product_id, status, vendor, product_type, tags, search_text, search_words)
  SELECT p.*
    FROM unnest(shop_ids, product_ids) AS k (shop_id, id)
   CROSS JOIN LATERAL (
         SELECT f.shop_id, f.id, f.status, f.vendor, f.product_type, f.tags, f.search_text, f.search_words FROM public.products AS f
          WHERE f.shop_id = k.shop_id AND f.id >= k.id AND f.id <= k.id AND f.deleted_at IS NULL
          ORDER BY f.id LIMIT 1) AS p
      ON CONFLICT (shop_id, product_id) DO UPDATE
     SET status = excluded.status, vendor = excluded.vendor, product_type = excluded.product_type, tags = excluded.tags,
         search_text = excluded.search_text, search_words = excluded.search_words
   WHERE (t.status, t.vendor, t.product_type, t.tags, t.search_text, t.search_words)
         IS DISTINCT FROM (excluded.status, excluded.vendor, excluded.product_type, excluded.tags, excluded.search_text,
                           excluded.search_words);
END
$$;

-- Deletes terms by lookups of the key, too.
CREATE OR REPLACE FUNCTION public.catalog_remove_terms(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
BEGIN
  DELETE FROM public.product_terms AS t
   USING unnest(shop_ids, product_ids) AS k (shop_id, id)
   WHERE t.shop_id = k.shop_id AND t.product_id = k.id;
END
$$;

REVOKE ALL ON FUNCTION public.catalog_derive_products, public.catalog_remove_tags, public.catalog_write_terms,
  public.catalog_remove_terms, public.catalog_memberships, public.catalog_move_members
  FROM PUBLIC;
