-- Drops what only processes of the version before use. Run it as the owner of the tables after an upgrade, when none of those is left. Running it
-- twice changes nothing.
--
--   psql "$OWNER_DATABASE_URL" --set ON_ERROR_STOP=1 --file docs/deploy/after-upgrade.sql
--
-- Readers of a table wait behind this for a moment; it gives up when it does not get the lock in five seconds: run it again.

BEGIN;
SET LOCAL lock_timeout = '5s';
DROP INDEX IF EXISTS public.products_terms_idx;    -- 1.0.0 searches by it; later versions by product_terms_idx
DROP INDEX IF EXISTS public.orders_updated_at_idx; -- 1.0.0 lists by it; later versions by orders_changed_idx
COMMIT;
