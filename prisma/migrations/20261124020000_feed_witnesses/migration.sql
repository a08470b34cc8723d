-- Histories of the change feed also end with a crash of PostgreSQL, and sessions without triggers leave a trace (docs/decisions.md 95, 131).

LOCK TABLE public.shops IN SHARE ROW EXCLUSIVE MODE;

-- ---------------------------------------------------------------------------------------------------------------------
-- Which epoch a shop is in, and on which server. Recovery from a crash, in which commits may be lost, empties an unlogged table, on every
-- version of PostgreSQL; so do a promotion and a restore from a base backup. A clean restart keeps it, but changes catalog_server().
-- ---------------------------------------------------------------------------------------------------------------------

CREATE UNLOGGED TABLE public.change_witnesses (
  shop_id uuid NOT NULL,
  epoch   uuid NOT NULL,
  server  text NOT NULL,
  CONSTRAINT change_witnesses_pkey PRIMARY KEY (shop_id),
  CONSTRAINT change_witnesses_shop_id_fkey FOREIGN KEY (shop_id) REFERENCES public.shops ON DELETE CASCADE ON UPDATE CASCADE
);

INSERT INTO public.change_witnesses (shop_id, epoch, server)
SELECT DISTINCT ON (shop_id) shop_id, epoch, server FROM public.change_epochs ORDER BY shop_id, after_version DESC;

-- What the shop's history went on from, from here on. Epochs that began later belong to a history that is lost.
CREATE FUNCTION public.catalog_begin_epoch(shop uuid, version_before bigint) RETURNS void
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

-- Whether nothing can have been lost since an epoch of a shop began. A standby cannot read unlogged tables: it reports yes, and the primary is
-- asked.
CREATE FUNCTION public.catalog_has_witness(shop uuid, of_epoch uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RETURN true; -- not in one expression with the query, which would be planned with it
  END IF;
  RETURN EXISTS (SELECT FROM public.change_witnesses AS w
                  WHERE w.shop_id = shop AND w.epoch = of_epoch AND w.server = public.catalog_server());
END
$$;

ALTER TABLE public.change_epochs DROP COLUMN server;

CREATE OR REPLACE FUNCTION public.catalog_restart_changes(restarted uuid DEFAULT NULL) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM public.shops WHERE restarted IS NULL OR shop_id = restarted ORDER BY shop_id FOR NO KEY UPDATE;
  PERFORM public.catalog_begin_epoch(shop_id, 0) FROM public.shops WHERE restarted IS NULL OR shop_id = restarted;
  UPDATE public.shops SET data_version = data_version WHERE restarted IS NULL OR shop_id = restarted;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_shops_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_begin_epoch(shop_id, 0) FROM new_rows;
  RETURN NULL;
END
$$;

-- As before, but for the witness.
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
-- Sessions with session_replication_role = replica, those of logical replication among them, run no trigger but these, and other sessions do
-- not run these. What they wrote is unknown, and whose it is is noted for `catalog check`. ALTER TABLE … ENABLE TRIGGER ALL, at the end of
-- `pg_restore --disable-triggers`, leaves them enabled for every session: that is the trace it leaves.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE public.unrecorded_writes (
  shop_id uuid NOT NULL,
  CONSTRAINT unrecorded_writes_pkey PRIMARY KEY (shop_id)
);

CREATE FUNCTION public.catalog_note_unrecorded() RETURNS trigger
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
    -- Until the end of the transaction, so that a repair does not take the note away before it sees the rows.
    PERFORM FROM public.unrecorded_writes WHERE shop_id = written FOR KEY SHARE;
    IF NOT FOUND THEN
      INSERT INTO public.unrecorded_writes (shop_id) VALUES (written) ON CONFLICT DO NOTHING;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

DO $triggers$
DECLARE
  written text;
BEGIN
  FOREACH written IN ARRAY ARRAY['shops', 'products', 'variants', 'collections', 'orders'] LOOP
    EXECUTE format('CREATE TRIGGER %1$s_unrecorded AFTER INSERT OR UPDATE OR DELETE ON public.%1$s
                      FOR EACH ROW EXECUTE FUNCTION public.catalog_note_unrecorded()', written);
    EXECUTE format('CREATE TRIGGER %1$s_emptied_unrecorded BEFORE TRUNCATE ON public.%1$s
                      FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_note_unrecorded()', written);
    EXECUTE format('ALTER TABLE public.%1$s ENABLE REPLICA TRIGGER %1$s_unrecorded,
                      ENABLE REPLICA TRIGGER %1$s_emptied_unrecorded', written);
  END LOOP;
END
$triggers$;

-- Only triggers run these.
REVOKE ALL ON FUNCTION public.catalog_begin_epoch(uuid, bigint), public.catalog_note_unrecorded() FROM PUBLIC;
