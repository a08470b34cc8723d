-- The objects of shops. Columns are in the order of schema.graphql, followed by derived columns.

-- ---------------------------------------------------------------------------------------------------------------------
-- Locks the shop before its rows: a statement that locks rows first can deadlock with another one. A trigger would be too late, because
-- PostgreSQL has locked the row when BEFORE UPDATE triggers run. Check constraints are evaluated on the new row before the old one is
-- locked, in INSERT, COPY, UPDATE, MERGE and ON CONFLICT alike, so a constraint takes the lock. DELETE checks nothing: docs/writers.md says
-- what a writer does instead. Nothing is derived from this, so a session that disables it harms no data.
--
-- The setting holds the shop that is already locked. It ends with the transaction or the savepoint, as the lock does.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION public.catalog_hold_shop(shop uuid) RETURNS boolean
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
-- Products, variants and collections as the REST API shows them, computed on write instead of on every read (docs/decisions.md 1, 86).
-- Generated columns, so that no writer can skip them. src/catalog/rows/shop-tables.ts reads them. Not orders: what may be returned of those
-- is decided row by row, on read.
--
-- IMMUTABLE although to_char and row_to_json are not: these formats do not depend on locale, time zone or settings.
--
-- The members of rest_json in their order. A value of such a type becomes JSON without a query.
-- ---------------------------------------------------------------------------------------------------------------------

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

CREATE FUNCTION public.catalog_rest_product(
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

CREATE FUNCTION public.catalog_rest_variant(
  id uuid, external_id text, title text, sku text, barcode text, price text, compare_at_price text, cost_price text,
  inventory_quantity bigint, weight text, weight_unit text, "position" integer, image_url text, options jsonb,
  created_at timestamptz, updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  shown pg_catalog.text := '';
  item pg_catalog.jsonb;
  i pg_catalog.int4 := 0;
BEGIN
  -- Anything else is rejected by a constraint, which is checked later.
  IF pg_catalog.jsonb_typeof(options) OPERATOR(pg_catalog.=) 'array' THEN
    -- Writers may give an option more members than the two that responses have.
    WHILE i OPERATOR(pg_catalog.<) pg_catalog.jsonb_array_length(options) LOOP
      item := options OPERATOR(pg_catalog.->) i;
      shown := pg_catalog.concat(
        shown, CASE WHEN i OPERATOR(pg_catalog.>) 0 THEN ',' END,
        '{"name":', coalesce(pg_catalog.to_json(item OPERATOR(pg_catalog.->>) 'name')::pg_catalog.text, 'null'),
        ',"value":', coalesce(pg_catalog.to_json(item OPERATOR(pg_catalog.->>) 'value')::pg_catalog.text, 'null'), '}');
      i := i OPERATOR(pg_catalog.+) 1;
    END LOOP;
  END IF;
  RETURN pg_catalog.row_to_json(ROW(
    id, external_id, title, sku, barcode, price, compare_at_price, cost_price, inventory_quantity, weight, weight_unit, "position",
    image_url, pg_catalog.concat('[', shown, ']')::pg_catalog.json,
    pg_catalog.to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    pg_catalog.to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::public.catalog_rest_variant_form);
END
$$;

CREATE FUNCTION public.catalog_rest_collection(
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
-- What `search` looks in: the words of a product without case and accents, each as the letter of its section, a blank, the word and U+FFFE.
-- The sections are title, handle, vendor, and tags with SKUs. Of the first three, a word is only in the first that has it. Two neighbors
-- also form one word, so "teapot" finds a tea pot; not in tags and SKUs, most of whose words are on few products and expensive to index.
-- src/catalog/product/search-words.ts finds the same words in the same text. Compatibility characters are unified (NFKC). Each ideograph or
-- kana is a word, because no blanks separate them. Only the first 1,000 characters of a text count, and the first 10,000 of SKUs and tags
-- together.
-- ---------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION public.catalog_plain_words(value text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF value OPERATOR(pg_catalog.~) '[^\u0001-\u007f\uffff]' THEN
    value := pg_catalog.regexp_replace(pg_catalog.normalize(value, 'NFKD'), '[\u0300-\u036f]+' /*accents*/, '', 'g');
    value := pg_catalog.normalize(public.catalog_fold(value), 'NFKC');
    value := pg_catalog.translate(value, 'øłđħŧıð', 'oldhtid');
    value := pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(pg_catalog.replace(value, 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th');
    value := pg_catalog.regexp_replace(value, '[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]' /*ideographs*/, ' \& ', 'g');
  ELSE
    value := public.catalog_fold(value);
  END IF;
  RETURN pg_catalog.btrim(pg_catalog.regexp_replace(value, '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7\u02b0-\u02ff\u2000-\u206f\u20a0-\u20cf\u2100-\u2bff\u3000-\u3020\u3030\u30fb\ufe00-\ufe6f\ufff0-\ufffe]+' /*word_separators*/, ' ', 'g'));
END
$$;

CREATE FUNCTION public.catalog_search_words(title text, handle text, vendor text, tags text[], skus text) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  found pg_catalog.text := '';
  sections pg_catalog.text[];
  own pg_catalog.text;
  section pg_catalog.text := '`'; -- the character before a
  previous pg_catalog.text; -- with a blank before it
  word pg_catalog.text;
  marked pg_catalog.text;
BEGIN
  title := pg_catalog.translate(pg_catalog."left"(title, 1000), U&'\FFFF' /*term_separator*/, ' ');
  handle := pg_catalog.translate(pg_catalog."left"(handle, 1000), U&'\FFFF' /*term_separator*/, ' ');
  vendor := pg_catalog.translate(pg_catalog."left"(vendor, 1000), U&'\FFFF' /*term_separator*/, ' ');
  skus := pg_catalog.translate(
    pg_catalog."left"(pg_catalog.concat_ws(' ', skus, pg_catalog.array_to_string(tags, ' ')), 10000), U&'\FFFF' /*term_separator*/, ' ');
  sections := pg_catalog.string_to_array(public.catalog_plain_words(pg_catalog.concat(
    title, U&' \FFFF ' /*spaced_separator*/, handle, U&' \FFFF ' /*spaced_separator*/, vendor, U&' \FFFF ' /*spaced_separator*/, skus)),
    U&'\FFFF' /*term_separator*/);
  FOREACH own IN ARRAY sections[1:3] LOOP
    section := pg_catalog.chr(pg_catalog.ascii(section) OPERATOR(pg_catalog.+) 1);
    own := pg_catalog.btrim(own);
    CONTINUE WHEN own OPERATOR(pg_catalog.=) '' OR section OPERATOR(pg_catalog.=) 'b' AND own OPERATOR(pg_catalog.=) pg_catalog.btrim(sections[1]);
    previous := NULL;
    FOREACH word IN ARRAY pg_catalog.string_to_array(own, ' ') LOOP
      marked := word OPERATOR(pg_catalog.||) U&'\FFFE' /*term_mark*/;
      IF pg_catalog.strpos(found, ' ' OPERATOR(pg_catalog.||) marked) OPERATOR(pg_catalog.=) 0 THEN
        found := found OPERATOR(pg_catalog.||) section OPERATOR(pg_catalog.||) ' ' OPERATOR(pg_catalog.||) marked;
      END IF;
      IF pg_catalog.strpos(found, previous OPERATOR(pg_catalog.||) marked) OPERATOR(pg_catalog.=) 0 THEN
        found := found OPERATOR(pg_catalog.||) section OPERATOR(pg_catalog.||) previous OPERATOR(pg_catalog.||) marked;
      END IF;
      previous := ' ' OPERATOR(pg_catalog.||) word;
    END LOOP;
  END LOOP;
  own := pg_catalog.btrim(sections[4]);
  -- Sorted and unique. PostgreSQL's own functions take a tenth of the time of a loop, but reject very long words.
  IF own OPERATOR(pg_catalog.!~) '[^ ]{255}' THEN
    own := pg_catalog.array_to_string(pg_catalog.tsvector_to_array(pg_catalog.array_to_tsvector(pg_catalog.string_to_array(own, ' '))), ' ');
  END IF;
  RETURN CASE WHEN own OPERATOR(pg_catalog.=) '' THEN found
    ELSE pg_catalog.concat(found, 'd ', pg_catalog.replace(own, ' ', U&'\FFFEd ' /*next_last_word*/), U&'\FFFE' /*term_mark*/) END;
END
$$;

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
  url              text,
  images           jsonb NOT NULL DEFAULT '[]',
  memberships      jsonb NOT NULL DEFAULT '[]',
  deleted_at       timestamptz(3),
  -- Derived from the variants, whoever writes (see catalog_derive_products).
  variant_count    integer NOT NULL DEFAULT 0,
  min_price        text,
  max_price        text,
  total_stock      bigint NOT NULL DEFAULT 0,
  skus             text,
  min_price_value  numeric GENERATED ALWAYS AS (min_price::numeric) STORED,
  max_price_value  numeric GENERATED ALWAYS AS (max_price::numeric) STORED,
  -- What `q` searches: title and handle, folded, with the noncharacter U+FFFF between them, which no search term contains.
  search_text      text NOT NULL GENERATED ALWAYS AS (
    catalog_fold(title) || U&'\FFFF' || coalesce(catalog_fold(handle), '')) STORED,
  search_words     text NOT NULL GENERATED ALWAYS AS (catalog_search_words(title, handle, vendor, tags, skus)) STORED,
  -- Sort keys of lists. Never null, so that a keyset over (key, id) works in both directions; products without a price come last. Titles
  -- are folded, and cut because an index entry holds at most 2,700 bytes.
  title_sort       text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(catalog_fold(title), 100)) STORED,
  min_price_sort   numeric NOT NULL GENERATED ALWAYS AS (coalesce(min_price::numeric, 'Infinity')) STORED,
  rest_json        text NOT NULL GENERATED ALWAYS AS (catalog_rest_product(
    id, external_id, title, handle, status, vendor, product_type, tags, description_html, seo_title, seo_description, image_url, variant_count,
    min_price, max_price, total_stock, published_at, created_at, updated_at)) STORED,
  PRIMARY KEY (shop_id, id),
  CONSTRAINT products_external_id_check CHECK (external_id <> ''),
  CONSTRAINT products_status_check CHECK (status IN ('ACTIVE', 'DRAFT', 'ARCHIVED')),
  CONSTRAINT products_tags_check CHECK (coalesce(array_ndims(tags), 1) = 1 AND array_position(tags, NULL) IS NULL),
  CONSTRAINT products_derived_check CHECK (variant_count >= 0 AND (min_price IS NULL) = (max_price IS NULL)),
  -- An integer that JSON represents exactly (D22), like the quantities of variants. A statement that exceeds it fails.
  CONSTRAINT products_total_stock_check CHECK (total_stock BETWEEN -9007199254740991 AND 9007199254740991),
  CONSTRAINT products_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT products_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z'),
  CONSTRAINT products_published_at_check CHECK (published_at >= '0001-01-01Z' AND published_at < '10000-01-01Z'),
  CONSTRAINT products_hold_shop_check CHECK (public.catalog_hold_shop(shop_id)),
  CONSTRAINT products_external_id_length_check CHECK (octet_length(external_id) <= 2000),
  CONSTRAINT products_title_length_check CHECK (octet_length(title) <= 10000),
  CONSTRAINT products_handle_length_check CHECK (octet_length(handle) <= 10000),
  CONSTRAINT products_vendor_length_check CHECK (octet_length(vendor) <= 2000),
  CONSTRAINT products_product_type_length_check CHECK (octet_length(product_type) <= 2000),
  CONSTRAINT products_description_html_length_check CHECK (octet_length(description_html) <= 1048576),
  CONSTRAINT products_seo_title_length_check CHECK (octet_length(seo_title) <= 10000),
  CONSTRAINT products_seo_description_length_check CHECK (octet_length(seo_description) <= 65536),
  CONSTRAINT products_image_url_length_check CHECK (octet_length(image_url) <= 8192),
  CONSTRAINT products_min_price_length_check CHECK (octet_length(min_price) <= 1000),
  CONSTRAINT products_max_price_length_check CHECK (octet_length(max_price) <= 1000),
  CONSTRAINT products_tags_length_check CHECK (cardinality(tags) <= 1000 AND octet_length(array_to_string(tags, '')) <= 65536),
  CONSTRAINT products_url_length_check CHECK (octet_length(url) <= 8192),
  CONSTRAINT products_images_check CHECK (jsonb_path_query_array(images, 'strict $[*] ? (exists(@.url ? (@.type() == "string")) && exists(@.alt_text ? (@.type() == "string" || @.type() == "null")) && exists(@.position ? (@.type() == "number" && @ == @.floor() && @ >= -2147483648 && @ <= 2147483647 || @.type() == "null")) && !(exists(@.keyvalue() ? (@.key != "url" && @.key != "alt_text" && @.key != "position"))))', '{}', true) = images),
  CONSTRAINT products_images_length_check CHECK (NOT images @? '$[250]' AND octet_length(images::text) <= 262144),
  CONSTRAINT products_memberships_check CHECK (jsonb_path_query_array(memberships, 'strict $[*] ? (exists(@.collection_external_id ? (@.type() == "string" && @ != "")) && exists(@.position ? (@.type() == "number" && @ == @.floor() && @ >= -2147483648 && @ <= 2147483647 || @.type() == "null")) && !(exists(@.keyvalue() ? (@.key != "collection_external_id" && @.key != "position"))))', '{}', true) = memberships),
  CONSTRAINT products_memberships_length_check CHECK (NOT memberships @? '$[1000]' AND octet_length(memberships::text) <= 262144),
  -- Half of a response, because a page of one row reads a second row to see whether there is one. Some characters take more bytes as JSON.
  CONSTRAINT products_row_length_check CHECK (
    octet_length(rest_json) + 6 * coalesce(octet_length(url), 0) + octet_length(images::text) + octet_length(memberships::text) <= 4194304)
-- A page reads rest_json of 50 rows. Kept in the row, it needs no lookup in the TOAST table (docs/decisions.md 1).
) WITH (toast_tuple_target = 8160);
CREATE UNIQUE INDEX products_external_id_key ON products (shop_id, external_id);
CREATE INDEX products_page_idx ON products (shop_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_status_idx ON products (shop_id, status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_vendor_idx ON products (shop_id, vendor, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_product_type_idx ON products (shop_id, product_type, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_updated_at_idx ON products (shop_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_title_idx ON products (shop_id, title_sort, id) WHERE deleted_at IS NULL;
-- The date allows index-only scans for aggregates of a shop whose limit hides products.
CREATE INDEX products_price_idx ON products (shop_id, min_price_sort, id) INCLUDE (created_at) WHERE deleted_at IS NULL;
CREATE INDEX products_stock_idx ON products (shop_id, total_stock, id) INCLUDE (created_at) WHERE deleted_at IS NULL;
CREATE INDEX products_untagged_idx ON products (shop_id, created_at, id) WHERE deleted_at IS NULL AND tags = '{}';
-- For exact lookups. The value is cut, because an index entry must fit in a third of a page; readers compare each row with the whole value.
CREATE INDEX products_handle_idx ON products (shop_id, ("left"(handle, 500 /*kept_characters*/)) COLLATE "C") WHERE deleted_at IS NULL AND handle IS NOT NULL;

-- A price range contains the products that have a variant in it or on both sides of it. Those whose lowest price is in the range are found
-- by products_price_idx. The others start below the range and reach into it. To find them without reading everything that starts below,
-- products with more than one price are grouped by the spread between their lowest and highest price: a product with a spread of at most 4
-- that reaches 20 starts at 16 or above. These are the upper bounds of the groups, each included in the next one; the last group has no
-- bound.
CREATE FUNCTION catalog_price_spreads() RETURNS numeric[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{0.25,1,4,16,64,256,1024,4096,16384,65536,262144,1048576,4194304,16777216}'::numeric[];

-- The number of a product's spread group.
CREATE FUNCTION catalog_price_spread(lowest numeric, highest numeric) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN width_bucket(highest - lowest, catalog_price_spreads());

-- Products with one price, usually most of them, have no entry.
CREATE INDEX products_price_spread_idx
  ON products (shop_id, catalog_price_spread(min_price_sort, max_price_value), min_price_sort)
  WHERE deleted_at IS NULL AND max_price_value > min_price_sort;

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
  rest_json          text NOT NULL GENERATED ALWAYS AS (catalog_rest_variant(
    id, external_id, title, sku, barcode, price, compare_at_price, cost_price, inventory_quantity, weight, weight_unit, position, image_url,
    options, created_at, updated_at)) STORED,
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
  CONSTRAINT variants_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z'),
  CONSTRAINT variants_hold_shop_check CHECK (public.catalog_hold_shop(shop_id)),
  CONSTRAINT variants_external_id_length_check CHECK (octet_length(external_id) <= 2000),
  CONSTRAINT variants_title_length_check CHECK (octet_length(title) <= 10000),
  CONSTRAINT variants_sku_length_check CHECK (octet_length(sku) <= 10000),
  CONSTRAINT variants_barcode_length_check CHECK (octet_length(barcode) <= 10000),
  CONSTRAINT variants_price_length_check CHECK (octet_length(price) <= 1000),
  CONSTRAINT variants_compare_at_price_length_check CHECK (octet_length(compare_at_price) <= 1000),
  CONSTRAINT variants_cost_price_length_check CHECK (octet_length(cost_price) <= 1000),
  CONSTRAINT variants_weight_length_check CHECK (octet_length(weight) <= 1000),
  CONSTRAINT variants_weight_unit_length_check CHECK (octet_length(weight_unit) <= 2000),
  CONSTRAINT variants_image_url_length_check CHECK (octet_length(image_url) <= 8192),
  CONSTRAINT variants_options_length_check CHECK (octet_length(options::text) <= 65536)
) WITH (toast_tuple_target = 8160);
-- In this order, it also finds variants by external_id alone.
CREATE UNIQUE INDEX variants_external_id_key ON variants (shop_id, external_id, product_id);
CREATE INDEX variants_product_idx ON variants (shop_id, product_id, position, id);
CREATE INDEX variants_sku_idx ON variants (shop_id, ("left"(sku, 500 /*kept_characters*/)) COLLATE "C") WHERE sku IS NOT NULL;
CREATE INDEX variants_barcode_idx ON variants (shop_id, ("left"(barcode, 500 /*kept_characters*/)) COLLATE "C") WHERE barcode IS NOT NULL;
-- Sort orders of lists, besides that of ids, which the primary key has. Rows without the value come last.
CREATE INDEX variants_updated_at_idx ON variants (shop_id, updated_at, id);
CREATE INDEX variants_price_idx ON variants (shop_id, (coalesce(price_value, 'Infinity'::numeric)), id);
CREATE INDEX variants_stock_idx ON variants (shop_id, (coalesce(inventory_quantity, 9223372036854775807)), id);

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
  -- The sort key: oldest first, rows without a date last (D9). Never null, so that a keyset can compare it.
  sort_at          timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(created_at, 'infinity')) STORED,
  rest_json        text NOT NULL GENERATED ALWAYS AS (catalog_rest_collection(
    id, external_id, title, handle, description_html, published, collection_type, products_count, image_url, seo_title, seo_description,
    created_at, updated_at)) STORED,
  PRIMARY KEY (shop_id, id),
  CONSTRAINT collections_external_id_check CHECK (external_id <> ''),
  CONSTRAINT collections_products_count_check CHECK (products_count BETWEEN 0 AND 9007199254740991),
  CONSTRAINT collections_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT collections_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z'),
  CONSTRAINT collections_hold_shop_check CHECK (public.catalog_hold_shop(shop_id)),
  CONSTRAINT collections_external_id_length_check CHECK (octet_length(external_id) <= 2000),
  CONSTRAINT collections_title_length_check CHECK (octet_length(title) <= 10000),
  CONSTRAINT collections_handle_length_check CHECK (octet_length(handle) <= 10000),
  CONSTRAINT collections_description_html_length_check CHECK (octet_length(description_html) <= 1048576),
  CONSTRAINT collections_collection_type_length_check CHECK (octet_length(collection_type) <= 2000),
  CONSTRAINT collections_image_url_length_check CHECK (octet_length(image_url) <= 8192),
  CONSTRAINT collections_seo_title_length_check CHECK (octet_length(seo_title) <= 10000),
  CONSTRAINT collections_seo_description_length_check CHECK (octet_length(seo_description) <= 65536),
  CONSTRAINT collections_row_length_check CHECK (octet_length(rest_json) <= 4194304)
) WITH (toast_tuple_target = 8160);
CREATE UNIQUE INDEX collections_external_id_key ON collections (shop_id, external_id);
CREATE INDEX collections_page_idx ON collections (shop_id, sort_at, id);
CREATE INDEX collections_published_idx ON collections (shop_id, published, sort_at, id);
CREATE INDEX collections_updated_at_idx ON collections (shop_id, (coalesce(updated_at, 'infinity'::timestamptz)), id);

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
  line_items         jsonb NOT NULL DEFAULT '[]',
  total_price_value  numeric GENERATED ALWAYS AS (total_price::numeric) STORED,
  sort_at            timestamptz(3) NOT NULL GENERATED ALWAYS AS (coalesce(created_at, 'infinity')) STORED,
  total_price_sort   numeric NOT NULL GENERATED ALWAYS AS (coalesce(total_price::numeric, 'Infinity')) STORED,
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
  CONSTRAINT orders_updated_at_check CHECK (updated_at >= '0001-01-01Z' AND updated_at < '10000-01-01Z'),
  CONSTRAINT orders_hold_shop_check CHECK (public.catalog_hold_shop(shop_id)),
  CONSTRAINT orders_external_id_length_check CHECK (octet_length(external_id) <= 2000),
  CONSTRAINT orders_order_number_length_check CHECK (octet_length(order_number) <= 10000),
  CONSTRAINT orders_customer_name_length_check CHECK (octet_length(customer_name) <= 10000),
  CONSTRAINT orders_total_price_length_check CHECK (octet_length(total_price) <= 1000),
  CONSTRAINT orders_subtotal_price_length_check CHECK (octet_length(subtotal_price) <= 1000),
  CONSTRAINT orders_total_tax_length_check CHECK (octet_length(total_tax) <= 1000),
  CONSTRAINT orders_total_shipping_length_check CHECK (octet_length(total_shipping) <= 1000),
  CONSTRAINT orders_financial_status_length_check CHECK (octet_length(financial_status) <= 2000),
  CONSTRAINT orders_fulfillment_status_length_check CHECK (octet_length(fulfillment_status) <= 2000),
  CONSTRAINT orders_tags_length_check CHECK (cardinality(tags) <= 1000 AND octet_length(array_to_string(tags, '')) <= 65536),
  CONSTRAINT orders_line_items_check CHECK (jsonb_path_query_array(line_items, 'strict $[*] ? (exists(@.title ? (@.type() == "string" || @.type() == "null")) && exists(@.sku ? (@.type() == "string" || @.type() == "null")) && exists(@.quantity ? (@.type() == "number" && @ == @.floor() && @ >= -2147483648 && @ <= 2147483647)) && exists(@.unit_price ? (@.type() == "string" && @ like_regex "^-?[0-9]+(\\.[0-9]+)?$" || @.type() == "null")) && exists(@.total ? (@.type() == "string" && @ like_regex "^-?[0-9]+(\\.[0-9]+)?$" || @.type() == "null")) && exists(@.product_external_id ? (@.type() == "string" || @.type() == "null")) && exists(@.variant_external_id ? (@.type() == "string" || @.type() == "null")) && !(exists(@.keyvalue() ? (@.key != "title" && @.key != "sku" && @.key != "quantity" && @.key != "unit_price" && @.key != "total" && @.key != "product_external_id" && @.key != "variant_external_id"))))', '{}', true) = line_items),
  CONSTRAINT orders_line_items_length_check CHECK (NOT line_items @? '$[1000]' AND octet_length(line_items::text) <= 262144)
);
CREATE UNIQUE INDEX orders_external_id_key ON orders (shop_id, external_id);
CREATE INDEX orders_page_idx ON orders (shop_id, sort_at, id);
CREATE INDEX orders_financial_status_idx ON orders (shop_id, financial_status, sort_at, id);
CREATE INDEX orders_fulfillment_status_idx ON orders (shop_id, fulfillment_status, sort_at, id);
CREATE INDEX orders_total_price_idx ON orders (shop_id, total_price_sort, id);
CREATE INDEX orders_changed_idx ON orders (shop_id, (coalesce(updated_at, 'infinity'::timestamptz)), id);

-- The SKUs of line items, cut like other indexed texts.
CREATE FUNCTION public.catalog_line_skus(line_items jsonb) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT DISTINCT pg_catalog."left"(sku OPERATOR(pg_catalog.#>>) '{}', 500 /*kept_characters*/)
                 FROM pg_catalog.jsonb_path_query(line_items, '$[*].sku ? (@.type() == "string")') AS s (sku));
END
$$;
CREATE INDEX orders_skus_idx ON orders USING gin (shop_id, catalog_line_skus(line_items)) WITH (gin_pending_list_limit = 512);
CREATE INDEX orders_number_idx ON orders (shop_id, ("left"(order_number, 500 /*kept_characters*/)) COLLATE "C");
