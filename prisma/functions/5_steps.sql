-- The trigger functions: one for each table and event. Its steps run in the order in which they are written, so nothing depends on the
-- names of triggers (docs/decisions.md 138). Except for shops, they run once per statement, not per row.
--
-- Each first checks what the statement changed, and skips what cannot be wrong. JIT compilation is off: it takes longer than any of these
-- statements, and starts when a session disables a kind of join.

-- ---------------------------------------------------------------------------------------------------------------------
-- shops
-- ---------------------------------------------------------------------------------------------------------------------

-- Every change of a shop's row gives it a new version. Versions are based on time, so that a database restored from a backup never reuses a
-- version for other data. Derived columns are copied from visible_sets, whatever a writer sets.
CREATE OR REPLACE FUNCTION public.catalog_shop_written() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  s public.visible_sets;
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.data_version := 0;
    NEW.live_product_count := 0;
    NEW.visible_until_at := CASE WHEN NEW.product_limit = 0 THEN '-infinity' ELSE 'infinity' END;
    NEW.visible_until_id := CASE WHEN NEW.product_limit = 0 THEN '00000000-0000-0000-0000-000000000000'
                                 ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff' END;
  ELSE
    NEW.data_version := OLD.data_version;
    IF NOT public.catalog_has_witness(OLD.shop_id, (
         SELECT e.epoch FROM public.change_epochs AS e WHERE e.shop_id = OLD.shop_id ORDER BY e.after_version DESC LIMIT 1)) THEN
      PERFORM public.catalog_begin_epoch(OLD.shop_id, OLD.data_version);
    END IF;
    IF NEW.shop_id <> OLD.shop_id THEN
      DELETE FROM public.changes WHERE shop_id = OLD.shop_id; -- the shop has no rows: these are entries of deleted ones
    END IF;
    IF (NEW.product_limit, NEW.live_product_count, NEW.visible_until_at, NEW.visible_until_id)
       IS DISTINCT FROM (OLD.product_limit, OLD.live_product_count, OLD.visible_until_at, OLD.visible_until_id) THEN
      IF NEW.product_limit IS DISTINCT FROM OLD.product_limit THEN
        s := public.catalog_place_visible(OLD.shop_id, NEW.product_limit, 0, 0);
      ELSE
        SELECT * INTO s FROM public.visible_sets WHERE shop_id = OLD.shop_id;
      END IF;
      NEW.live_product_count := coalesce(s.live_count, OLD.live_product_count);
      NEW.visible_until_at := coalesce(s.until_at, OLD.visible_until_at);
      NEW.visible_until_id := coalesce(s.until_id, OLD.visible_until_id);
    END IF;
  END IF;
  NEW.data_version := greatest(NEW.data_version + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  RETURN NEW;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_shops_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_begin_epoch(shop_id, 0) FROM new_rows;
  RETURN NULL;
END
$$;

-- Fires catalog_record_moves. Not done in catalog_note_move, which runs in the middle of updates of shops: a writer may have used SET
-- CONSTRAINTS ALL IMMEDIATE.
CREATE OR REPLACE FUNCTION public.catalog_shop_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE public.visible_moves SET from_at = from_at WHERE shop_id = NEW.shop_id;
  RETURN NULL;
END
$$;

-- Runs before the shop's rows are deleted with it. Their triggers then leave nothing behind: entries and figures need a shop.
CREATE OR REPLACE FUNCTION public.catalog_shop_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  DELETE FROM public.changes WHERE shop_id = OLD.shop_id;
  DELETE FROM public.order_figures WHERE shop_id = OLD.shop_id;
  RETURN OLD;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_shops_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  TRUNCATE public.changes;
  RETURN NULL;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- products
-- ---------------------------------------------------------------------------------------------------------------------

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
  SELECT DISTINCT n.shop_id, left(t.tag, 500 /*kept_characters*/), n.created_at, n.id
    FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag)
   WHERE n.deleted_at IS NULL
   ORDER BY 1, 2, 3, 4;
  PERFORM public.catalog_write_terms(array_agg(shop_id), array_agg(id))
     FROM (SELECT shop_id, id FROM new_rows WHERE deleted_at IS NULL ORDER BY 1, 2) AS n
   HAVING count(*) > 0;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_inserted(1 /*product_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  PERFORM public.catalog_move_members(array_agg(1), array_agg(n.shop_id), array_agg(m.collection), array_agg(m.place), array_agg(n.id),
            array_agg(n.created_at))
     FROM new_rows AS n CROSS JOIN LATERAL public.catalog_memberships(n.memberships) AS m
    WHERE n.deleted_at IS NULL AND n.memberships <> '[]'
   HAVING count(*) > 0;
  -- A new product without variants has these values. Variants inserted by the same statement have their own trigger.
  PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(id))
     FROM new_rows
    WHERE (variant_count, min_price, max_price, total_stock, skus)
          IS DISTINCT FROM (0, NULL::text, NULL::text, 0::bigint, NULL::text)
   HAVING count(*) > 0;
  RETURN NULL;
END
$$;

-- Uses a full join, because none of its plans is quadratic: a session's first plan, made for a few rows, is kept.
CREATE OR REPLACE FUNCTION public.catalog_products_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[];
  changed record;
BEGIN
  -- The correction by catalog_derive_products, which a writer cannot imitate: the shop has its version already, and nothing else changed.
  -- With several shops, it is the secret of the first.
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
         bool_or((n.shop_id, n.created_at, n.deleted_at IS NULL, n.memberships)
                 IS DISTINCT FROM (o.shop_id, o.created_at, o.deleted_at IS NULL, o.memberships)) AS members,
         bool_or((n.shop_id, n.id, n.deleted_at IS NULL, n.status, n.vendor, n.product_type, n.tags, n.search_text, n.search_words)
                 IS DISTINCT FROM (o.shop_id, o.id, o.deleted_at IS NULL, o.status, o.vendor, o.product_type, o.tags, o.search_text,
                                   o.search_words)) AS terms,
         array_agg(n.shop_id) FILTER (WHERE d.is_changed) AS shop_ids, array_agg(n.id) FILTER (WHERE d.is_changed) AS product_ids,
         array_agg(o.shop_id) FILTER (WHERE n.id IS NULL) AS gone_shop_ids, array_agg(o.id) FILTER (WHERE n.id IS NULL) AS gone_ids
    INTO changed
    FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
   CROSS JOIN LATERAL (
         SELECT n.id IS NOT NULL AND (n.variant_count, n.min_price, n.max_price, n.total_stock, n.skus)
                IS DISTINCT FROM (o.variant_count, o.min_price, o.max_price, o.total_stock, o.skus) AS is_changed) AS d;
  PERFORM public.catalog_record_changes(1 /*product_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  IF changed.gone_ids IS NOT NULL THEN
    PERFORM public.catalog_record_deleted(1 /*product_kind*/::smallint, changed.gone_shop_ids, changed.gone_ids);
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
       FROM (SELECT o.shop_id, left(t.tag, 500 /*kept_characters*/) AS tag, o.created_at, o.id
               FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL
             EXCEPT
             SELECT n.shop_id, left(t.tag, 500 /*kept_characters*/), n.created_at, n.id
               FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag) WHERE n.deleted_at IS NULL) AS k
     HAVING count(*) > 0;
    INSERT INTO public.product_tags (shop_id, tag, created_at, product_id)
    SELECT n.shop_id, left(t.tag, 500 /*kept_characters*/), n.created_at, n.id
      FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag) WHERE n.deleted_at IS NULL
    EXCEPT
    SELECT o.shop_id, left(t.tag, 500 /*kept_characters*/), o.created_at, o.id
      FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL
     ORDER BY 1, 2, 3, 4;
  END IF;
  IF changed.members THEN
    PERFORM public.catalog_move_members(array_agg(c.sign), array_agg(c.shop_id), array_agg(c.collection), array_agg(c.place),
              array_agg(c.id), array_agg(c.created_at))
       FROM (SELECT c.shop_id, c.id, c.created_at, c.collection, c.place, sum(c.sign)::integer AS sign
               FROM (SELECT n.shop_id, n.id, n.created_at, m.*, 1 AS sign
                       FROM new_rows AS n CROSS JOIN LATERAL public.catalog_memberships(n.memberships) AS m
                      WHERE n.deleted_at IS NULL AND n.memberships <> '[]'
                      UNION ALL
                     SELECT o.shop_id, o.id, o.created_at, m.*, -1
                       FROM old_rows AS o CROSS JOIN LATERAL public.catalog_memberships(o.memberships) AS m
                      WHERE o.deleted_at IS NULL AND o.memberships <> '[]') AS c
              GROUP BY 1, 2, 3, 4, 5 HAVING sum(c.sign) <> 0) AS c
     HAVING count(*) > 0;
  END IF;
  IF changed.terms THEN
    IF changed.places OR changed.gone_ids IS NOT NULL THEN
      PERFORM public.catalog_remove_terms(array_agg(shop_id), array_agg(id))
         FROM (SELECT shop_id, id FROM old_rows WHERE deleted_at IS NULL
               EXCEPT
               SELECT shop_id, id FROM new_rows WHERE deleted_at IS NULL) AS k
       HAVING count(*) > 0;
    END IF;
    PERFORM public.catalog_write_terms(array_agg(shop_id), array_agg(id))
       FROM (SELECT shop_id, id, status, vendor, product_type, tags, search_text, search_words FROM new_rows WHERE deleted_at IS NULL
             EXCEPT
             SELECT shop_id, id, status, vendor, product_type, tags, search_text, search_words FROM old_rows WHERE deleted_at IS NULL
              ORDER BY 1, 2) AS n
     HAVING count(*) > 0;
  END IF;
  -- Only rows whose derived columns this statement changed.
  IF changed.product_ids IS NOT NULL THEN
    PERFORM public.catalog_derive_products(changed.shop_ids, changed.product_ids);
  END IF;
  RETURN NULL;
END
$$;

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
     FROM (SELECT DISTINCT o.shop_id, left(t.tag, 500 /*kept_characters*/) AS tag, o.created_at, o.id
             FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL) AS k
   HAVING count(*) > 0;
  PERFORM public.catalog_remove_terms(array_agg(shop_id), array_agg(id)) FROM old_rows WHERE deleted_at IS NULL HAVING count(*) > 0;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_deleted(1 /*product_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM old_rows;
  PERFORM public.catalog_move_members(array_agg(-1), array_agg(o.shop_id), array_agg(m.collection), array_agg(m.place), array_agg(o.id),
            array_agg(o.created_at))
     FROM old_rows AS o CROSS JOIN LATERAL public.catalog_memberships(o.memberships) AS m
    WHERE o.deleted_at IS NULL AND o.memberships <> '[]'
   HAVING count(*) > 0;
  RETURN NULL;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- variants
-- ---------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION public.catalog_variants_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_inserted(2 /*variant_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
    PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM new_rows;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_variants_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_changes(2 /*variant_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
    PERFORM public.catalog_record_deleted(2 /*variant_kind*/::smallint, array_agg(o.shop_id), array_agg(o.id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      WHERE n.id IS NULL
     HAVING count(*) > 0;
    -- Only for variants with a relevant change. The position decides between equal prices.
    PERFORM public.catalog_derive_products(array_agg(c.shop_id), array_agg(c.product_id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      CROSS JOIN LATERAL (VALUES (n.shop_id, n.product_id), (o.shop_id, o.product_id)) AS c (shop_id, product_id)
      WHERE (n.product_id, n.price, n.inventory_quantity, n.position, n.sku)
            IS DISTINCT FROM (o.product_id, o.price, o.inventory_quantity, o.position, o.sku)
        AND c.shop_id IS NOT NULL
     HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_variants_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM old_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_deleted(2 /*variant_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM old_rows;
    PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM old_rows;
  END IF;
  RETURN NULL;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- collections (nothing is derived from them)
-- ---------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION public.catalog_collections_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_inserted(3 /*collection_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_collections_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_changes(3 /*collection_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
    PERFORM public.catalog_record_deleted(3 /*collection_kind*/::smallint, array_agg(o.shop_id), array_agg(o.id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      WHERE n.id IS NULL
     HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_collections_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM old_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_deleted(3 /*collection_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM old_rows;
  END IF;
  RETURN NULL;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- orders
-- ---------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION public.catalog_orders_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_inserted(4 /*order_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  PERFORM public.catalog_add_order_figures(array_agg(1), array_agg(shop_id), array_agg(sort_at), array_agg(currency),
            array_agg(financial_status), array_agg(fulfillment_status), array_agg(total_price_value), array_agg(total_tax::numeric),
            array_agg(total_shipping::numeric))
     FROM new_rows;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_orders_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows);
BEGIN
  IF shop_ids = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_changes(4 /*order_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  PERFORM public.catalog_record_deleted(4 /*order_kind*/::smallint, array_agg(o.shop_id), array_agg(o.id))
     FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
    WHERE n.id IS NULL
   HAVING count(*) > 0;
  -- Only orders with a relevant change.
  PERFORM public.catalog_add_order_figures(array_agg(c.sign), array_agg(c.shop_id), array_agg(c.sort_at), array_agg(c.currency),
            array_agg(c.financial_status), array_agg(c.fulfillment_status), array_agg(c.price), array_agg(c.tax::numeric),
            array_agg(c.shipping::numeric))
     FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
    CROSS JOIN LATERAL (VALUES
            (-1, o.shop_id, o.sort_at, o.currency, o.financial_status, o.fulfillment_status, o.total_price_value, o.total_tax, o.total_shipping),
            (1, n.shop_id, n.sort_at, n.currency, n.financial_status, n.fulfillment_status, n.total_price_value, n.total_tax, n.total_shipping))
          AS c (sign, shop_id, sort_at, currency, financial_status, fulfillment_status, price, tax, shipping)
    WHERE (n.shop_id, n.sort_at, n.currency, n.financial_status, n.fulfillment_status, n.total_price, n.total_tax, n.total_shipping)
          IS DISTINCT FROM
          (o.shop_id, o.sort_at, o.currency, o.financial_status, o.fulfillment_status, o.total_price, o.total_tax, o.total_shipping)
      AND c.shop_id IS NOT NULL
   HAVING count(*) > 0;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_orders_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM old_rows);
BEGIN
  IF shop_ids = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_deleted(4 /*order_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM old_rows;
  PERFORM public.catalog_add_order_figures(array_agg(-1), array_agg(shop_id), array_agg(sort_at), array_agg(currency),
            array_agg(financial_status), array_agg(fulfillment_status), array_agg(total_price_value), array_agg(total_tax::numeric),
            array_agg(total_shipping::numeric))
     FROM old_rows;
  RETURN NULL;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- TRUNCATE has no transition tables and empties every shop at once. The argument of the triggers is the table, because shards have other
-- names.
-- ---------------------------------------------------------------------------------------------------------------------

-- Before TRUNCATE: records every row as deleted.
CREATE OR REPLACE FUNCTION public.catalog_record_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT shop_id FROM public.shops));
  EXECUTE format('SELECT public.catalog_record_deleted($1, array_agg(shop_id), array_agg(id)) FROM %s', TG_RELID::regclass)
    USING CASE TG_ARGV[0] WHEN 'products' THEN 1 /*product_kind*/ WHEN 'variants' THEN 2 /*variant_kind*/
               WHEN 'collections' THEN 3 /*collection_kind*/ ELSE 4 /*order_kind*/ END::smallint;
  RETURN NULL;
END
$$;

-- After TRUNCATE.
CREATE OR REPLACE FUNCTION public.catalog_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT shop_id FROM public.shops));
  IF TG_ARGV[0] = 'variants' THEN
    UPDATE public.products SET variant_count = 0, min_price = NULL, max_price = NULL, total_stock = 0 WHERE variant_count > 0;
  ELSIF TG_ARGV[0] = 'products' THEN
    TRUNCATE public.product_tags, public.product_terms, public.collection_products;
    PERFORM public.catalog_record_changes(3 /*collection_kind*/::smallint, array_agg(shop_id), array_agg(id)) FROM public.collections
     HAVING count(*) > 0;
    PERFORM public.catalog_move_visible(shop_id, -live_count, -CASE from_statement WHEN statement_timestamp() THEN from_count
                                                                ELSE visible_count END)
       FROM public.visible_sets;
  ELSIF TG_ARGV[0] = 'orders' THEN
    TRUNCATE public.order_figures;
  END IF;
  RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION public.catalog_shop_written, public.catalog_shops_inserted, public.catalog_shop_moved,
  public.catalog_shop_deleted, public.catalog_shops_truncated,
  public.catalog_products_inserted, public.catalog_products_updated, public.catalog_products_deleted,
  public.catalog_variants_inserted, public.catalog_variants_updated, public.catalog_variants_deleted,
  public.catalog_collections_inserted, public.catalog_collections_updated, public.catalog_collections_deleted,
  public.catalog_orders_inserted, public.catalog_orders_updated, public.catalog_orders_deleted,
  public.catalog_record_truncated, public.catalog_truncated
  FROM PUBLIC;
