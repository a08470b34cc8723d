-- The terms by which products are searched, in a table of their own (docs/decisions.md 122). A changed price or stock writes the row of its
-- product anew, and with it an entry in every index of products: that of the terms cost the most.
--
-- Writers wait while the products that are there already are entered; readers do not.

LOCK TABLE public.shops, public.products IN SHARE ROW EXCLUSIVE MODE;

-- The live products, with the columns that catalog_terms reads. Maintained by the triggers of products; read it, never write it. Like
-- product_tags, it has no foreign key.
CREATE TABLE public.product_terms (
  shop_id      uuid NOT NULL,
  product_id   uuid NOT NULL,
  status       text NOT NULL,
  vendor       text,
  product_type text,
  tags         text[] NOT NULL,
  search_text  text NOT NULL,
  CONSTRAINT product_terms_pkey PRIMARY KEY (shop_id, product_id)
);

INSERT INTO public.product_terms (shop_id, product_id, status, vendor, product_type, tags, search_text)
SELECT shop_id, id, status, vendor, product_type, tags, search_text FROM public.products WHERE deleted_at IS NULL ORDER BY 1, 2;

-- Every reader passes over the list of entries that wait to be sorted in, so it is short.
CREATE INDEX product_terms_idx ON public.product_terms
  USING gin (shop_id, public.catalog_terms(status, vendor, product_type, tags, search_text)) WITH (gin_pending_list_limit = 512);
-- No statistics: ANALYZE would compute the terms of 30,000 rows, and nothing would use the result.
ALTER INDEX public.product_terms_idx ALTER COLUMN 2 SET STATISTICS 0;

-- Indexes that only processes of the version before use. They are kept while such processes may run, until docs/deploy/after-upgrade.sql
-- drops them; a database without shops has no such processes.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM public.shops) THEN
    DROP INDEX public.products_terms_idx, public.orders_updated_at_idx;
  END IF;
END $$;

-- By look-ups of the key, whatever the statistics say about a table that is just being filled.
CREATE FUNCTION public.catalog_remove_terms(shop_ids uuid[], product_ids uuid[]) RETURNS void
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
REVOKE ALL ON FUNCTION public.catalog_remove_terms(uuid[], uuid[]) FROM PUBLIC;

-- As before, with the terms.
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
  INSERT INTO public.product_terms (shop_id, product_id, status, vendor, product_type, tags, search_text)
  SELECT shop_id, id, status, vendor, product_type, tags, search_text FROM new_rows WHERE deleted_at IS NULL ORDER BY 1, 2;
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

-- As before, with the terms.
CREATE OR REPLACE FUNCTION public.catalog_products_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[];
  changed record;
BEGIN
  -- The correction by catalog_derive_products, which a writer cannot pretend to be: its shop has its version, and nothing else changed.
  -- Of several shops it is the secret of the first.
  IF current_setting('catalog.deriving', true) <> '' THEN
    IF current_setting('catalog.deriving') = (
         SELECT derivation_secret::text FROM public.visible_sets
          WHERE shop_id = (SELECT shop_id FROM new_rows ORDER BY 1 LIMIT 1)) THEN
      RETURN NULL;
    END IF;
  END IF;
  shop_ids := ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows);
  IF shop_ids = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM public.catalog_touch_shops(shop_ids);
  SELECT bool_or((n.shop_id, n.created_at, n.deleted_at IS NULL) IS DISTINCT FROM (o.shop_id, o.created_at, o.deleted_at IS NULL))
           AS places,
         bool_or((n.shop_id, n.created_at, n.deleted_at IS NULL, n.tags)
                 IS DISTINCT FROM (o.shop_id, o.created_at, o.deleted_at IS NULL, o.tags)) AS tags,
         bool_or((n.shop_id, n.id, n.deleted_at IS NULL, n.status, n.vendor, n.product_type, n.tags, n.search_text)
                 IS DISTINCT FROM (o.shop_id, o.id, o.deleted_at IS NULL, o.status, o.vendor, o.product_type, o.tags, o.search_text)) AS terms,
         array_agg(n.shop_id) FILTER (WHERE d.is_changed) AS shop_ids, array_agg(n.id) FILTER (WHERE d.is_changed) AS product_ids,
         array_agg(o.shop_id) FILTER (WHERE n.id IS NULL) AS gone_shop_ids, array_agg(o.id) FILTER (WHERE n.id IS NULL) AS gone_ids,
         array_agg(o.external_id) FILTER (WHERE n.id IS NULL) AS gone_external_ids
    INTO changed
    FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
   CROSS JOIN LATERAL (
         SELECT n.id IS NOT NULL AND (n.variant_count, n.min_price, n.max_price, n.total_stock)
                IS DISTINCT FROM (o.variant_count, o.min_price, o.max_price, o.total_stock) AS is_changed) AS d;
  PERFORM public.catalog_record_changes(1::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  IF changed.gone_ids IS NOT NULL THEN
    PERFORM public.catalog_record_deleted(1::smallint, changed.gone_shop_ids, changed.gone_ids, changed.gone_external_ids);
  END IF;
  IF changed.places THEN
    -- Not a join: the plan of a session's first statement, which may have one row, would be a nested loop for all later ones.
    PERFORM public.catalog_record_variants_of(array_agg(shop_id), array_agg(id))
       FROM (SELECT shop_id, id, created_at, deleted_at IS NULL AS is_live FROM new_rows
             EXCEPT
             SELECT shop_id, id, created_at, deleted_at IS NULL FROM old_rows) AS n
     HAVING count(*) > 0;
    PERFORM public.catalog_move_visible(c.shop_id, sum(c.sign), coalesce(sum(c.sign) FILTER (
              WHERE s.shop_id IS NULL OR (c.created_at, c.id) <= (s.at, s.id)), 0)::bigint)
       FROM (SELECT shop_id, created_at, id, 1 AS sign FROM new_rows WHERE deleted_at IS NULL
             UNION ALL
             SELECT shop_id, created_at, id, -1 FROM old_rows WHERE deleted_at IS NULL) AS c
       LEFT JOIN (SELECT shop_id, CASE WHEN from_statement = statement_timestamp() THEN from_at ELSE until_at END AS at,
                         CASE WHEN from_statement = statement_timestamp() THEN from_id ELSE until_id END AS id
                    FROM public.visible_sets WHERE shop_id = ANY (shop_ids)) AS s USING (shop_id)
      GROUP BY c.shop_id;
  END IF;
  IF changed.tags THEN
    PERFORM public.catalog_remove_tags(array_agg(shop_id), array_agg(tag), array_agg(created_at), array_agg(id))
       FROM (SELECT o.shop_id, left(t.tag, 500) AS tag, o.created_at, o.id
               FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL
             EXCEPT
             SELECT n.shop_id, left(t.tag, 500), n.created_at, n.id
               FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag) WHERE n.deleted_at IS NULL) AS k
     HAVING count(*) > 0;
    INSERT INTO public.product_tags (shop_id, tag, created_at, product_id)
    SELECT n.shop_id, left(t.tag, 500), n.created_at, n.id
      FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag) WHERE n.deleted_at IS NULL
    EXCEPT
    SELECT o.shop_id, left(t.tag, 500), o.created_at, o.id
      FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL
     ORDER BY 1, 2, 3, 4;
  END IF;
  IF changed.terms THEN
    IF changed.places OR changed.gone_ids IS NOT NULL THEN
      PERFORM public.catalog_remove_terms(array_agg(shop_id), array_agg(id))
         FROM (SELECT shop_id, id FROM old_rows WHERE deleted_at IS NULL
               EXCEPT
               SELECT shop_id, id FROM new_rows WHERE deleted_at IS NULL) AS k
       HAVING count(*) > 0;
    END IF;
    INSERT INTO public.product_terms (shop_id, product_id, status, vendor, product_type, tags, search_text)
    SELECT shop_id, id, status, vendor, product_type, tags, search_text FROM new_rows WHERE deleted_at IS NULL
    EXCEPT
    SELECT shop_id, id, status, vendor, product_type, tags, search_text FROM old_rows WHERE deleted_at IS NULL
        ON CONFLICT (shop_id, product_id) DO UPDATE
       SET status = excluded.status, vendor = excluded.vendor, product_type = excluded.product_type, tags = excluded.tags,
           search_text = excluded.search_text;
  END IF;
  -- Only rows whose derived columns this statement changed.
  IF changed.product_ids IS NOT NULL THEN
    PERFORM public.catalog_derive_products(changed.shop_ids, changed.product_ids);
  END IF;
  RETURN NULL;
END
$$;

-- As before, with the terms.
CREATE OR REPLACE FUNCTION public.catalog_products_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM old_rows);
BEGIN
  IF shop_ids = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM FROM public.shops WHERE shop_id = ANY (shop_ids) ORDER BY shop_id FOR NO KEY UPDATE;
  PERFORM public.catalog_move_visible(o.shop_id, -count(*), -count(*) FILTER (
            WHERE s.shop_id IS NULL OR (o.created_at, o.id) <= (s.at, s.id)))
     FROM old_rows AS o
     LEFT JOIN (SELECT shop_id, CASE WHEN from_statement = statement_timestamp() THEN from_at ELSE until_at END AS at,
                       CASE WHEN from_statement = statement_timestamp() THEN from_id ELSE until_id END AS id
                  FROM public.visible_sets WHERE shop_id = ANY (shop_ids)) AS s USING (shop_id)
    WHERE o.deleted_at IS NULL
    GROUP BY o.shop_id;
  PERFORM public.catalog_remove_tags(array_agg(shop_id), array_agg(tag), array_agg(created_at), array_agg(id))
     FROM (SELECT DISTINCT o.shop_id, left(t.tag, 500) AS tag, o.created_at, o.id
             FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL) AS k
   HAVING count(*) > 0;
  PERFORM public.catalog_remove_terms(array_agg(shop_id), array_agg(id)) FROM old_rows WHERE deleted_at IS NULL HAVING count(*) > 0;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_deleted(1::smallint, array_agg(shop_id), array_agg(id), array_agg(external_id)) FROM old_rows;
  RETURN NULL;
END
$$;

-- As before, with the terms.
CREATE OR REPLACE FUNCTION public.catalog_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT shop_id FROM public.shops));
  IF TG_TABLE_NAME = 'variants' THEN
    UPDATE public.products SET variant_count = 0, min_price = NULL, max_price = NULL, total_stock = 0 WHERE variant_count > 0;
  ELSIF TG_TABLE_NAME = 'products' THEN
    TRUNCATE public.product_tags, public.product_terms;
    PERFORM public.catalog_move_visible(shop_id, -live_count, -CASE from_statement WHEN statement_timestamp() THEN from_count
                                                                ELSE visible_count END)
       FROM public.visible_sets;
  END IF;
  RETURN NULL;
END
$$;

-- As before, in the order of the keys: neighbours are in the same pages of both indexes.
CREATE OR REPLACE FUNCTION public.catalog_record_inserted(kind_of smallint, shop_ids uuid[], ids uuid[]) RETURNS void
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
   ORDER BY k.shop_id, k.id
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, external_id = NULL;
END
$$;
