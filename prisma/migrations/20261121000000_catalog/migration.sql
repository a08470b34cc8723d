-- The catalog of connected shops. Every table and every index starts with shop_id, so that one shop is one shard.
-- Two documented exceptions: shops_domain_key (the command line finds a shop by its domain; on a sharded installation
-- the shops table is the directory) and the primary key of shops, which is shop_id itself.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Text search folds case for all of Unicode whatever the locale of the database is (D5), so the function
-- names a collation that knows Unicode instead of relying on the database's own LC_CTYPE.
DO $install$
DECLARE
  collation_name text;
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the catalog needs a database with encoding UTF8, this one has %', current_setting('server_encoding');
  END IF;
  SELECT collname INTO collation_name
    FROM pg_collation
   WHERE collname IN ('und-x-icu', 'pg_c_utf8')
   ORDER BY collname DESC
   LIMIT 1;
  EXECUTE format(
    $sql$CREATE FUNCTION catalog_fold(value text) RETURNS text
         LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
         RETURN replace(lower(value COLLATE %I), 'ς', 'σ')$sql$,
    coalesce(collation_name, 'default'));
END
$install$;

CREATE TABLE shops (
  shop_id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  domain             text NOT NULL,
  name               text,
  platform           text,
  currency           text,
  plan               text NOT NULL DEFAULT 'business',
  plan_status        text NOT NULL DEFAULT 'active',
  product_limit      integer,
  last_sync_at       timestamptz(3),
  created_at         timestamptz(3) NOT NULL DEFAULT now(),
  -- Derived, kept by triggers: products that are not soft-deleted, and the position in (created_at, id) order up to
  -- which they are visible under product_limit (D8). A position and not a row: it survives the row's deletion.
  live_product_count bigint NOT NULL DEFAULT 0,
  visible_until_at   timestamptz(3) NOT NULL DEFAULT 'infinity',
  visible_until_id   uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  -- The triggers' own notes for that (see catalog_note_walk): a position and the number of live products up to it.
  walk_from_at       timestamptz(3) NOT NULL DEFAULT 'infinity',
  walk_from_id       uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  walk_visible       bigint NOT NULL DEFAULT 0,
  walk_statement     timestamptz NOT NULL DEFAULT '-infinity',
  -- Grows with every committed change of anything the shop's answers are made of.
  data_version       bigint NOT NULL DEFAULT 0,
  CONSTRAINT shops_domain_check CHECK (domain <> ''),
  CONSTRAINT shops_platform_check CHECK (platform = lower(platform)),
  CONSTRAINT shops_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT shops_plan_check CHECK (plan IN ('free', 'starter', 'pro', 'business')),
  CONSTRAINT shops_product_limit_check CHECK (product_limit >= 0),
  CONSTRAINT shops_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT shops_last_sync_at_check CHECK (last_sync_at >= '0001-01-01Z' AND last_sync_at < '10000-01-01Z')
);
CREATE UNIQUE INDEX shops_domain_key ON shops (domain);

CREATE TABLE api_keys (
  shop_id                    uuid NOT NULL REFERENCES shops ON DELETE CASCADE,
  client_id                  text NOT NULL,
  key_prefix                 text NOT NULL,
  name                       text,
  scopes                     text[] NOT NULL,
  secret_digest              bytea NOT NULL,
  previous_secret_digest     bytea,
  previous_secret_expires_at timestamptz(3),
  created_at                 timestamptz(3) NOT NULL DEFAULT now(),
  expires_at                 timestamptz(3),
  revoked_at                 timestamptz(3),
  last_used_at               timestamptz(3),
  PRIMARY KEY (shop_id, client_id),
  CONSTRAINT api_keys_client_id_check CHECK (client_id ~ '^[0-9A-Za-z]+$'),
  CONSTRAINT api_keys_scopes_check CHECK (
    cardinality(scopes) > 0 AND scopes <@ ARRAY['catalog:read', 'orders:read', 'account:read']),
  CONSTRAINT api_keys_secret_digest_check CHECK (
    octet_length(secret_digest) = 32 AND octet_length(previous_secret_digest) = 32),
  CONSTRAINT api_keys_previous_secret_check CHECK (
    (previous_secret_digest IS NULL) = (previous_secret_expires_at IS NULL))
);

CREATE TABLE products (
  shop_id          uuid NOT NULL REFERENCES shops ON DELETE CASCADE,
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  external_id      text NOT NULL,
  title            text NOT NULL,
  handle           text,
  status           text NOT NULL DEFAULT 'ACTIVE',
  vendor           text,
  product_type     text,
  tags             text[] NOT NULL DEFAULT '{}',
  description_html text,
  seo_title        text,
  seo_description  text,
  image_url        text,
  published_at     timestamptz(3),
  created_at       timestamptz(3) NOT NULL,
  updated_at       timestamptz(3) NOT NULL,
  deleted_at       timestamptz(3),
  -- Derived from the variants, whoever writes (see catalog_derive_products).
  variant_count    integer NOT NULL DEFAULT 0,
  min_price        text,
  max_price        text,
  total_stock      bigint NOT NULL DEFAULT 0,
  min_price_value  numeric GENERATED ALWAYS AS (min_price::numeric) STORED,
  max_price_value  numeric GENERATED ALWAYS AS (max_price::numeric) STORED,
  -- What `q` looks into: title and handle, folded, with the noncharacter U+FFFF between them, which no search term holds.
  search_text      text NOT NULL GENERATED ALWAYS AS (
    catalog_fold(title) || U&'\FFFF' || coalesce(catalog_fold(handle), '')) STORED,
  PRIMARY KEY (shop_id, id),
  CONSTRAINT products_external_id_check CHECK (external_id <> ''),
  CONSTRAINT products_status_check CHECK (status IN ('ACTIVE', 'DRAFT', 'ARCHIVED')),
  CONSTRAINT products_tags_check CHECK (coalesce(array_ndims(tags), 1) = 1 AND array_position(tags, NULL) IS NULL),
  CONSTRAINT products_derived_check CHECK (variant_count >= 0 AND (min_price IS NULL) = (max_price IS NULL)),
  CONSTRAINT products_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT products_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z'),
  CONSTRAINT products_published_at_check CHECK (published_at >= '0001-01-01Z' AND published_at < '10000-01-01Z')
);
CREATE UNIQUE INDEX products_external_id_key ON products (shop_id, external_id);
CREATE INDEX products_page_idx ON products (shop_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_status_idx ON products (shop_id, status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_vendor_idx ON products (shop_id, vendor, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_product_type_idx ON products (shop_id, product_type, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_tags_idx ON products USING gin (shop_id, tags) WHERE deleted_at IS NULL;
CREATE INDEX products_search_idx ON products USING gin (shop_id, search_text gin_trgm_ops) WHERE deleted_at IS NULL;

CREATE TABLE variants (
  shop_id            uuid NOT NULL,
  id                 uuid NOT NULL DEFAULT gen_random_uuid(),
  product_id         uuid NOT NULL,
  external_id        text NOT NULL,
  title              text,
  sku                text,
  barcode            text,
  price              text,
  compare_at_price   text,
  cost_price         text,
  inventory_quantity bigint,
  weight             text,
  weight_unit        text,
  position           integer,
  image_url          text,
  options            jsonb NOT NULL DEFAULT '[]',
  created_at         timestamptz(3) NOT NULL,
  updated_at         timestamptz(3) NOT NULL,
  price_value        numeric GENERATED ALWAYS AS (price::numeric) STORED,
  PRIMARY KEY (shop_id, id),
  FOREIGN KEY (shop_id, product_id) REFERENCES products (shop_id, id) ON DELETE CASCADE,
  CONSTRAINT variants_external_id_check CHECK (external_id <> ''),
  CONSTRAINT variants_price_check CHECK (price ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT variants_compare_at_price_check CHECK (compare_at_price ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT variants_cost_price_check CHECK (cost_price ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT variants_weight_check CHECK (weight ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT variants_inventory_quantity_check CHECK (
    inventory_quantity BETWEEN -9007199254740991 AND 9007199254740991),
  CONSTRAINT variants_options_check CHECK (
    jsonb_typeof(options) = 'array'
    AND NOT options @? '$[*] ? (!(@.name.type() == "string" && @.value.type() == "string"))'),
  CONSTRAINT variants_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT variants_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z')
);
CREATE UNIQUE INDEX variants_external_id_key ON variants (shop_id, product_id, external_id);
CREATE INDEX variants_product_idx ON variants (shop_id, product_id, position, id);

CREATE TABLE collections (
  shop_id          uuid NOT NULL REFERENCES shops ON DELETE CASCADE,
  id               uuid NOT NULL DEFAULT gen_random_uuid(),
  external_id      text NOT NULL,
  title            text NOT NULL,
  handle           text,
  description_html text,
  published        boolean NOT NULL,
  collection_type  text,
  products_count   bigint NOT NULL DEFAULT 0,
  image_url        text,
  seo_title        text,
  seo_description  text,
  created_at       timestamptz(3),
  updated_at       timestamptz(3),
  -- The place in the list: oldest first, without a date last (D9). Never null, so that a keyset can compare it.
  sort_at          timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(created_at, 'infinity')) STORED,
  PRIMARY KEY (shop_id, id),
  CONSTRAINT collections_external_id_check CHECK (external_id <> ''),
  CONSTRAINT collections_products_count_check CHECK (products_count BETWEEN 0 AND 9007199254740991),
  CONSTRAINT collections_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT collections_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z')
);
CREATE UNIQUE INDEX collections_external_id_key ON collections (shop_id, external_id);
CREATE INDEX collections_page_idx ON collections (shop_id, sort_at, id);
CREATE INDEX collections_published_idx ON collections (shop_id, published, sort_at, id);

-- No column for a customer's e-mail address (D25).
CREATE TABLE orders (
  shop_id            uuid NOT NULL REFERENCES shops ON DELETE CASCADE,
  id                 uuid NOT NULL DEFAULT gen_random_uuid(),
  external_id        text NOT NULL,
  order_number       text NOT NULL,
  customer_name      text,
  currency           text,
  total_price        text,
  subtotal_price     text,
  total_tax          text,
  total_shipping     text,
  financial_status   text,
  fulfillment_status text,
  items_count        bigint NOT NULL DEFAULT 0,
  tags               text[] NOT NULL DEFAULT '{}',
  created_at         timestamptz(3),
  updated_at         timestamptz(3),
  total_price_value  numeric GENERATED ALWAYS AS (total_price::numeric) STORED,
  sort_at            timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(created_at, 'infinity')) STORED,
  PRIMARY KEY (shop_id, id),
  CONSTRAINT orders_external_id_check CHECK (external_id <> ''),
  CONSTRAINT orders_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT orders_total_price_check CHECK (total_price ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT orders_subtotal_price_check CHECK (subtotal_price ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT orders_total_tax_check CHECK (total_tax ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT orders_total_shipping_check CHECK (total_shipping ~ '^-?[0-9]+(\.[0-9]+)?$'),
  CONSTRAINT orders_items_count_check CHECK (items_count BETWEEN 0 AND 9007199254740991),
  CONSTRAINT orders_tags_check CHECK (coalesce(array_ndims(tags), 1) = 1 AND array_position(tags, NULL) IS NULL),
  CONSTRAINT orders_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT orders_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z')
);
CREATE UNIQUE INDEX orders_external_id_key ON orders (shop_id, external_id);
CREATE INDEX orders_page_idx ON orders (shop_id, sort_at, id);
CREATE INDEX orders_financial_status_idx ON orders (shop_id, financial_status, sort_at, id);
CREATE INDEX orders_fulfillment_status_idx ON orders (shop_id, fulfillment_status, sort_at, id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Invariants that readers rely on, whoever writes (docs/writers.md). All of it runs once per statement, not per row.
--
-- Every write locks its shop's row before anything is derived and keeps the lock until it commits. So the writers of
-- one shop take turns, each derives from everything that was committed before it, and two of them cannot overwrite
-- each other's sums. Readers take no lock.
-- ---------------------------------------------------------------------------------------------------------------------

-- Where the visible set ends when `visible` live products lie at or before (cut_at, cut_id) and the limit asks for
-- another number of them. Walks only over the difference, so an ordinary write costs a step or none (D8). Sorting is forbidden
-- so that the walk goes along products_page_idx, whatever the planner believes about a table that is just being filled.
CREATE FUNCTION catalog_visible_until(
  shop uuid, row_limit integer, live bigint, visible bigint, cut_at timestamptz, cut_id uuid,
  OUT until_at timestamptz, OUT until_id uuid)
LANGUAGE plpgsql STABLE
SET search_path FROM CURRENT SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  target bigint := greatest(least(row_limit, live), 0);
BEGIN
  IF row_limit IS NULL OR live <= row_limit THEN
    until_at := 'infinity';
    until_id := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  ELSIF target = 0 THEN
    until_at := '-infinity';
    until_id := '00000000-0000-0000-0000-000000000000';
  ELSIF target = visible THEN
    until_at := cut_at;
    until_id := cut_id;
  ELSIF target > visible THEN
    SELECT created_at, id INTO until_at, until_id FROM products
     WHERE shop_id = shop AND deleted_at IS NULL AND (created_at, id) > (cut_at, cut_id)
     ORDER BY created_at, id OFFSET target - visible - 1 LIMIT 1;
  ELSIF target < visible - target THEN
    SELECT created_at, id INTO until_at, until_id FROM products
     WHERE shop_id = shop AND deleted_at IS NULL
     ORDER BY created_at, id OFFSET target - 1 LIMIT 1;
  ELSE
    SELECT created_at, id INTO until_at, until_id FROM products
     WHERE shop_id = shop AND deleted_at IS NULL AND (created_at, id) <= (cut_at, cut_id)
     ORDER BY created_at DESC, id DESC OFFSET visible - target LIMIT 1;
  END IF;
  -- Only in the middle of a statement, when rows that are still counted are gone: a later trigger comes back to it.
  until_at := coalesce(until_at, 'infinity');
  until_id := coalesce(until_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
END
$$;

-- One statement may insert, update and delete at once (ON CONFLICT, MERGE, a WITH that writes). Then several triggers fire
-- after it, and the first of them already finds rows in the table that only a later one takes into account. So none of them
-- may start its walk where the one before it ended: all walk from where the visible set ended before the statement, and
-- the last one, which has everything in its count, gets it right. Here a new statement takes its starting point.
CREATE FUNCTION catalog_note_walk(INOUT s shops) LANGUAGE plpgsql STABLE SET search_path FROM CURRENT AS $$
BEGIN
  IF s.walk_statement IS DISTINCT FROM statement_timestamp() THEN
    s.walk_from_at := s.visible_until_at;
    s.walk_from_id := s.visible_until_id;
    s.walk_visible := least(s.product_limit, s.live_product_count);
    s.walk_statement := statement_timestamp();
  END IF;
END
$$;

-- Every change of a shop's row gives it a new version. Time-based, so that a database restored from a backup never
-- hands out a version a second time for other data. A client cannot write the derived columns: what it sets is undone.
CREATE FUNCTION catalog_shop_written() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  noted shops;
BEGIN
  IF TG_OP = 'INSERT' THEN
    NEW.live_product_count := 0;
    NEW.data_version := 0;
    SELECT * INTO NEW.visible_until_at, NEW.visible_until_id
      FROM catalog_visible_until(NEW.shop_id, NEW.product_limit, 0, 0, 'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff');
    NEW.walk_from_at := NEW.visible_until_at;
    NEW.walk_from_id := NEW.visible_until_id;
    NEW.walk_visible := 0;
    NEW.walk_statement := '-infinity';
  ELSE
    IF pg_trigger_depth() = 1 THEN
      NEW.live_product_count := OLD.live_product_count;
      NEW.visible_until_at := OLD.visible_until_at;
      NEW.visible_until_id := OLD.visible_until_id;
      NEW.walk_from_at := OLD.walk_from_at;
      NEW.walk_from_id := OLD.walk_from_id;
      NEW.walk_visible := OLD.walk_visible;
      NEW.walk_statement := OLD.walk_statement;
    END IF;
    NEW.data_version := OLD.data_version;
    IF NEW.product_limit IS DISTINCT FROM OLD.product_limit THEN
      noted := catalog_note_walk(OLD);
      NEW.walk_from_at := noted.walk_from_at;
      NEW.walk_from_id := noted.walk_from_id;
      NEW.walk_visible := noted.walk_visible;
      NEW.walk_statement := noted.walk_statement;
      SELECT * INTO NEW.visible_until_at, NEW.visible_until_id
        FROM catalog_visible_until(
          NEW.shop_id, NEW.product_limit, NEW.live_product_count,
          NEW.walk_visible, NEW.walk_from_at, NEW.walk_from_id);
    END IF;
  END IF;
  NEW.data_version := greatest(NEW.data_version + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
  RETURN NEW;
END
$$;
CREATE TRIGGER shops_written BEFORE INSERT OR UPDATE ON shops
  FOR EACH ROW EXECUTE FUNCTION catalog_shop_written();

-- Locks the shops, gives each a new version and notes where the visible set ended. Called first by every trigger below.
CREATE FUNCTION catalog_touch_shops(touched uuid[]) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM FROM shops WHERE shop_id = ANY (touched) ORDER BY shop_id FOR NO KEY UPDATE;
  UPDATE shops AS s
     SET (walk_from_at, walk_from_id, walk_visible, walk_statement) = (
           SELECT n.walk_from_at, n.walk_from_id, n.walk_visible, n.walk_statement FROM catalog_note_walk(s) AS n)
   WHERE shop_id = ANY (touched);
END
$$;

-- variant_count, prices and stock of the given products, from their variants. Writes only rows that are wrong, so a
-- writer that already put the right numbers there pays nothing twice.
--
-- While a table is being filled the planner knows nothing true about it, and every index here starts with shop_id, so it may
-- well pick one that reads the whole shop for each product. Both look-ups therefore ask for an order that only the right index
-- has, and sorting is forbidden: primary key for the product, products' variants by position for the variants.
CREATE FUNCTION catalog_derive_products(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE sql
SET search_path FROM CURRENT SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
  UPDATE products AS p
     SET variant_count = d.variant_count, min_price = d.min_price, max_price = d.max_price, total_stock = d.total_stock
    FROM (SELECT DISTINCT * FROM unnest(shop_ids, product_ids) AS k (shop_id, id)) AS k
   CROSS JOIN LATERAL (
         SELECT found.ctid AS at, found.id
           FROM products AS found
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
           FROM (SELECT * FROM variants AS v
                  WHERE v.shop_id = k.shop_id AND v.product_id = k.id
                  ORDER BY v.position, v.id OFFSET 0) AS v) AS d
   WHERE p.ctid = product.at AND product.id = k.id
     AND p.shop_id = k.shop_id AND p.id = k.id -- a ctid alone is not unique where the table is partitioned
     AND (p.variant_count, p.min_price, p.max_price, p.total_stock)
         IS DISTINCT FROM (d.variant_count, d.min_price, d.max_price, d.total_stock)
$$;

-- Takes a change of a shop's set of live products into its count and its visible set. visible_delta counts the changes at
-- or before the noted position.
CREATE FUNCTION catalog_move_visible(shop uuid, live_delta bigint, visible_delta bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  s shops;
  live bigint;
  visible bigint;
  until record;
BEGIN
  SELECT * INTO s FROM shops WHERE shop_id = shop;
  IF NOT FOUND THEN
    RETURN; -- the shop itself is being deleted
  END IF;
  live := s.live_product_count + live_delta;
  visible := s.walk_visible + visible_delta;
  until := catalog_visible_until(shop, s.product_limit, live, visible, s.walk_from_at, s.walk_from_id);
  UPDATE shops
     SET live_product_count = live, walk_visible = visible,
         visible_until_at = until.until_at, visible_until_id = until.until_id
   WHERE shop_id = shop
     AND (live_product_count, walk_visible, visible_until_at, visible_until_id)
         IS DISTINCT FROM (live, visible, until.until_at, until.until_id);
END
$$;

CREATE FUNCTION catalog_products_inserted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM new_rows));
  PERFORM catalog_move_visible(s.shop_id, count(*), count(*) FILTER (
            WHERE (n.created_at, n.id) <= (s.walk_from_at, s.walk_from_id)))
     FROM new_rows AS n JOIN shops AS s USING (shop_id)
    WHERE n.deleted_at IS NULL
    GROUP BY s.shop_id;
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(id)) FROM new_rows;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_products_updated() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows));
  PERFORM catalog_move_visible(s.shop_id, sum(c.sign), coalesce(sum(c.sign) FILTER (
            WHERE (c.created_at, c.id) <= (s.walk_from_at, s.walk_from_id)), 0)::bigint)
     FROM (SELECT shop_id, created_at, id, 1 AS sign FROM new_rows WHERE deleted_at IS NULL
           UNION ALL
           SELECT shop_id, created_at, id, -1 FROM old_rows WHERE deleted_at IS NULL) AS c
     JOIN shops AS s USING (shop_id)
    GROUP BY s.shop_id;
  -- Only rows whose derived columns this statement changed: the correction below comes through here again, and ends.
  -- EXCEPT and not a join: a session's first plan, made for a few rows, is kept, and a nested loop would be O(rows²) later.
  PERFORM catalog_derive_products(array_agg(c.shop_id), array_agg(c.id))
     FROM (SELECT shop_id, id, variant_count, min_price, max_price, total_stock FROM new_rows
           EXCEPT
           SELECT shop_id, id, variant_count, min_price, max_price, total_stock FROM old_rows) AS c
   HAVING count(*) > 0;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_products_deleted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM old_rows));
  PERFORM catalog_move_visible(s.shop_id, -count(*), -count(*) FILTER (
            WHERE (o.created_at, o.id) <= (s.walk_from_at, s.walk_from_id)))
     FROM old_rows AS o JOIN shops AS s USING (shop_id)
    WHERE o.deleted_at IS NULL
    GROUP BY s.shop_id;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_variants_inserted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM new_rows));
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM new_rows;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_variants_updated() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows));
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(product_id))
     FROM (SELECT shop_id, product_id FROM new_rows UNION SELECT shop_id, product_id FROM old_rows) AS c;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_variants_deleted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM old_rows));
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM old_rows;
  RETURN NULL;
END
$$;

-- Collections and orders have nothing derived: a change only moves the shop's version.
CREATE FUNCTION catalog_rows_inserted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM new_rows));
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_rows_updated() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows));
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_rows_deleted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM old_rows));
  RETURN NULL;
END
$$;

-- TRUNCATE has no transition tables and empties every shop at once.
CREATE FUNCTION catalog_truncated() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_touch_shops(ARRAY(SELECT shop_id FROM shops));
  IF TG_TABLE_NAME = 'variants' THEN
    UPDATE products SET variant_count = 0, min_price = NULL, max_price = NULL, total_stock = 0 WHERE variant_count > 0;
  ELSIF TG_TABLE_NAME = 'products' THEN
    PERFORM catalog_move_visible(shop_id, -live_product_count, -walk_visible) FROM shops;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER products_inserted AFTER INSERT ON products REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_inserted();
CREATE TRIGGER products_updated AFTER UPDATE ON products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_updated();
CREATE TRIGGER products_deleted AFTER DELETE ON products REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_deleted();
CREATE TRIGGER products_truncated AFTER TRUNCATE ON products
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_truncated();

CREATE TRIGGER variants_inserted AFTER INSERT ON variants REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_variants_inserted();
CREATE TRIGGER variants_updated AFTER UPDATE ON variants REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_variants_updated();
CREATE TRIGGER variants_deleted AFTER DELETE ON variants REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_variants_deleted();
CREATE TRIGGER variants_truncated AFTER TRUNCATE ON variants
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_truncated();

CREATE TRIGGER collections_inserted AFTER INSERT ON collections REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_inserted();
CREATE TRIGGER collections_updated AFTER UPDATE ON collections REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_updated();
CREATE TRIGGER collections_deleted AFTER DELETE ON collections REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_deleted();
CREATE TRIGGER collections_truncated AFTER TRUNCATE ON collections
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_truncated();

CREATE TRIGGER orders_inserted AFTER INSERT ON orders REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_inserted();
CREATE TRIGGER orders_updated AFTER UPDATE ON orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_updated();
CREATE TRIGGER orders_deleted AFTER DELETE ON orders REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_rows_deleted();
CREATE TRIGGER orders_truncated AFTER TRUNCATE ON orders
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_truncated();
