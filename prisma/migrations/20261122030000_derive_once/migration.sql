-- Derived columns of products are worked out once for each change of variants (docs/decisions.md 76).
--
-- The correction that catalog_derive_products makes is a statement of its own. The trigger of products treated it like a writer's and
-- derived everything a second time. Now it recognizes the correction by a secret that only the owner of the tables can read. A setting holds the
-- secret while the correction runs, and no code of a writer runs then.

ALTER TABLE public.visible_sets ADD COLUMN derivation_secret uuid NOT NULL DEFAULT gen_random_uuid();

-- As before, but for the names of the columns: the new one has its default.
CREATE OR REPLACE FUNCTION public.catalog_place_visible(shop uuid, row_limit integer, live_delta bigint, visible_delta bigint)
RETURNS public.visible_sets
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  s public.visible_sets;
  is_known boolean;
BEGIN
  SELECT * INTO s FROM public.visible_sets WHERE shop_id = shop;
  is_known := FOUND;
  IF NOT is_known THEN
    s := ROW(shop, 0, 0, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff',
             '-infinity', 0, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  END IF;
  IF s.from_statement <> statement_timestamp() THEN
    s.from_statement := statement_timestamp();
    s.from_count := s.visible_count;
    s.from_at := s.until_at;
    s.from_id := s.until_id;
  END IF;
  s.live_count := s.live_count + live_delta;
  s.from_count := s.from_count + visible_delta;
  s.visible_count := coalesce(greatest(least(row_limit, s.live_count), 0), s.live_count);
  IF row_limit IS NULL OR s.live_count <= row_limit THEN
    s.until_at := 'infinity';
    s.until_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ELSIF s.visible_count = 0 THEN
    s.until_at := '-infinity';
    s.until_id := '00000000-0000-0000-0000-000000000000';
  ELSIF s.visible_count = s.from_count THEN
    s.until_at := s.from_at;
    s.until_id := s.from_id;
  ELSIF s.visible_count < s.from_count - s.visible_count THEN
    SELECT until_at, until_id INTO s.until_at, s.until_id
      FROM public.catalog_walk_products(shop, '-infinity', '00000000-0000-0000-0000-000000000000', s.visible_count);
  ELSE
    SELECT until_at, until_id INTO s.until_at, s.until_id
      FROM public.catalog_walk_products(shop, s.from_at, s.from_id, s.visible_count - s.from_count);
  END IF;
  -- Nowhere: only in the middle of a statement, when rows that are still counted are gone. A later trigger comes back to it.
  s.until_at := coalesce(s.until_at, 'infinity');
  s.until_id := coalesce(s.until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  IF is_known THEN
    UPDATE public.visible_sets
       SET (live_count, visible_count, until_at, until_id, from_statement, from_count, from_at, from_id)
         = (s.live_count, s.visible_count, s.until_at, s.until_id, s.from_statement, s.from_count, s.from_at, s.from_id)
     WHERE shop_id = shop;
  ELSE
    INSERT INTO public.visible_sets
           (shop_id, live_count, visible_count, until_at, until_id, from_statement, from_count, from_at, from_id)
    SELECT s.shop_id, s.live_count, s.visible_count, s.until_at, s.until_id, s.from_statement, s.from_count, s.from_at, s.from_id;
  END IF;
  RETURN s;
END
$$;

-- As before, but for the setting.
CREATE OR REPLACE FUNCTION public.catalog_derive_products(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
DECLARE
  wrong record;
BEGIN
  -- Looked up first, because an UPDATE that finds nothing still runs its triggers.
  SELECT array_agg(product.at) AS at, array_agg(k.shop_id) AS shop_id, array_agg(k.id) AS id,
         array_agg(d.variant_count) AS variant_count, array_agg(d.min_price) AS min_price, array_agg(d.max_price) AS max_price,
         array_agg(d.total_stock) AS total_stock
    INTO wrong
    FROM (SELECT DISTINCT * FROM unnest(shop_ids, product_ids) AS k (shop_id, id)) AS k
   CROSS JOIN LATERAL (
         SELECT found.ctid AS at, found.id, found.variant_count, found.min_price, found.max_price, found.total_stock
           FROM public.products AS found
          -- Not `=`: an equality would make the order meaningless, and with it the hint.
          WHERE found.shop_id = k.shop_id AND found.id >= k.id AND found.id <= k.id
          ORDER BY found.id LIMIT 1) AS product
   CROSS JOIN LATERAL (
         SELECT count(*)::integer AS variant_count,
                (array_agg(v.price ORDER BY v.price_value, v.position, v.id)
                   FILTER (WHERE v.price IS NOT NULL))[1] AS min_price,
                (array_agg(v.price ORDER BY v.price_value DESC, v.position, v.id)
                   FILTER (WHERE v.price IS NOT NULL))[1] AS max_price,
                coalesce(sum(v.inventory_quantity), 0)::bigint AS total_stock
           FROM (SELECT price, price_value, position, id, inventory_quantity FROM public.variants AS v
                  WHERE v.shop_id = k.shop_id AND v.product_id = k.id
                  ORDER BY v.position, v.id OFFSET 0) AS v) AS d
   WHERE product.id = k.id
     AND (product.variant_count, product.min_price, product.max_price, product.total_stock)
         IS DISTINCT FROM (d.variant_count, d.min_price, d.max_price, d.total_stock);
  IF wrong.id IS NOT NULL THEN
    PERFORM set_config('catalog.deriving', (
      SELECT derivation_secret::text FROM public.visible_sets
       WHERE shop_id = (SELECT k.shop_id FROM unnest(wrong.shop_id) AS k (shop_id) ORDER BY 1 LIMIT 1)), true);
    UPDATE public.products AS p
       SET variant_count = d.variant_count, min_price = d.min_price, max_price = d.max_price, total_stock = d.total_stock
      FROM unnest(wrong.at, wrong.shop_id, wrong.id, wrong.variant_count, wrong.min_price, wrong.max_price, wrong.total_stock)
           AS d (at, shop_id, id, variant_count, min_price, max_price, total_stock)
     WHERE p.ctid = d.at AND p.shop_id = d.shop_id AND p.id = d.id; -- a ctid alone is not unique where the table is partitioned
    PERFORM set_config('catalog.deriving', '', true);
  END IF;
END
$$;

-- As before, but for the first lines.
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
         array_agg(n.shop_id) FILTER (WHERE d.is_changed) AS shop_ids, array_agg(n.id) FILTER (WHERE d.is_changed) AS product_ids
    INTO changed
    FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
   CROSS JOIN LATERAL (
         SELECT n.id IS NOT NULL AND (n.variant_count, n.min_price, n.max_price, n.total_stock)
                IS DISTINCT FROM (o.variant_count, o.min_price, o.max_price, o.total_stock) AS is_changed) AS d;
  IF changed.places THEN
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
  -- Only rows whose derived columns this statement changed.
  IF changed.product_ids IS NOT NULL THEN
    PERFORM public.catalog_derive_products(changed.shop_ids, changed.product_ids);
  END IF;
  RETURN NULL;
END
$$;
