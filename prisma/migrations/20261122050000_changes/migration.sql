-- What changed in a shop, in the order of its versions (docs/decisions.md 93, 94, 95).
--
-- Writers wait while the objects that are there already are entered, with version 0; readers do not.

LOCK TABLE public.shops, public.products, public.variants, public.collections, public.orders IN SHARE ROW EXCLUSIVE MODE;

-- One row per object, with the version of the shop in which a reader's view of it last changed. Writers have no privilege on it. Whether an
-- object exists is asked of its own table; external_id is what remains of one that was deleted.
--
-- No foreign key: its check of every row would cost more than the row.
CREATE TABLE public.changes (
  shop_id     uuid NOT NULL,
  id          uuid NOT NULL,
  version     bigint NOT NULL,
  -- 1 product, 2 variant, 3 collection, 4 order: the order of objects within one version.
  kind        smallint NOT NULL,
  external_id text,
  CONSTRAINT changes_pkey PRIMARY KEY (shop_id, kind, id)
);

INSERT INTO public.changes (shop_id, kind, id, version)
SELECT shop_id, 1, id, 0 FROM public.products
 UNION ALL SELECT shop_id, 2, id, 0 FROM public.variants
 UNION ALL SELECT shop_id, 3, id, 0 FROM public.collections
 UNION ALL SELECT shop_id, 4, id, 0 FROM public.orders;

-- Each kind for itself: a reader of orders does not pass over products.
CREATE INDEX changes_feed_idx ON public.changes (shop_id, kind, version, id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Histories. A restored backup or a failover that lost transactions goes back to an older version and on from there. Both come with
-- another server process or another database, so the first write there begins a new epoch and notes the version from which it went on. A cursor
-- from an earlier epoch is good when its reader had seen nothing beyond that version.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE public.change_epochs (
  shop_id       uuid NOT NULL REFERENCES public.shops ON DELETE CASCADE ON UPDATE CASCADE,
  after_version bigint NOT NULL,
  epoch         uuid NOT NULL DEFAULT gen_random_uuid(),
  server        text NOT NULL,
  PRIMARY KEY (shop_id, after_version)
);

-- What a restore or a failover changes: the start of the server process, the database, the table.
CREATE FUNCTION public.catalog_server() RETURNS text
LANGUAGE sql STABLE
RETURN concat(
  extract(epoch FROM pg_postmaster_start_time()), '/',
  (SELECT oid FROM pg_database WHERE datname = current_database()), '/',
  'public.shops'::regclass::oid);

INSERT INTO public.change_epochs (shop_id, after_version, server) SELECT shop_id, 0, public.catalog_server() FROM public.shops;

-- For operators whose restore leaves server, database and tables as they are (docs/operations.md, Backup and restore): no cursor of these
-- shops is good any more. Without an argument, of any shop.
CREATE FUNCTION public.catalog_restart_changes(restarted uuid DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM public.shops WHERE restarted IS NULL OR shop_id = restarted ORDER BY shop_id FOR NO KEY UPDATE;
  DELETE FROM public.change_epochs WHERE restarted IS NULL OR shop_id = restarted;
  INSERT INTO public.change_epochs (shop_id, after_version, server)
  SELECT shop_id, 0, public.catalog_server() FROM public.shops WHERE restarted IS NULL OR shop_id = restarted;
  UPDATE public.shops SET data_version = data_version WHERE restarted IS NULL OR shop_id = restarted;
END
$$;

CREATE FUNCTION public.catalog_shops_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  INSERT INTO public.change_epochs (shop_id, after_version, server) SELECT shop_id, 0, public.catalog_server() FROM new_rows
      ON CONFLICT (shop_id, after_version) DO UPDATE SET epoch = excluded.epoch;
  RETURN NULL;
END
$$;
CREATE TRIGGER shops_inserted AFTER INSERT ON public.shops REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_shops_inserted();

-- Before the shop's rows are deleted with it. They leave nothing behind then.
CREATE FUNCTION public.catalog_shop_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  DELETE FROM public.changes WHERE shop_id = OLD.shop_id;
  RETURN OLD;
END
$$;
CREATE TRIGGER shops_deleted BEFORE DELETE ON public.shops
  FOR EACH ROW EXECUTE FUNCTION public.catalog_shop_deleted();

CREATE FUNCTION public.catalog_shops_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  TRUNCATE public.changes;
  RETURN NULL;
END
$$;
CREATE TRIGGER shops_truncated AFTER TRUNCATE ON public.shops
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_shops_truncated();

-- As before, but for the epoch and a shop that changes its id.
CREATE OR REPLACE FUNCTION public.catalog_shop_written() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  s public.visible_sets;
  server text := public.catalog_server();
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.data_version := 0;
    NEW.live_product_count := 0;
    NEW.visible_until_at := CASE WHEN NEW.product_limit = 0 THEN '-infinity' ELSE 'infinity' END;
    NEW.visible_until_id := CASE WHEN NEW.product_limit = 0 THEN '00000000-0000-0000-0000-000000000000'
                                 ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff' END;
  ELSE
    NEW.data_version := OLD.data_version;
    IF server IS DISTINCT FROM (SELECT e.server FROM public.change_epochs AS e
                                 WHERE e.shop_id = OLD.shop_id ORDER BY e.after_version DESC LIMIT 1) THEN
      INSERT INTO public.change_epochs (shop_id, after_version, server) VALUES (OLD.shop_id, OLD.data_version, server);
    END IF;
    IF NEW.shop_id <> OLD.shop_id THEN
      DELETE FROM public.changes WHERE shop_id = OLD.shop_id; -- of a shop without rows: what it once had
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Entering what changed. The shop has its version by then.
-- ---------------------------------------------------------------------------------------------------------------------

-- Without ON CONFLICT, which costs a quarter more: writers of a shop take turns, so nobody else enters anything meanwhile.
--
-- What has an entry of this transaction is left alone: nobody sees a part of a transaction, so any of its versions will do. xmin alone is not
-- enough (see catalog_touch_shops).
CREATE FUNCTION public.catalog_record_changes(kind_of smallint, shop_ids uuid[], ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
DECLARE
  this_transaction xid := pg_current_xact_id()::xid;
  began bigint := extract(epoch FROM transaction_timestamp()) * 1000000;
BEGIN
  INSERT INTO public.changes AS c (shop_id, kind, id, version)
  SELECT k.shop_id, kind_of, k.id, s.data_version
    FROM (SELECT DISTINCT * FROM unnest(shop_ids, ids) AS k (shop_id, id) ORDER BY 1, 2) AS k
    JOIN public.shops AS s ON s.shop_id = k.shop_id
    LEFT JOIN LATERAL (
         SELECT found.xmin AS writer, found.version FROM public.changes AS found
          -- The order is that of changes_pkey alone, whatever the statistics say. Not `=`: an equality would make the order meaningless.
          WHERE found.shop_id = k.shop_id AND found.kind = kind_of AND found.id >= k.id AND found.id <= k.id
          ORDER BY found.id LIMIT 1) AS known ON true
   WHERE (known.writer = this_transaction AND known.version >= began) IS NOT TRUE
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, external_id = NULL
   WHERE c.version <> excluded.version;
END
$$;

CREATE FUNCTION public.catalog_record_deleted(kind_of smallint, shop_ids uuid[], ids uuid[], external_ids text[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = on SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
BEGIN
  INSERT INTO public.changes (shop_id, kind, id, version, external_id)
  SELECT k.shop_id, kind_of, k.id, s.data_version,
         -- No address of a customer outlives its order (src/catalog/order/order-privacy.ts shows the same).
         CASE WHEN kind_of = 4 AND k.external_id ~ '@|%40' THEN 'redacted:' || k.id ELSE k.external_id END
    FROM (SELECT DISTINCT ON (1, 2) * FROM unnest(shop_ids, ids, external_ids) AS k (shop_id, id, external_id) ORDER BY 1, 2) AS k
    JOIN public.shops AS s ON s.shop_id = k.shop_id
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, external_id = excluded.external_id;
END
$$;

-- The variants of products that come into sight or go out of it.
CREATE FUNCTION public.catalog_record_variants_of(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
BEGIN
  -- The order is that of variants_product_idx (see catalog_derive_products).
  PERFORM public.catalog_record_changes(2::smallint, array_agg(k.shop_id), array_agg(v.id))
     FROM unnest(shop_ids, product_ids) AS k (shop_id, id)
    CROSS JOIN LATERAL (
          SELECT v.id FROM public.variants AS v
           WHERE v.shop_id = k.shop_id AND v.product_id = k.id
           ORDER BY v.position, v.id OFFSET 0) AS v
   HAVING count(*) > 0;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The end of the visible set. Products that it moves over have changed for readers, and so have their variants, though nobody wrote them. They
-- are entered at the end of the transaction, when it stands where it stays. Until then visible_moves holds where it stood before; for everybody
-- else that table is empty.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE public.visible_moves (
  shop_id uuid PRIMARY KEY,
  from_at timestamptz(3) NOT NULL,
  from_id uuid NOT NULL
);

CREATE FUNCTION public.catalog_note_move() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.visible_moves (shop_id, from_at, from_id) VALUES (OLD.shop_id, OLD.until_at, OLD.until_id)
      ON CONFLICT (shop_id) DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER visible_sets_moved AFTER UPDATE ON public.visible_sets FOR EACH ROW
  WHEN ((NEW.until_at, NEW.until_id) IS DISTINCT FROM (OLD.until_at, OLD.until_id))
  EXECUTE FUNCTION public.catalog_note_move();

-- Not in the trigger above, which runs in the middle of updates of shops: a writer may have said SET CONSTRAINTS ALL IMMEDIATE.
CREATE FUNCTION public.catalog_shop_moved() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE public.visible_moves SET from_at = from_at WHERE shop_id = NEW.shop_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER shops_moved AFTER UPDATE ON public.shops FOR EACH ROW
  WHEN ((NEW.visible_until_at, NEW.visible_until_id) IS DISTINCT FROM (OLD.visible_until_at, OLD.visible_until_id))
  EXECUTE FUNCTION public.catalog_shop_moved();

CREATE FUNCTION public.catalog_record_moves() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
DECLARE
  place record;
  shop_ids uuid[];
  product_ids uuid[];
BEGIN
  DELETE FROM public.visible_moves WHERE shop_id = NEW.shop_id;
  IF NOT FOUND THEN
    RETURN NULL; -- done by an earlier event of this transaction
  END IF;
  SELECT CASE WHEN c.is_behind THEN NEW.from_at ELSE s.visible_until_at END AS after_at,
         CASE WHEN c.is_behind THEN NEW.from_id ELSE s.visible_until_id END AS after_id,
         CASE WHEN c.is_behind THEN s.visible_until_at ELSE NEW.from_at END AS to_at,
         CASE WHEN c.is_behind THEN s.visible_until_id ELSE NEW.from_id END AS to_id
    INTO place
    FROM public.shops AS s
   CROSS JOIN LATERAL (SELECT (s.visible_until_at, s.visible_until_id) > (NEW.from_at, NEW.from_id) AS is_behind) AS c
   WHERE s.shop_id = NEW.shop_id;
  SELECT array_agg(p.shop_id), array_agg(p.id) INTO shop_ids, product_ids
    FROM (SELECT shop_id, id FROM public.products
           WHERE shop_id = NEW.shop_id AND deleted_at IS NULL
             AND (created_at, id) > (place.after_at, place.after_id) AND (created_at, id) <= (place.to_at, place.to_id)
           ORDER BY created_at, id OFFSET 0) AS p;
  IF product_ids IS NOT NULL THEN
    PERFORM public.catalog_touch_shops(ARRAY[NEW.shop_id]);
    PERFORM public.catalog_record_changes(1::smallint, shop_ids, product_ids);
    PERFORM public.catalog_record_variants_of(shop_ids, product_ids);
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER visible_moves_recorded AFTER UPDATE ON public.visible_moves
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.catalog_record_moves();

-- ---------------------------------------------------------------------------------------------------------------------
-- The triggers, as before, but that they enter what changed.
-- ---------------------------------------------------------------------------------------------------------------------

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
    PERFORM public.catalog_record_changes(1::smallint, wrong.shop_id, wrong.id);
  END IF;
END
$$;

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
  PERFORM public.catalog_record_changes(1::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  -- A new product without variants has these values. Variants that came with the same statement have a trigger of their own.
  PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(id))
     FROM new_rows
    WHERE (variant_count, min_price, max_price, total_stock) IS DISTINCT FROM (0, NULL::text, NULL::text, 0::bigint)
   HAVING count(*) > 0;
  RETURN NULL;
END
$$;

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
    PERFORM public.catalog_record_variants_of(array_agg(n.shop_id), array_agg(n.id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      WHERE n.id IS NOT NULL AND (n.created_at, n.deleted_at IS NULL) IS DISTINCT FROM (o.created_at, o.deleted_at IS NULL)
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
     FROM (SELECT DISTINCT o.shop_id, left(t.tag, 500) AS tag, o.created_at, o.id
             FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL) AS k
   HAVING count(*) > 0;
  PERFORM public.catalog_touch_shops(shop_ids);
  PERFORM public.catalog_record_deleted(1::smallint, array_agg(shop_id), array_agg(id), array_agg(external_id)) FROM old_rows;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_variants_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_changes(2::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
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
    PERFORM public.catalog_record_changes(2::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
    PERFORM public.catalog_record_deleted(2::smallint, array_agg(o.shop_id), array_agg(o.id), array_agg(o.external_id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      WHERE n.id IS NULL
     HAVING count(*) > 0;
    -- Only of variants of which something changed that counts. The position decides between prices of the same value.
    PERFORM public.catalog_derive_products(array_agg(c.shop_id), array_agg(c.product_id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      CROSS JOIN LATERAL (VALUES (n.shop_id, n.product_id), (o.shop_id, o.product_id)) AS c (shop_id, product_id)
      WHERE (n.product_id, n.price, n.inventory_quantity, n.position)
            IS DISTINCT FROM (o.product_id, o.price, o.inventory_quantity, o.position)
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
    PERFORM public.catalog_record_deleted(2::smallint, array_agg(shop_id), array_agg(id), array_agg(external_id)) FROM old_rows;
    PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM old_rows;
  END IF;
  RETURN NULL;
END
$$;

-- Collections and orders have nothing derived.
CREATE OR REPLACE FUNCTION public.catalog_rows_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM new_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_changes(
              CASE TG_TABLE_NAME WHEN 'collections' THEN 3 ELSE 4 END::smallint, array_agg(shop_id), array_agg(id)) FROM new_rows;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_rows_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows);
  kind smallint := CASE TG_TABLE_NAME WHEN 'collections' THEN 3 ELSE 4 END;
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_changes(kind, array_agg(shop_id), array_agg(id)) FROM new_rows;
    PERFORM public.catalog_record_deleted(kind, array_agg(o.shop_id), array_agg(o.id), array_agg(o.external_id))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      WHERE n.id IS NULL
     HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_rows_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT DISTINCT shop_id FROM old_rows);
BEGIN
  IF shop_ids <> '{}' THEN
    PERFORM public.catalog_touch_shops(shop_ids);
    PERFORM public.catalog_record_deleted(
              CASE TG_TABLE_NAME WHEN 'collections' THEN 3 ELSE 4 END::smallint,
              array_agg(shop_id), array_agg(id), array_agg(external_id)) FROM old_rows;
  END IF;
  RETURN NULL;
END
$$;

-- Every row is deleted. Before, because TRUNCATE has no transition tables.
CREATE FUNCTION public.catalog_record_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT shop_id FROM public.shops));
  EXECUTE format('SELECT public.catalog_record_deleted($1, array_agg(shop_id), array_agg(id), array_agg(external_id)) FROM %s', TG_RELID::regclass)
    USING CASE TG_TABLE_NAME WHEN 'products' THEN 1 WHEN 'variants' THEN 2 WHEN 'collections' THEN 3 ELSE 4 END::smallint;
  RETURN NULL;
END
$$;
CREATE TRIGGER products_recorded BEFORE TRUNCATE ON public.products
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated();
CREATE TRIGGER variants_recorded BEFORE TRUNCATE ON public.variants
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated();
CREATE TRIGGER collections_recorded BEFORE TRUNCATE ON public.collections
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated();
CREATE TRIGGER orders_recorded BEFORE TRUNCATE ON public.orders
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated();

-- Only triggers run these, and operators the last one.
DO $revoke$
DECLARE
  of_triggers regprocedure;
BEGIN
  FOR of_triggers IN
    SELECT oid::regprocedure FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace
       AND (prorettype = 'trigger'::regtype AND proname LIKE 'catalog\_%'
            OR proname IN ('catalog_record_changes', 'catalog_record_deleted', 'catalog_record_variants_of', 'catalog_restart_changes'))
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', of_triggers);
  END LOOP;
END
$revoke$;
