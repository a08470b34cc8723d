-- Products, variants and collections as the REST API shows them, worked out when a row is written and not each time it is read:
-- PostgreSQL looks up how to write each value of each row, which is two thirds of the work of a page (docs/decisions.md 36).
-- Generated columns, so that no writer can leave them behind. src/catalog/row-json.ts reads them; test/graph/finished-nodes.test.ts
-- holds them to what the resolvers answer. Not orders: what may leave of those is decided row by row, when they are read.
--
-- IMMUTABLE although to_char and row_to_json are not: these formats have nothing of a locale, a time zone or a setting in them.

CREATE FUNCTION catalog_rest_product(
  id uuid, external_id text, title text, handle text, status text, vendor text, product_type text, tags text[],
  description_html text, seo_title text, seo_description text, image_url text, variant_count integer, min_price text,
  max_price text, total_stock bigint, published_at timestamptz, created_at timestamptz, updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT row_to_json(shown)::text FROM (
    SELECT id, external_id, title, handle, status, vendor, product_type, tags, description_html, seo_title, seo_description,
           image_url, variant_count, min_price, max_price, total_stock,
           to_char(published_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS published_at,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
           to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at) AS shown);
END
$$;

CREATE FUNCTION catalog_rest_variant(
  id uuid, external_id text, title text, sku text, barcode text, price text, compare_at_price text, cost_price text,
  inventory_quantity bigint, weight text, weight_unit text, "position" integer, image_url text, options jsonb,
  created_at timestamptz, updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  -- Writers may give an option more members than the two that answers have.
  RETURN (SELECT row_to_json(shown)::text FROM (
    SELECT id, external_id, title, sku, barcode, price, compare_at_price, cost_price, inventory_quantity, weight, weight_unit,
           "position", image_url,
           coalesce((SELECT array_to_json(array_agg(o))
                       FROM (SELECT e ->> 'name' AS name, e ->> 'value' AS value
                               FROM jsonb_path_query(options, '$[*]') AS e) AS o), '[]') AS options,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
           to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at) AS shown);
END
$$;

CREATE FUNCTION catalog_rest_collection(
  id uuid, external_id text, title text, handle text, description_html text, published boolean, collection_type text,
  products_count bigint, image_url text, seo_title text, seo_description text, created_at timestamptz,
  updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN (SELECT row_to_json(shown)::text FROM (
    SELECT id, external_id, title, handle, description_html, published, collection_type, products_count, image_url,
           seo_title, seo_description,
           to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS created_at,
           to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at) AS shown);
END
$$;

ALTER TABLE products ADD COLUMN rest_json text NOT NULL GENERATED ALWAYS AS (catalog_rest_product(
  id, external_id, title, handle, status, vendor, product_type, tags, description_html, seo_title, seo_description, image_url,
  variant_count, min_price, max_price, total_stock, published_at, created_at, updated_at)) STORED;

ALTER TABLE variants ADD COLUMN rest_json text NOT NULL GENERATED ALWAYS AS (catalog_rest_variant(
  id, external_id, title, sku, barcode, price, compare_at_price, cost_price, inventory_quantity, weight, weight_unit, "position",
  image_url, options, created_at, updated_at)) STORED;

ALTER TABLE collections ADD COLUMN rest_json text NOT NULL GENERATED ALWAYS AS (catalog_rest_collection(
  id, external_id, title, handle, description_html, published, collection_type, products_count, image_url, seo_title,
  seo_description, created_at, updated_at)) STORED;
