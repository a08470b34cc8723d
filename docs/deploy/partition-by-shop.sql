-- Splits the seven large tables into hash partitions by shop. Run it as the owner of the tables while nothing writes; readers wait until
-- it ends. It is one transaction: everything or nothing. It needs free space for a second copy of the tables.
--
--   psql "$OWNER_DATABASE_URL" --set ON_ERROR_STOP=1 --file docs/deploy/partition-by-shop.sql
--
-- Afterwards run roles.sql again: grants belong to the old tables. The number of partitions is set below and cannot be
-- changed later without copying again. shops, api_keys and the figures are not partitioned: they are small, and shops.domain is unique over
-- all shops.

BEGIN;

LOCK TABLE shops, products, product_tags, product_terms, variants, collections, orders, changes IN ACCESS EXCLUSIVE MODE;

DO $partition$
DECLARE
  partitions constant integer := 16;
  large constant text[] := ARRAY['products', 'product_tags', 'product_terms', 'variants', 'collections', 'orders', 'changes'];
  table_name text;
  column_list text;
  settings text;
  definition text;
BEGIN
  CREATE SCHEMA catalog_whole;
  FOREACH table_name IN ARRAY large LOOP
    EXECUTE format('ALTER TABLE public.%I SET SCHEMA catalog_whole', table_name);
  END LOOP;

  FOREACH table_name IN ARRAY large LOOP
    -- Only partitions have settings, such as how often VACUUM runs.
    SELECT coalesce('WITH (' || array_to_string(reloptions, ', ') || ')', '') INTO settings
      FROM pg_class WHERE oid = format('catalog_whole.%I', table_name)::regclass;
    EXECUTE format(
      'CREATE TABLE public.%1$I (LIKE catalog_whole.%1$I INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING CONSTRAINTS INCLUDING STORAGE)
       PARTITION BY HASH (shop_id)', table_name);
    FOR remainder IN 0 .. partitions - 1 LOOP
      EXECUTE format('CREATE TABLE public.%I PARTITION OF public.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s) %s',
                     table_name || '_' || remainder, table_name, partitions, remainder, settings);
    END LOOP;
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO column_list
      FROM pg_attribute
     WHERE attrelid = format('catalog_whole.%I', table_name)::regclass
       AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
    EXECUTE format('INSERT INTO public.%1$I (%2$s) SELECT %2$s FROM catalog_whole.%1$I', table_name, column_list);
  END LOOP;

  -- Keys and indexes before foreign keys, which need them; triggers last, so that the copy above does not change any shop's version.
  FOR definition IN
    SELECT format('ALTER TABLE public.%I ADD CONSTRAINT %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
      FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
     WHERE c.relnamespace = 'catalog_whole'::regnamespace AND k.contype = 'p'
    UNION ALL
    SELECT pg_get_indexdef(i.indexrelid)
      FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indrelid
     WHERE c.relnamespace = 'catalog_whole'::regnamespace AND NOT i.indisprimary
  LOOP
    EXECUTE replace(definition, ' catalog_whole.', ' public.');
  END LOOP;
  FOR definition IN
    SELECT format('ALTER TABLE public.%I ADD CONSTRAINT %I %s', c.relname, k.conname, pg_get_constraintdef(k.oid))
      FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
     WHERE c.relnamespace = 'catalog_whole'::regnamespace AND k.contype = 'f'
    UNION ALL
    SELECT pg_get_triggerdef(t.oid)
      FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
     WHERE c.relnamespace = 'catalog_whole'::regnamespace AND NOT t.tgisinternal
    UNION ALL -- after the triggers themselves
    SELECT format('ALTER TABLE public.%I ENABLE REPLICA TRIGGER %I', c.relname, t.tgname)
      FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
     WHERE c.relnamespace = 'catalog_whole'::regnamespace AND t.tgenabled = 'R'
  LOOP
    EXECUTE replace(definition, ' catalog_whole.', ' public.');
  END LOOP;

  DROP SCHEMA catalog_whole CASCADE;
END
$partition$;

COMMIT;

ANALYZE products, product_tags, product_terms, variants, collections, orders, changes;
