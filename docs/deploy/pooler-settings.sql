-- Stores in the login the settings that the service otherwise sets for each session: behind PgBouncer in transaction mode, session settings
-- would reach other clients, and startup options are rejected. Run it as a role that may alter the login; it is safe to run again. Open
-- connections keep their settings: run RECONNECT in PgBouncer's console afterwards.
--
--   psql "$OWNER_DATABASE_URL" --set ON_ERROR_STOP=1 --set login=catalog_service --file docs/deploy/pooler-settings.sql
--
-- Set statement_timeout to the value of DATABASE_STATEMENT_TIMEOUT_MS, which the service cannot set behind a pooler.

ALTER ROLE :"login" SET TimeZone = 'UTC';
ALTER ROLE :"login" SET plan_cache_mode = 'force_generic_plan';
ALTER ROLE :"login" SET enable_seqscan = 'off';
ALTER ROLE :"login" SET enable_sort = 'off';
ALTER ROLE :"login" SET jit = 'off';
ALTER ROLE :"login" SET max_parallel_workers_per_gather = '0';
ALTER ROLE :"login" SET work_mem = '32MB';
ALTER ROLE :"login" SET statement_timeout = '1200ms';
