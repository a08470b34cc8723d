-- Roles of least privilege for the catalog's database. Run it as the owner of the tables (who needs CREATEROLE the first time), in the
-- catalog's own database, after `catalog migrate` and again after every upgrade. It is safe to run again.
--
--   psql "$OWNER_DATABASE_URL" --set ON_ERROR_STOP=1 --file docs/deploy/roles.sql
--
-- If the owner is not a superuser, a superuser must run it the first time, because no other role can revoke what PostgreSQL grants to PUBLIC.
-- Otherwise it fails, lists the remaining privileges and changes nothing. If there is no superuser, as in managed databases, accept that any
-- login can fill the disk with large objects:
--
--   PGOPTIONS='-c catalog.large_objects=accepted' psql "$OWNER_DATABASE_URL" --set ON_ERROR_STOP=1 --file docs/deploy/roles.sql
--
-- The three roles cannot log in. Create a login with a password for each program:
--
--   CREATE ROLE catalog_service LOGIN PASSWORD '…' IN ROLE catalog_reader;   -- DATABASE_URL of `catalog serve`
--   CREATE ROLE catalog_sync    LOGIN PASSWORD '…' IN ROLE catalog_writer;   -- the sync service, `catalog import`
--   CREATE ROLE catalog_desk    LOGIN PASSWORD '…' IN ROLE catalog_admin;    -- `catalog shop …`, `catalog key …`
--
-- Only `catalog migrate`, `catalog check` and `catalog distribute` connect as the owner of the tables.

BEGIN;

-- Has no effect without Citus.
SET LOCAL citus.multi_shard_modify_mode = 'sequential';

DO $roles$
DECLARE
  role_name text;
BEGIN
  FOREACH role_name IN ARRAY ARRAY['catalog_reader', 'catalog_writer', 'catalog_admin'] LOOP
    IF to_regrole(role_name) IS NULL THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
    END IF;
  END LOOP;
END
$roles$;

-- A database created by PostgreSQL 14 or older lets every role create objects in the schema public, which can shadow functions that other
-- roles call.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO catalog_reader, catalog_writer, catalog_admin;

-- These let every login fill the disk: temporary tables, large objects, messages in the write-ahead log. Revokes only what is still granted,
-- so that the owner can run this file again after a superuser.
DO $everyone$
DECLARE
  open_function regprocedure;
BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  IF current_setting('catalog.large_objects', true) IS DISTINCT FROM 'accepted' THEN
    FOR open_function IN
      SELECT p.oid FROM pg_proc AS p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
       WHERE p.pronamespace = 'pg_catalog'::regnamespace AND a.grantee = 0
         AND p.proname ~ '^(lo_.*|loread|lowrite|pg_logical_emit_message)$'
    LOOP
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', open_function);
    END LOOP;
  END IF;
END
$everyone$;

-- The service: reads, and adds to the usage of keys. It reads _prisma_migrations and function_files to check for pending migrations. It has
-- no UPDATE privilege, which would let it lock rows.
GRANT SELECT ON shops, products, product_tags, collection_products, product_terms, variants, collections, orders, order_figures, changes, change_epochs, change_witnesses, api_keys, key_usage, _prisma_migrations, function_files TO catalog_reader;
GRANT EXECUTE ON FUNCTION catalog_add_usage TO catalog_reader;

-- The sync service and `catalog import`: all catalog and order tables, but no keys.
GRANT SELECT ON _prisma_migrations, function_files TO catalog_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON shops, products, variants, collections, orders TO catalog_writer;

-- Triggers maintain product_tags, collection_products, product_terms, visible_sets, changes and order_figures as the owner of the tables, so
-- these roles must not write them, whatever the database's default privileges are.
REVOKE ALL ON product_tags, collection_products FROM catalog_writer, catalog_admin;
GRANT SELECT ON product_tags, collection_products TO catalog_writer, catalog_admin;
REVOKE ALL ON visible_sets, visible_moves, unrecorded_writes FROM catalog_reader, catalog_writer, catalog_admin;
REVOKE ALL ON product_terms, changes, change_epochs, change_witnesses, order_figures FROM catalog_writer, catalog_admin;
REVOKE INSERT, UPDATE, DELETE ON collection_products, product_terms, changes, change_epochs, change_witnesses, order_figures FROM catalog_reader;

-- Administrators on the command line: also API keys. Keys are revoked, never deleted, so that their usage stays on record.
GRANT SELECT ON _prisma_migrations, function_files TO catalog_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON shops, products, variants, collections, orders TO catalog_admin;
GRANT SELECT, INSERT, UPDATE ON api_keys TO catalog_admin;
GRANT SELECT ON key_usage TO catalog_admin;

DO $grants$
BEGIN
  -- `catalog import` stages rows in temporary tables.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO catalog_writer, catalog_admin', current_database());
  -- A large import updates the planner's statistics. Before PostgreSQL 17 only the owner can, and imports skip it.
  IF current_setting('server_version_num')::integer >= 170000 THEN
    GRANT MAINTAIN ON shops, products, product_tags, variants, collections, orders TO catalog_writer, catalog_admin;
  END IF;
  -- After `catalog distribute` (docs/scaling.md).
  IF to_regclass('public.shop_domains') IS NOT NULL THEN
    GRANT SELECT, INSERT, DELETE ON shop_domains TO catalog_writer, catalog_admin;
    GRANT EXECUTE ON FUNCTION public.catalog_hold_shard TO catalog_writer, catalog_admin;
  END IF;
END
$grants$;

-- PostgreSQL only warns when REVOKE has no effect.
DO $verify$
DECLARE
  left_open text;
BEGIN
  SELECT string_agg(DISTINCT what, ', ') INTO left_open
    FROM unnest(ARRAY['catalog_reader', 'catalog_writer', 'catalog_admin']) AS r (name),
    LATERAL (
      SELECT 'CREATE in the schema public' AS what WHERE has_schema_privilege(r.name, 'public', 'CREATE')
       UNION ALL
      SELECT 'TEMPORARY in the database'
       WHERE has_database_privilege(r.name, current_database(), 'TEMPORARY') AND r.name = 'catalog_reader'
       UNION ALL
      SELECT p.proname || '()' FROM pg_proc AS p
       WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '^(lo_.*|loread|lowrite|pg_logical_emit_message)$'
         AND has_function_privilege(r.name, p.oid, 'EXECUTE')
         AND current_setting('catalog.large_objects', true) IS DISTINCT FROM 'accepted') AS found;
  IF left_open IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'insufficient_privilege', MESSAGE = format(
      'Nothing was changed: the roles would keep %s, which %s could not revoke. Run this file once as a superuser; '
      'its header explains what to do if there is none.', left_open, current_user);
  END IF;
END
$verify$;

COMMIT;
