-- The entry of an object that is back under its id loses the external_id that it kept as a deleted one, also when both happen in one
-- transaction: an id given away and taken back, a row moved to another shop and back, or a row that takes the id of one just deleted.

-- As before, but that an entry of this transaction is left alone only if it is not that of a deleted object.
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
         SELECT found.xmin AS writer, found.version, found.external_id FROM public.changes AS found
          -- The order is that of changes_pkey alone, whatever the statistics say. Not `=`: an equality would make the order meaningless.
          WHERE found.shop_id = k.shop_id AND found.kind = kind_of AND found.id >= k.id AND found.id <= k.id
          ORDER BY found.id LIMIT 1) AS known ON true
   WHERE (known.writer = this_transaction AND known.version >= began AND known.external_id IS NULL) IS NOT TRUE
      ON CONFLICT (shop_id, kind, id) DO UPDATE SET version = excluded.version, external_id = NULL
   WHERE c.version <> excluded.version OR c.external_id IS NOT NULL;
END
$$;
