-- Tables that keep filtered lists as fast with a million products as with ten thousand. Triggers of products maintain them: read them,
-- never write them.

-- The live products of each tag in list order (D9). Tags are cut, because an index entry holds at most 2,700 bytes; readers compare longer
-- ones with the product's own tags.
CREATE TABLE product_tags (
  shop_id    uuid NOT NULL,
  tag        text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  product_id uuid NOT NULL,
  PRIMARY KEY (shop_id, tag, created_at, product_id)
);

-- The live products of each collection, by its external_id, in its order; products without a position come last. With the date, products
-- hidden by the plan's limit are skipped without reading them.
CREATE TABLE collection_products (
  shop_id    uuid NOT NULL,
  collection text COLLATE "C" NOT NULL,
  position   integer NOT NULL,
  product_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (shop_id, collection, position, product_id, created_at)
);

-- The live products, with the columns that catalog_terms reads. A table of its own, because a changed price or stock rewrites the product's
-- row and its entry in every index of products; that of the terms would cost the most (docs/decisions.md 122).
CREATE TABLE product_terms (
  shop_id      uuid NOT NULL,
  product_id   uuid NOT NULL,
  status       text NOT NULL,
  vendor       text,
  product_type text,
  tags         text[] NOT NULL,
  search_text  text NOT NULL,
  search_words text NOT NULL,
  PRIMARY KEY (shop_id, product_id)
);

-- Everything that filters compare or search in, as one set of terms: status, vendor, type and tags after U+FFFE and a letter, and each
-- character and each trigram of the searched text. So an index finds the candidates for `q` of any length and any characters: one character
-- as itself, two as the beginning of a term, more by all of their trigrams (those of pg_trgm cover only letters and digits, and nothing
-- shorter). For `search`, each word between its section and a blank, and its first two and three characters without the blank, because many
-- words share short beginnings. Candidates only: long values are cut and trigrams may be apart, so readers check every row. Rows with
-- extremely long texts are candidates for everything.
--
-- Regular expressions take a third of the time of a subquery, and an import runs this for every product. U+FFFF separates terms, so none
-- contains it. The COST keeps the planner from computing terms row by row.
CREATE FUNCTION public.catalog_terms(
  status text, vendor text, product_type text, tags text[], search_text text, search_words text)
RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 100000 AS $$
DECLARE
  tag_size pg_catalog.int4 := pg_catalog.octet_length(pg_catalog.array_to_string(tags, ''));
BEGIN
  IF pg_catalog.octet_length(pg_catalog.concat(search_text, search_words)) OPERATOR(pg_catalog.+) tag_size OPERATOR(pg_catalog.>) 50000 THEN
    RETURN pg_catalog.array_to_tsvector(ARRAY[U&'\FFFE!' /*any_term*/]);
  END IF;
  IF tag_size OPERATOR(pg_catalog.>) 500 /*kept_characters*/ THEN
    tags := ARRAY(SELECT pg_catalog."left"(tag, 500 /*kept_characters*/) FROM pg_catalog.unnest(tags) AS t (tag));
  END IF;
  RETURN pg_catalog.array_to_tsvector(pg_catalog.array_cat(pg_catalog.array_cat(
    pg_catalog.string_to_array(search_text, NULL),
    ARRAY(SELECT pg_catalog.unnest(ARRAY[
                   pg_catalog."left"(word, 5 /*short_word_term*/), pg_catalog."left"(word, 6 /*begun_word_term*/), pg_catalog."left"(word, 63 /*word_term*/)])
            FROM pg_catalog.unnest(pg_catalog.string_to_array(
                   CASE WHEN search_words OPERATOR(pg_catalog.<>) '' THEN
                     U&'\FFFE' /*term_mark*/ OPERATOR(pg_catalog.||) pg_catalog.replace(search_words, U&'\FFFE' /*term_mark*/, U&' \FFFF\FFFE' /*next_word_term*/) END,
                   U&'\FFFF' /*term_separator*/)) AS w (word)
           WHERE word OPERATOR(pg_catalog.<>) U&'\FFFE' /*term_mark*/)),
    pg_catalog.array_remove(pg_catalog.string_to_array(pg_catalog.concat_ws(U&'\FFFF' /*term_separator*/,
      pg_catalog.regexp_replace(search_text, '...', U&'\005C&\FFFF', 'g'),
      pg_catalog.regexp_replace(pg_catalog.substr(search_text, 2), '...', U&'\005C&\FFFF', 'g'),
      pg_catalog.regexp_replace(pg_catalog.substr(search_text, 3), '...', U&'\005C&\FFFF', 'g'),
      pg_catalog.concat(U&'\FFFEs' /*status_term*/, status),
      U&'\FFFEv' /*vendor_term*/ OPERATOR(pg_catalog.||) pg_catalog."left"(vendor, 500 /*kept_characters*/),
      U&'\FFFEp' /*product_type_term*/ OPERATOR(pg_catalog.||) pg_catalog."left"(product_type, 500 /*kept_characters*/),
      CASE WHEN pg_catalog.cardinality(tags) OPERATOR(pg_catalog.>) 0
           THEN pg_catalog.concat(U&'\FFFEt' /*tag_term*/, pg_catalog.array_to_string(tags, U&'\FFFF\FFFEt' /*next_tag_term*/)) END),
      U&'\FFFF' /*term_separator*/), '')));
END
$$;

-- Every reader scans the pending list, so it is short.
CREATE INDEX product_terms_idx ON product_terms
  USING gin (shop_id, catalog_terms(status, vendor, product_type, tags, search_text, search_words)) WITH (gin_pending_list_limit = 512);
-- No statistics: ANALYZE would compute the terms of 30,000 rows, and nothing would use the result.
ALTER INDEX product_terms_idx ALTER COLUMN 2 SET STATISTICS 0;
