-- The change feed: epochs, and recording changes. The shop has its new version by then.

-- Identifies the server by what a restore or a failover changes: the start of the server process, the database, the table.
CREATE OR REPLACE FUNCTION public.catalog_server() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT concat(
    extract(epoch FROM pg_postmaster_start_time()), '/',
    (SELECT oid FROM pg_database WHERE datname = current_database()), '/',
    'public.shops'::regclass::oid)
$$;

-- Starts an epoch: the shop's history continues from this version. Epochs that began later belong to a lost history.
CREATE OR REPLACE FUNCTION public.catalog_begin_epoch(shop uuid, version_before bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM public.change_epochs WHERE shop_id = shop AND after_version >= version_before;
  WITH begun AS (
    INSERT INTO public.change_epochs (shop_id, after_version) VALUES (shop, version_before) RETURNING shop_id, epoch
  )
  INSERT INTO public.change_witnesses (shop_id, epoch, server) SELECT shop_id, epoch, public.catalog_server() FROM begun
      ON CONFLICT (shop_id) DO UPDATE SET epoch = excluded.epoch, server = excluded.server;
END
$$;

-- Whether no commit can have been lost since an epoch of a shop began. A standby cannot read unlogged tables: it returns true, and the
-- primary is queried.
CREATE OR REPLACE FUNCTION public.catalog_has_witness(shop uuid, of_epoch uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN true; -- not in one expression with the query, which would be planned with it
  END IF;
  RETURN EXISTS (SELECT FROM public.change_witnesses AS w
                  WHERE w.shop_id = shop AND w.epoch = of_epoch AND w.server = public.catalog_server());
END
$$;

-- For operators whose restore leaves server, database and tables as they are (docs/operations.md, Backup and restore): invalidates every
-- cursor of the shop; without an argument, of all shops.
CREATE OR REPLACE FUNCTION public.catalog_restart_changes(restarted uuid DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
DECLARE
  shop uuid;
BEGIN
  FOR shop IN SELECT s.shop_id FROM public.shops AS s WHERE restarted IS NULL OR s.shop_id = restarted ORDER BY s.shop_id LOOP
    PERFORM FROM public.shops WHERE shop_id = shop FOR NO KEY UPDATE;
    PERFORM public.catalog_restart_history(shop_id) FROM public.shops WHERE shop_id = shop;
    UPDATE public.shops SET data_version = data_version WHERE shop_id = shop;
  END LOOP;
END
$$;

-- Records changed objects. Looks up their entries first, because writers of a shop take turns and most changed objects have one.
--
-- An entry of this transaction is left as it is: no session sees part of a transaction, so any of its versions will do. xmin alone is not
-- enough (see catalog_touch_shops). The entry of a deleted object is written, because the object may be back.
CREATE OR REPLACE FUNCTION public.catalog_record_changes(kind_of smallint, shop_ids uuid[], ids uuid[]) RETURNS void
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
         SELECT found.xmin AS writer, found.version, found.is_deleted FROM public.changes AS found
          -- Only changes_pkey has this order, so it is used whatever the statistics say. Not `=`, which would make the order redundant.
          WHERE found.shop_id = k.shop_id AND found.kind = kind_of AND found.id >= k.id AND found.id <= k.id
          ORDER BY found.id LIMIT 1) AS known ON true
   WHERE (known.writer = this_transaction AND known.version >= began AND NOT known.is_deleted) IS NOT TRUE
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, is_deleted = false
   WHERE c.version <> excluded.version OR c.is_deleted;
END
$$;

-- Records inserted objects, without a lookup (docs/decisions.md 93) and in key order, so that neighbors are on the same pages of both
-- indexes. An entry exists only if an object with this id was deleted before.
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
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, is_deleted = false;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_record_deleted(kind_of smallint, shop_ids uuid[], ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = on SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
BEGIN
  INSERT INTO public.changes (shop_id, kind, id, version, is_deleted)
  SELECT k.shop_id, kind_of, k.id, s.data_version, true
    FROM (SELECT DISTINCT * FROM unnest(shop_ids, ids) AS k (shop_id, id) ORDER BY 1, 2) AS k
    JOIN public.shops AS s ON s.shop_id = k.shop_id
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, is_deleted = true;
END
$$;

-- Records the variants of products that become visible or hidden.
CREATE OR REPLACE FUNCTION public.catalog_record_variants_of(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET jit = off AS $$
BEGIN
  -- The order is that of variants_product_idx (see catalog_derive_products).
  PERFORM public.catalog_record_changes(2 /*variant_kind*/::smallint, array_agg(k.shop_id), array_agg(v.id))
     FROM unnest(shop_ids, product_ids) AS k (shop_id, id)
    CROSS JOIN LATERAL (
          SELECT v.id FROM public.variants AS v
           WHERE v.shop_id = k.shop_id AND v.product_id = k.id
           ORDER BY v.position, v.id OFFSET 0) AS v
   HAVING count(*) > 0;
END
$$;

-- Records the products that the end of the visible set moved across, when the transaction ends.
CREATE OR REPLACE FUNCTION public.catalog_record_moves() RETURNS trigger
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
    PERFORM public.catalog_record_changes(1 /*product_kind*/::smallint, shop_ids, product_ids);
    PERFORM public.catalog_record_variants_of(shop_ids, product_ids);
  END IF;
  RETURN NULL;
END
$$;

-- Sessions with session_replication_role = replica, such as logical replication, run only the triggers of this function; other sessions do
-- not run them. The shops that such a session wrote to are noted for `catalog check`. ALTER TABLE … ENABLE TRIGGER ALL, at the end of
-- `pg_restore --disable-triggers`, enables these triggers for every session, which `catalog check` finds.
CREATE OR REPLACE FUNCTION public.catalog_note_unrecorded() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  written uuid;
BEGIN
  IF current_setting('session_replication_role') <> 'replica' THEN
    RETURN NULL;
  END IF;
  IF TG_OP = 'TRUNCATE' THEN
    INSERT INTO public.unrecorded_writes (shop_id) SELECT shop_id FROM public.shops ON CONFLICT DO NOTHING;
    RETURN NULL;
  END IF;
  FOREACH written IN ARRAY CASE TG_OP WHEN 'INSERT' THEN ARRAY[NEW.shop_id] WHEN 'DELETE' THEN ARRAY[OLD.shop_id]
                                      ELSE ARRAY[OLD.shop_id, NEW.shop_id] END LOOP
    -- Locked until the end of the transaction, so that a repair does not delete the note before it sees the rows.
    PERFORM FROM public.unrecorded_writes WHERE shop_id = written FOR KEY SHARE;
    IF NOT FOUND THEN
      INSERT INTO public.unrecorded_writes (shop_id) VALUES (written) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION public.catalog_begin_epoch, public.catalog_restart_changes, public.catalog_record_changes,
  public.catalog_record_inserted, public.catalog_record_deleted, public.catalog_record_variants_of,
  public.catalog_record_moves, public.catalog_note_unrecorded
  FROM PUBLIC;
