-- New objects enter the change feed without a look-up of what they may have there (docs/decisions.md 114). Look-ups took half of what the feed
-- costs an import.

-- Each object once. An entry is there already only if an object of this id was deleted before.
CREATE FUNCTION public.catalog_record_inserted(kind_of smallint, shop_ids uuid[], ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_mergejoin = off
SET enable_hashjoin = on SET enable_nestloop = on SET jit = off AS $$
BEGIN
  INSERT INTO public.changes AS c (shop_id, kind, id, version)
  WITH written AS MATERIALIZED (
    SELECT s.shop_id, s.data_version
      FROM (SELECT DISTINCT unnest(shop_ids)) AS k (shop_id)
     CROSS JOIN LATERAL (SELECT s.shop_id, s.data_version FROM public.shops AS s WHERE s.shop_id = k.shop_id OFFSET 0) AS s)
  SELECT k.shop_id, kind_of, k.id, written.data_version
    FROM unnest(shop_ids, ids) AS k (shop_id, id)
    JOIN written ON written.shop_id = k.shop_id
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, external_id = NULL;
END
$$;

-- Only triggers run it.
REVOKE ALL ON FUNCTION public.catalog_record_inserted(smallint, uuid[], uuid[]) FROM PUBLIC;

-- As before, but for catalog_record_inserted.
CREATE OR REPLACE FUNCTION public.catalog_products_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM FROM public.shops WHERE shop_id = ANY (shop_ids) ORDER BY shop_id FOR NO KEY UPDATE;
  PERFORM public.catalog_move_visible(n.shop_id, count(*), count(*) FILTER (
            WHERE s.shop_id IS NULL OR (n.created_at, n.id) <= (s.at, s.id)))
     FROM new_rows AS n
     LEFT JOIN (SELECT shop_id, CASE WHEN from_statement = statement_timestamp() THEN from_at ELSE until_at END AS at,
                       CASE WHEN from_statement = statement_timestamp() THEN from_id ELSE until_id END AS id
                  FROM public.visible_sets WHERE shop_id = ANY (shop_ids)) AS s USING (shop_id)
    WHERE n.deleted_at IS NULL
    GROUP BY n.shop_id;
  INSERT INTO public.product_tags (shop_id, tag, created_at, product_id)
  SELECT DISTINCT n.shop_id, left(t.tag, 500), n.created_at, n.id
    FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag)
   WHERE n.deleted_at IS NULL
   ORDER BY 1, 2, 3, 4;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_inserted(1::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  -- A new product without variants has these values. Variants that came with the same statement have a trigger of their own.
  PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(id))
     FROM new_rows
    WHERE (variant_count, min_price, max_price, total_stock) IS DISTINCT FROM (0, NULL::text, NULL::text, 0::bigint)
   HAVING count(*) > 0;
  RETURN NULL;
END
$$;

-- As before, but for catalog_record_inserted.
CREATE OR REPLACE FUNCTION public.catalog_variants_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_inserted(2::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
    PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM new_rows;
  END IF;
  RETURN NULL;
END
$$;

-- As before, but for catalog_record_inserted.
CREATE OR REPLACE FUNCTION public.catalog_rows_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_inserted(
              CASE TG_TABLE_NAME WHEN 'collections' THEN 3 ELSE 4 END::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  END IF;
  RETURN NULL;
END
$$;
