-- Roles of least privilege for the catalog's database. Run it as the owner of the tables (who needs CREATEROLE the first time), in the
-- catalog's own database, after `catalog migrate` and again after every upgrade. Running it twice changes nothing.
--
--   psql "$OWNER_DATABASE_URL" --set ON_ERROR_STOP=1 --file docs/deploy/roles.sql
--
-- The three roles cannot log in. Create a login with a password for each program:
--
--   CREATE ROLE catalog_service LOGIN PASSWORD '…' IN ROLE catalog_reader;   -- DATABASE_URL of `catalog serve`
--   CREATE ROLE catalog_sync    LOGIN PASSWORD '…' IN ROLE catalog_writer;   -- the sync service, `catalog import`
--   CREATE ROLE catalog_desk    LOGIN PASSWORD '…' IN ROLE catalog_admin;    -- `catalog shop …`, `catalog key …`
--
-- Only `catalog migrate` and `catalog check` connect as the owner of the tables.

BEGIN;

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

-- Until PostgreSQL 14 every role may create objects in the schema public, and so shadow functions that other roles call.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO catalog_reader, catalog_writer, catalog_admin;

-- The service: reads, and records when a key was last used. _prisma_migrations and function_files show it that no migration is pending.
GRANT SELECT ON shops, products, product_tags, product_terms, variants, collections, orders, order_figures, changes, change_epochs, change_witnesses, api_keys, _prisma_migrations, function_files TO catalog_reader;
GRANT UPDATE (last_used_at) ON api_keys TO catalog_reader;

-- The sync service and `catalog import`: everything that a shop's catalog is made of, and no key.
GRANT SELECT ON _prisma_migrations, function_files TO catalog_writer;
GRANT SELECT, INSERT, UPDATE, DELETE ON shops, products, variants, collections, orders TO catalog_writer;

-- Triggers maintain product_tags, product_terms, visible_sets, changes and figures as the owner of the tables, whatever default privileges the
-- database has.
GRANT SELECT ON product_tags TO catalog_writer, catalog_admin;
REVOKE INSERT, DELETE ON product_tags FROM catalog_writer, catalog_admin;
REVOKE ALL ON visible_sets, visible_moves, unrecorded_writes FROM catalog_reader, catalog_writer, catalog_admin;
REVOKE ALL ON product_terms, changes, change_epochs, change_witnesses, order_figures FROM catalog_writer, catalog_admin;
REVOKE INSERT, UPDATE, DELETE ON product_terms, changes, change_epochs, change_witnesses, order_figures FROM catalog_reader;

-- People at the command line: API keys as well. Keys are revoked, never deleted, so that their use remains on record.
GRANT SELECT ON _prisma_migrations, function_files TO catalog_admin;
GRANT SELECT, INSERT, UPDATE, DELETE ON shops, products, variants, collections, orders TO catalog_admin;
GRANT SELECT, INSERT, UPDATE ON api_keys TO catalog_admin;

DO $grants$
BEGIN
  -- `catalog import --replace` stores the names that it has seen in a temporary table.
  EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO catalog_writer, catalog_admin', current_database());
  -- A large import updates the planner's statistics. Before PostgreSQL 17 only the owner may, and the import continues without.
  IF current_setting('server_version_num')::integer >= 170000 THEN
    GRANT MAINTAIN ON shops, products, product_tags, variants, collections, orders TO catalog_writer, catalog_admin;
  END IF;
END
$grants$;

COMMIT;
