-- Versions of shops, and which products are visible under product_limit (D8).
--
-- Every write locks its shop's row before anything is derived and keeps the lock until it commits. So the writers of one shop take turns,
-- each derives from everything that was committed before it, and two of them cannot overwrite each other's sums. Readers take no lock.
--
-- Trigger functions, and those that write for them, are revoked from PUBLIC: a role that may execute a trigger function can attach it to a
-- table of its own, and these functions write as their owner.

-- Locks the shops, and gives each a new version unless it has one of this transaction. One is enough, because other sessions see nothing of
-- the transaction before it ends. Called for every statement that writes.
CREATE OR REPLACE FUNCTION public.catalog_touch_shops(touched uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this_transaction xid := pg_current_xact_id()::xid;
  began bigint := extract(epoch FROM transaction_timestamp()) * 1000000;
BEGIN
  IF cardinality(touched) > 1 THEN
    PERFORM FROM public.shops WHERE shop_id = ANY (touched) ORDER BY shop_id FOR NO KEY UPDATE;
  END IF;
  -- xmin alone is not enough: transaction ids repeat after four billion.
  UPDATE public.shops SET data_version = data_version
   WHERE shop_id = ANY (touched) AND NOT (xmin = this_transaction AND data_version >= began);
END
$$;

-- The position of the live product `steps` after the given position, or before it; 0 is the last product at or before it. Sorting is off,
-- so that the walk follows products_page_idx, whatever the planner believes about a table that is being filled.
CREATE OR REPLACE FUNCTION public.catalog_walk_products(
  shop uuid, from_at timestamptz, from_id uuid, steps bigint, OUT until_at timestamptz, OUT until_id uuid)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  IF steps > 0 THEN
    SELECT created_at, id INTO until_at, until_id FROM public.products
     WHERE shop_id = shop AND deleted_at IS NULL AND (created_at, id) > (from_at, from_id)
     ORDER BY created_at, id OFFSET steps - 1 LIMIT 1;
  ELSE
    SELECT created_at, id INTO until_at, until_id FROM public.products
     WHERE shop_id = shop AND deleted_at IS NULL AND (created_at, id) <= (from_at, from_id)
     ORDER BY created_at DESC, id DESC OFFSET -steps LIMIT 1;
  END IF;
END
$$;

-- Applies a change of a shop's live products to its visible set; visible_delta counts the changes at or before the position from which the
-- statement walks. Walks only over the difference, so an ordinary write takes one step or none.
--
-- One statement may insert, update and delete at once (ON CONFLICT, MERGE, a WITH that writes). Then several triggers fire after it, and
-- the first already sees rows that only a later one counts. So all of them walk from where the visible set ended before the statement, not
-- from where the previous trigger left it. The last one has counted everything and gets it right.
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
  -- No such product: only in the middle of a statement, when rows that are still counted are gone. A later trigger corrects it.
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

CREATE OR REPLACE FUNCTION public.catalog_move_visible(shop uuid, live_delta bigint, visible_delta bigint) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  row_limit integer;
  s public.visible_sets;
BEGIN
  SELECT product_limit INTO row_limit FROM public.shops WHERE shop_id = shop;
  IF NOT FOUND THEN
    RETURN; -- the shop itself is being deleted
  END IF;
  s := public.catalog_place_visible(shop, row_limit, live_delta, visible_delta);
  UPDATE public.shops SET live_product_count = s.live_count, visible_until_at = s.until_at, visible_until_id = s.until_id
   WHERE shop_id = shop
     AND (live_product_count, visible_until_at, visible_until_id) IS DISTINCT FROM (s.live_count, s.until_at, s.until_id);
END
$$;

-- Notes where the visible set ended before the transaction. Products that its end moves across change for readers, and so do their
-- variants, although no statement wrote them. They are recorded when the transaction ends and the position is final (catalog_record_moves).
CREATE OR REPLACE FUNCTION public.catalog_note_move() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO public.visible_moves (shop_id, from_at, from_id) VALUES (OLD.shop_id, OLD.until_at, OLD.until_id)
      ON CONFLICT (shop_id) DO NOTHING;
  RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION public.catalog_touch_shops, public.catalog_walk_products, public.catalog_place_visible,
  public.catalog_move_visible, public.catalog_note_move
  FROM PUBLIC;
