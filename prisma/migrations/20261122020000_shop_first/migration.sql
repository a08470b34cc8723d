-- What the triggers keep is right whatever the writer's session looks like, writers of a shop take turns before they lock a row, and a
-- statement costs less (docs/decisions.md 55, 56, 57).
--
-- No function finds a name through the writer's search path. Functions that run once per statement set their own path. Functions that run
-- once per row would pay for that each time: they name everything in full.

-- Everybody else waits until the whole of it is there.
LOCK TABLE public.shops, public.products, public.variants, public.collections, public.orders, public.product_tags
  IN ACCESS EXCLUSIVE MODE;

-- ---------------------------------------------------------------------------------------------------------------------
-- Functions of generated columns and of an index. Their results are the same, byte for byte, so nothing is rewritten.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION public.catalog_terms(status text, vendor text, product_type text, tags text[], search_text text)
RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $$
DECLARE
  tag_size pg_catalog.int4 := pg_catalog.octet_length(pg_catalog.array_to_string(tags, ''));
BEGIN
  IF pg_catalog.octet_length(search_text) OPERATOR(pg_catalog.+) tag_size OPERATOR(pg_catalog.>) 50000 THEN
    RETURN pg_catalog.array_to_tsvector(ARRAY[U&'\FFFE!']);
  END IF;
  IF tag_size OPERATOR(pg_catalog.>) 500 THEN
    tags := ARRAY(SELECT pg_catalog."left"(tag, 500) FROM pg_catalog.unnest(tags) AS t (tag));
  END IF;
  RETURN pg_catalog.array_to_tsvector(pg_catalog.array_cat(
    pg_catalog.string_to_array(search_text, NULL),
    pg_catalog.array_remove(pg_catalog.string_to_array(pg_catalog.concat_ws(U&'\FFFF',
      pg_catalog.regexp_replace(search_text, '...', U&'\005C&\FFFF', 'g'),
      pg_catalog.regexp_replace(pg_catalog.substr(search_text, 2), '...', U&'\005C&\FFFF', 'g'),
      pg_catalog.regexp_replace(pg_catalog.substr(search_text, 3), '...', U&'\005C&\FFFF', 'g'),
      pg_catalog.concat(U&'\FFFEs', status),
      U&'\FFFEv' OPERATOR(pg_catalog.||) pg_catalog."left"(vendor, 500),
      U&'\FFFEp' OPERATOR(pg_catalog.||) pg_catalog."left"(product_type, 500),
      CASE WHEN pg_catalog.cardinality(tags) OPERATOR(pg_catalog.>) 0
           THEN pg_catalog.concat(U&'\FFFEt', pg_catalog.array_to_string(tags, U&'\FFFF\FFFEt')) END),
      U&'\FFFF'), '')));
END
$$;

-- Its names are bound once, here.
CREATE OR REPLACE FUNCTION public.catalog_search_terms(q text) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT string_agg(
           '''' || replace(replace(substr(q, n, 3), '\', '\\'), '''', '''''') || CASE length(q) WHEN 2 THEN ''':*' ELSE '''' END,
           ' & ')::tsquery
    FROM generate_series(1, greatest(least(length(q), 50) - 2, 1)) AS n);

-- The members of rest_json in their order. A value of such a type becomes JSON without a query.
CREATE TYPE public.catalog_rest_product_form AS (
  id uuid, external_id text, title text, handle text, status text, vendor text, product_type text, tags text[],
  description_html text, seo_title text, seo_description text, image_url text, variant_count integer, min_price text,
  max_price text, total_stock bigint, published_at text, created_at text, updated_at text);
CREATE TYPE public.catalog_rest_variant_form AS (
  id uuid, external_id text, title text, sku text, barcode text, price text, compare_at_price text, cost_price text,
  inventory_quantity bigint, weight text, weight_unit text, "position" integer, image_url text, options json, created_at text,
  updated_at text);
CREATE TYPE public.catalog_rest_collection_form AS (
  id uuid, external_id text, title text, handle text, description_html text, published boolean, collection_type text,
  products_count bigint, image_url text, seo_title text, seo_description text, created_at text, updated_at text);

CREATE OR REPLACE FUNCTION public.catalog_rest_product(
  id uuid, external_id text, title text, handle text, status text, vendor text, product_type text, tags text[],
  description_html text, seo_title text, seo_description text, image_url text, variant_count integer, min_price text,
  max_price text, total_stock bigint, published_at timestamptz, created_at timestamptz, updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN pg_catalog.row_to_json(ROW(
    id, external_id, title, handle, status, vendor, product_type, tags, description_html, seo_title, seo_description, image_url,
    variant_count, min_price, max_price, total_stock,
    pg_catalog.to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    pg_catalog.to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    pg_catalog.to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::public.catalog_rest_product_form);
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_rest_variant(
  id uuid, external_id text, title text, sku text, barcode text, price text, compare_at_price text, cost_price text,
  inventory_quantity bigint, weight text, weight_unit text, "position" integer, image_url text, options jsonb,
  created_at timestamptz, updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  shown pg_catalog.json := '[]';
BEGIN
  IF options OPERATOR(pg_catalog.<>) '[]'::pg_catalog.jsonb THEN
    -- Writers may give an option more members than the two that answers have.
    shown := (SELECT pg_catalog.array_to_json(pg_catalog.array_agg(o))
                FROM (SELECT e OPERATOR(pg_catalog.->>) 'name' AS name, e OPERATOR(pg_catalog.->>) 'value' AS value
                        FROM pg_catalog.jsonb_path_query(options, '$[*]') AS e) AS o);
  END IF;
  RETURN pg_catalog.row_to_json(ROW(
    id, external_id, title, sku, barcode, price, compare_at_price, cost_price, inventory_quantity, weight, weight_unit, "position",
    image_url, shown,
    pg_catalog.to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    pg_catalog.to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::public.catalog_rest_variant_form);
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_rest_collection(
  id uuid, external_id text, title text, handle text, description_html text, published boolean, collection_type text,
  products_count bigint, image_url text, seo_title text, seo_description text, created_at timestamptz,
  updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN pg_catalog.row_to_json(ROW(
    id, external_id, title, handle, description_html, published, collection_type, products_count, image_url, seo_title,
    seo_description,
    pg_catalog.to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    pg_catalog.to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::public.catalog_rest_collection_form);
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The shop first. A statement that locks rows before it locks their shop can meet another one half-way. A trigger comes too late:
-- PostgreSQL has locked the row when BEFORE UPDATE triggers run. Constraints are checked on the new row before the old one is locked, in
-- INSERT, COPY, UPDATE, MERGE and ON CONFLICT alike, and so this one takes the lock. DELETE checks nothing: docs/writers.md says what a
-- writer does instead. Nothing is derived from here, so a session that makes it do nothing harms no data.
-- ---------------------------------------------------------------------------------------------------------------------

-- For the scans that add the constraints; the real one follows.
CREATE FUNCTION public.catalog_hold_shop(shop uuid) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN true;

ALTER TABLE public.products ADD CONSTRAINT products_hold_shop_check CHECK (public.catalog_hold_shop(shop_id));
ALTER TABLE public.variants ADD CONSTRAINT variants_hold_shop_check CHECK (public.catalog_hold_shop(shop_id));
ALTER TABLE public.collections ADD CONSTRAINT collections_hold_shop_check CHECK (public.catalog_hold_shop(shop_id));
ALTER TABLE public.orders ADD CONSTRAINT orders_hold_shop_check CHECK (public.catalog_hold_shop(shop_id));

-- The setting remembers the shop that is locked already. It ends with the transaction or the savepoint, as the lock does.
CREATE OR REPLACE FUNCTION public.catalog_hold_shop(shop uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF pg_catalog.current_setting('catalog.held_shop', true) OPERATOR(pg_catalog.=) shop::pg_catalog.text THEN
    RETURN true;
  END IF;
  PERFORM FROM public.shops AS s WHERE s.shop_id OPERATOR(pg_catalog.=) shop FOR NO KEY UPDATE;
  PERFORM pg_catalog.set_config('catalog.held_shop', shop::pg_catalog.text, true);
  RETURN true;
END
$$;

-- ---------------------------------------------------------------------------------------------------------------------
-- What the derived columns of shops are copied from. Writers have no privilege on it, and its triggers' functions run as its owner: so
-- a writer cannot set those columns from any depth of triggers.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE TABLE public.visible_sets (
  shop_id        uuid PRIMARY KEY REFERENCES public.shops ON DELETE CASCADE ON UPDATE CASCADE,
  -- Live products, those of them that are visible, and the place in (created_at, id) order up to which they are (D8).
  live_count     bigint NOT NULL,
  visible_count  bigint NOT NULL,
  until_at       timestamptz(3) NOT NULL,
  until_id       uuid NOT NULL,
  -- The place from which this statement walks, and the live products up to it (see catalog_place_visible).
  from_statement timestamptz NOT NULL,
  from_count     bigint NOT NULL,
  from_at        timestamptz(3) NOT NULL,
  from_id        uuid NOT NULL
) WITH (fillfactor = 50);

INSERT INTO public.visible_sets
SELECT shop_id, live_product_count, coalesce(least(product_limit, live_product_count), 0), visible_until_at, visible_until_id,
       '-infinity', 0, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'
  FROM public.shops;

DROP FUNCTION public.catalog_visible_until(uuid, integer, bigint, bigint, timestamptz, uuid);
DROP FUNCTION public.catalog_note_walk(public.shops);
DROP FUNCTION public.catalog_lock_products(uuid[], uuid[]);
ALTER TABLE public.shops DROP COLUMN walk_from_at, DROP COLUMN walk_from_id, DROP COLUMN walk_visible, DROP COLUMN walk_statement;

-- The place of the live product that is `steps` after the given place, or before it: 0 is the last one up to it. Sorting is forbidden so
-- that the walk goes along products_page_idx, whatever the planner believes about a table that is just being filled.
CREATE FUNCTION public.catalog_walk_products(
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

-- Takes a change of a shop's live products into its visible set; visible_delta counts the changes at or before the place that the
-- statement walks from. Walks only over the difference, so an ordinary write costs a step or none.
--
-- One statement may insert, update and delete at once (ON CONFLICT, MERGE, a WITH that writes). Then several triggers fire after it, and
-- the first of them already finds rows in the table that only a later one counts. So none of them may walk from where the one before it
-- ended: all walk from where the visible set ended before the statement, and the last one, which has everything in its count, gets it right.
CREATE FUNCTION public.catalog_place_visible(shop uuid, row_limit integer, live_delta bigint, visible_delta bigint)
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
    INSERT INTO public.visible_sets SELECT s.*;
  END IF;
  RETURN s;
END
$$;

-- Every change of a shop's row gives it a new version. Time-based, so that a database restored from a backup never hands out a version a
-- second time for other data. Derived columns are what visible_sets says, whoever sets them.
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

-- Locks the shops, and gives those a new version that have none of this transaction: nobody sees any of it before the end of the
-- transaction, so one is enough. Called by every trigger below.
CREATE OR REPLACE FUNCTION public.catalog_touch_shops(touched uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  this_transaction xid := pg_current_xact_id()::xid;
  began bigint := extract(epoch FROM transaction_timestamp()) * 1000000;
BEGIN
  IF cardinality(touched) > 1 THEN
    PERFORM FROM public.shops WHERE shop_id = ANY (touched) ORDER BY shop_id FOR NO KEY UPDATE;
  END IF;
  -- xmin alone is not enough: after four thousand million transactions it may be the same again.
  UPDATE public.shops SET data_version = data_version
   WHERE shop_id = ANY (touched) AND NOT (xmin = this_transaction AND data_version >= began);
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

-- variant_count, prices and stock of the given products, from their variants. Writes only rows that are wrong, so a
-- writer that already put the right numbers there pays nothing twice.
--
-- While a table is being filled the planner knows nothing true about it, and every index here starts with shop_id, so it may
-- well pick one that reads the whole shop for each product. Both look-ups therefore ask for an order that only the right index
-- has, and sorting is forbidden: primary key for the product, products' variants by position for the variants. The plan is made once for a
-- session; without that, planning would be most of what a changed price costs.
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
    UPDATE public.products AS p
       SET variant_count = d.variant_count, min_price = d.min_price, max_price = d.max_price, total_stock = d.total_stock
      FROM unnest(wrong.at, wrong.shop_id, wrong.id, wrong.variant_count, wrong.min_price, wrong.max_price, wrong.total_stock)
           AS d (at, shop_id, id, variant_count, min_price, max_price, total_stock)
     WHERE p.ctid = d.at AND p.shop_id = d.shop_id AND p.id = d.id; -- a ctid alone is not unique where the table is partitioned
  END IF;
END
$$;

-- Rows go by look-ups of the whole key, for the same reason.
CREATE FUNCTION public.catalog_remove_tags(shop_ids uuid[], tags text[], dates timestamptz[], product_ids uuid[]) RETURNS void
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

-- ---------------------------------------------------------------------------------------------------------------------
-- The triggers, once per statement. Each looks first at what the statement changed, and leaves alone what cannot be wrong.
-- Without the planner's compiler (jit), which takes longer than any of these statements, and starts where a session forbids a kind of join.
-- ---------------------------------------------------------------------------------------------------------------------

DROP TRIGGER products_inserted_tags ON public.products;
DROP TRIGGER products_updated_tags ON public.products;
DROP TRIGGER products_deleted_tags ON public.products;
DROP TRIGGER products_truncated_tags ON public.products;
DROP FUNCTION public.catalog_products_inserted_tags(), public.catalog_products_updated_tags(),
              public.catalog_products_deleted_tags(), public.catalog_products_truncated_tags();

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
  -- A new product without variants has these values. Variants that came with the same statement have a trigger of their own.
  PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(id))
     FROM new_rows
    WHERE (variant_count, min_price, max_price, total_stock) IS DISTINCT FROM (0, NULL::text, NULL::text, 0::bigint)
   HAVING count(*) > 0;
  PERFORM public.catalog_touch_shops(shop_ids);
  RETURN NULL;
END
$$;

-- A full join, because no plan for it is quadratic: a session's first plan, made for a few rows, is kept.
CREATE OR REPLACE FUNCTION public.catalog_products_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
DECLARE
  shop_ids uuid[] := ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows);
  changed record;
BEGIN
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
  -- Only rows whose derived columns this statement changed: the correction comes through here again, and ends.
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
    PERFORM public.catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM old_rows;
  END IF;
  RETURN NULL;
END
$$;

-- Collections and orders have nothing derived: a change only moves the shop's version.
CREATE OR REPLACE FUNCTION public.catalog_rows_inserted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM new_rows));
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_rows_updated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows));
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION public.catalog_rows_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM old_rows));
  RETURN NULL;
END
$$;

-- TRUNCATE has no transition tables and empties every shop at once.
CREATE OR REPLACE FUNCTION public.catalog_truncated() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  PERFORM public.catalog_touch_shops(ARRAY(SELECT shop_id FROM public.shops));
  IF TG_TABLE_NAME = 'variants' THEN
    UPDATE public.products SET variant_count = 0, min_price = NULL, max_price = NULL, total_stock = 0 WHERE variant_count > 0;
  ELSIF TG_TABLE_NAME = 'products' THEN
    TRUNCATE public.product_tags;
    PERFORM public.catalog_move_visible(shop_id, -live_count, -CASE from_statement WHEN statement_timestamp() THEN from_count
                                                                ELSE visible_count END)
       FROM public.visible_sets;
  END IF;
  RETURN NULL;
END
$$;

-- Only triggers run these. Whoever may execute a trigger's function may attach it to a table of his own, and these write as their owner.
DO $revoke$
DECLARE
  of_triggers regprocedure;
BEGIN
  FOR of_triggers IN
    SELECT oid::regprocedure FROM pg_proc
     WHERE pronamespace = 'public'::regnamespace
       AND (prorettype = 'trigger'::regtype AND proname LIKE 'catalog\_%'
            OR proname IN ('catalog_walk_products', 'catalog_place_visible', 'catalog_move_visible', 'catalog_touch_shops',
                           'catalog_derive_products', 'catalog_remove_tags'))
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', of_triggers);
  END LOOP;
END
$revoke$;
