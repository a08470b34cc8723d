-- The JSON of a variant costs half of the processor time (docs/decisions.md 86). The same text, byte for byte, so nothing is rewritten.
--
-- The options were taken apart by a query for each row. Now a loop of expressions does it, which PL/pgSQL evaluates without one.

CREATE OR REPLACE FUNCTION public.catalog_rest_variant(
  id uuid, external_id text, title text, sku text, barcode text, price text, compare_at_price text, cost_price text,
  inventory_quantity bigint, weight text, weight_unit text, "position" integer, image_url text, options jsonb,
  created_at timestamptz, updated_at timestamptz) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  shown pg_catalog.text := '';
  item pg_catalog.jsonb;
  i pg_catalog.int4 := 0;
BEGIN
  -- Anything else is refused by a constraint, which comes later.
  IF pg_catalog.jsonb_typeof(options) OPERATOR(pg_catalog.=) 'array' THEN
    -- Writers may give an option more members than the two that answers have.
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
