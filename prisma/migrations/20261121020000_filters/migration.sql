-- What keeps lists with filters as quick in a shop of a million products as in one of ten thousand: a table with every tag's
-- products in list order, and one index that finds the products of any combination of filters.

-- The live products of each tag in the order of the list (D9). Kept by the triggers below, whoever writes; read it, never write it.
-- Tags are cut because an index entry holds at most 2,700 bytes: whoever reads holds the product's own tags against a longer one.
CREATE TABLE product_tags (
  shop_id    uuid NOT NULL,
  tag        text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  product_id uuid NOT NULL,
  PRIMARY KEY (shop_id, tag, created_at, product_id)
);

INSERT INTO product_tags (shop_id, tag, created_at, product_id)
SELECT DISTINCT p.shop_id, left(t.tag, 500), p.created_at, p.id
  FROM products AS p CROSS JOIN unnest(p.tags) AS t (tag)
 WHERE p.deleted_at IS NULL
 ORDER BY 1, 2, 3, 4;

-- Everything that filters compare exactly or search in, as one set of terms: status, vendor, type and tags behind U+FFFE and a
-- letter, each character of the searched text, and the three characters from each place on. So `q` of any length and of any
-- characters finds its candidates in an index: a single character as itself, two as the beginning of a term, more as all of their threes
-- (the trigrams of pg_trgm know letters and digits only, and nothing shorter). Candidates only: long values are cut and threes may
-- stand apart, so readers hold every row against the conditions themselves. Texts beyond reason are candidates for everything.
--
-- Regular expressions, because they cut a text up in a third of the time that a subquery takes to begin: an import writes as many of
-- these as products. U+FFFF separates terms, so none holds it. The cost keeps the planner from working terms out row by row.
CREATE FUNCTION catalog_terms(status text, vendor text, product_type text, tags text[], search_text text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $$
DECLARE
  tag_size integer := octet_length(array_to_string(tags, ''));
BEGIN
  IF octet_length(search_text) + tag_size > 50000 THEN
    RETURN array_to_tsvector(ARRAY[U&'\FFFE!']);
  END IF;
  IF tag_size > 500 THEN
    tags := ARRAY(SELECT left(tag, 500) FROM unnest(tags) AS t (tag));
  END IF;
  RETURN array_to_tsvector(string_to_array(search_text, NULL) || array_remove(string_to_array(concat_ws(U&'\FFFF',
    regexp_replace(search_text, '...', U&'\005C&\FFFF', 'g'),
    regexp_replace(substr(search_text, 2), '...', U&'\005C&\FFFF', 'g'),
    regexp_replace(substr(search_text, 3), '...', U&'\005C&\FFFF', 'g'),
    U&'\FFFEs' || status,
    U&'\FFFEv' || left(vendor, 500),
    U&'\FFFEp' || left(product_type, 500),
    CASE WHEN tags <> '{}' THEN U&'\FFFEt' || array_to_string(tags, U&'\FFFF\FFFEt') END), U&'\FFFF'), ''));
END
$$;

-- The terms that every product has whose searched text holds `q`, folded and not empty. A long one needs not all of its own.
CREATE FUNCTION catalog_search_terms(q text) RETURNS tsquery
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
  SELECT string_agg(
           '''' || replace(replace(substr(q, n, 3), '\', '\\'), '''', '''''') || CASE length(q) WHEN 2 THEN ''':*' ELSE '''' END,
           ' & ')::tsquery
    FROM generate_series(1, greatest(least(length(q), 50) - 2, 1)) AS n
$$;

DROP INDEX products_tags_idx;
DROP INDEX products_search_idx;
-- Every reader goes through the list of entries that wait to be sorted in; a short one costs it nothing to speak of.
CREATE INDEX products_terms_idx ON products
  USING gin (shop_id, catalog_terms(status, vendor, product_type, tags, search_text))
  WITH (gin_pending_list_limit = 512) WHERE deleted_at IS NULL;
-- No statistics: ANALYZE would work out the terms of 30,000 rows, and nobody would use what it finds.
ALTER INDEX products_terms_idx ALTER COLUMN 2 SET STATISTICS 0;

-- The other bound of a range of prices has products_price_idx.
CREATE INDEX products_max_price_idx ON products (shop_id, max_price_value) WHERE deleted_at IS NULL;

-- ---------------------------------------------------------------------------------------------------------------------
-- product_tags follows products, once per statement. The names of the triggers let them run after those that lock the shop.
-- Rows go by look-ups of the whole key, whatever the planner believes about a table that is just being filled (see
-- catalog_derive_products).
-- ---------------------------------------------------------------------------------------------------------------------

CREATE FUNCTION catalog_products_inserted_tags() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO product_tags (shop_id, tag, created_at, product_id)
  SELECT DISTINCT n.shop_id, left(t.tag, 500), n.created_at, n.id
    FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag)
   WHERE n.deleted_at IS NULL
   ORDER BY 1, 2, 3, 4;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_products_updated_tags() RETURNS trigger
LANGUAGE plpgsql
SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
BEGIN
  DELETE FROM product_tags AS t
   USING (SELECT o.shop_id, left(t.tag, 500) AS tag, o.created_at, o.id
            FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL
          EXCEPT
          SELECT n.shop_id, left(t.tag, 500), n.created_at, n.id
            FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag) WHERE n.deleted_at IS NULL) AS k
   CROSS JOIN LATERAL (
         SELECT f.ctid AS at FROM product_tags AS f
          WHERE f.shop_id = k.shop_id AND f.tag = k.tag AND f.created_at = k.created_at AND f.product_id = k.id
         OFFSET 0) AS found
   WHERE t.ctid = found.at -- which alone is not unique where the table is partitioned
     AND t.shop_id = k.shop_id AND t.tag = k.tag AND t.created_at = k.created_at AND t.product_id = k.id;
  INSERT INTO product_tags (shop_id, tag, created_at, product_id)
  SELECT n.shop_id, left(t.tag, 500), n.created_at, n.id
    FROM new_rows AS n CROSS JOIN unnest(n.tags) AS t (tag) WHERE n.deleted_at IS NULL
  EXCEPT
  SELECT o.shop_id, left(t.tag, 500), o.created_at, o.id
    FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL
   ORDER BY 1, 2, 3, 4;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_products_deleted_tags() RETURNS trigger
LANGUAGE plpgsql
SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_nestloop = on SET enable_tidscan = on SET jit = off AS $$
BEGIN
  DELETE FROM product_tags AS t
   USING (SELECT DISTINCT o.shop_id, left(t.tag, 500) AS tag, o.created_at, o.id
            FROM old_rows AS o CROSS JOIN unnest(o.tags) AS t (tag) WHERE o.deleted_at IS NULL) AS k
   CROSS JOIN LATERAL (
         SELECT f.ctid AS at FROM product_tags AS f
          WHERE f.shop_id = k.shop_id AND f.tag = k.tag AND f.created_at = k.created_at AND f.product_id = k.id
         OFFSET 0) AS found
   WHERE t.ctid = found.at
     AND t.shop_id = k.shop_id AND t.tag = k.tag AND t.created_at = k.created_at AND t.product_id = k.id;
  RETURN NULL;
END
$$;

CREATE FUNCTION catalog_products_truncated_tags() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  TRUNCATE product_tags;
  RETURN NULL;
END
$$;

CREATE TRIGGER products_inserted_tags AFTER INSERT ON products REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_inserted_tags();
CREATE TRIGGER products_updated_tags AFTER UPDATE ON products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_updated_tags();
CREATE TRIGGER products_deleted_tags AFTER DELETE ON products REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_deleted_tags();
CREATE TRIGGER products_truncated_tags AFTER TRUNCATE ON products
  FOR EACH STATEMENT EXECUTE FUNCTION catalog_products_truncated_tags();
