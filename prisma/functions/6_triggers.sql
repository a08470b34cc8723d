-- One trigger for each table, event, timing and level, so the order of triggers does not matter (test/database/triggers.test.ts). The steps
-- are in 5_steps.sql.
--
-- Replacing a trigger locks its table against writers, not against readers.

CREATE OR REPLACE TRIGGER products_inserted AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_products_inserted();
CREATE OR REPLACE TRIGGER products_updated AFTER UPDATE ON public.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_products_updated();
CREATE OR REPLACE TRIGGER products_deleted AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_products_deleted();
CREATE OR REPLACE TRIGGER products_recorded BEFORE TRUNCATE ON public.products
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated('products');
CREATE OR REPLACE TRIGGER products_truncated AFTER TRUNCATE ON public.products
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_truncated('products');

CREATE OR REPLACE TRIGGER variants_inserted AFTER INSERT ON public.variants REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_variants_inserted();
CREATE OR REPLACE TRIGGER variants_updated AFTER UPDATE ON public.variants REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_variants_updated();
CREATE OR REPLACE TRIGGER variants_deleted AFTER DELETE ON public.variants REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_variants_deleted();
CREATE OR REPLACE TRIGGER variants_recorded BEFORE TRUNCATE ON public.variants
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated('variants');
CREATE OR REPLACE TRIGGER variants_truncated AFTER TRUNCATE ON public.variants
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_truncated('variants');

CREATE OR REPLACE TRIGGER collections_inserted AFTER INSERT ON public.collections REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_collections_inserted();
CREATE OR REPLACE TRIGGER collections_updated AFTER UPDATE ON public.collections REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_collections_updated();
CREATE OR REPLACE TRIGGER collections_deleted AFTER DELETE ON public.collections REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_collections_deleted();
CREATE OR REPLACE TRIGGER collections_recorded BEFORE TRUNCATE ON public.collections
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated('collections');
CREATE OR REPLACE TRIGGER collections_truncated AFTER TRUNCATE ON public.collections
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_truncated('collections');

CREATE OR REPLACE TRIGGER orders_inserted AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_inserted();
CREATE OR REPLACE TRIGGER orders_updated AFTER UPDATE ON public.orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_updated();
CREATE OR REPLACE TRIGGER orders_deleted AFTER DELETE ON public.orders REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_deleted();
CREATE OR REPLACE TRIGGER orders_recorded BEFORE TRUNCATE ON public.orders
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_record_truncated('orders');
CREATE OR REPLACE TRIGGER orders_truncated AFTER TRUNCATE ON public.orders
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_truncated('orders');

CREATE OR REPLACE TRIGGER shops_written BEFORE INSERT OR UPDATE ON public.shops
  FOR EACH ROW EXECUTE FUNCTION public.catalog_shop_written();
CREATE OR REPLACE TRIGGER shops_inserted AFTER INSERT ON public.shops REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_shops_inserted();
CREATE OR REPLACE TRIGGER shops_moved AFTER UPDATE ON public.shops FOR EACH ROW
  WHEN (NEW.visible_until_at IS DISTINCT FROM OLD.visible_until_at OR NEW.visible_until_id IS DISTINCT FROM OLD.visible_until_id)
  EXECUTE FUNCTION public.catalog_shop_moved();
CREATE OR REPLACE TRIGGER shops_deleted BEFORE DELETE ON public.shops
  FOR EACH ROW EXECUTE FUNCTION public.catalog_shop_deleted();
CREATE OR REPLACE TRIGGER shops_truncated AFTER TRUNCATE ON public.shops
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_shops_truncated();

CREATE OR REPLACE TRIGGER visible_sets_moved AFTER UPDATE ON public.visible_sets FOR EACH ROW
  WHEN (NEW.until_at IS DISTINCT FROM OLD.until_at OR NEW.until_id IS DISTINCT FROM OLD.until_id)
  EXECUTE FUNCTION public.catalog_note_move();
-- PostgreSQL does not replace constraint triggers.
DROP TRIGGER IF EXISTS visible_moves_recorded ON public.visible_moves;
CREATE CONSTRAINT TRIGGER visible_moves_recorded AFTER UPDATE ON public.visible_moves DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION public.catalog_record_moves();

-- Only in sessions that run none of the others (see catalog_note_unrecorded).
CREATE OR REPLACE TRIGGER shops_unrecorded AFTER INSERT OR UPDATE OR DELETE ON public.shops
  FOR EACH ROW EXECUTE FUNCTION public.catalog_note_unrecorded();
CREATE OR REPLACE TRIGGER shops_emptied_unrecorded BEFORE TRUNCATE ON public.shops
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_note_unrecorded();
ALTER TABLE public.shops ENABLE REPLICA TRIGGER shops_unrecorded;
ALTER TABLE public.shops ENABLE REPLICA TRIGGER shops_emptied_unrecorded;
CREATE OR REPLACE TRIGGER products_unrecorded AFTER INSERT OR UPDATE OR DELETE ON public.products
  FOR EACH ROW EXECUTE FUNCTION public.catalog_note_unrecorded();
CREATE OR REPLACE TRIGGER products_emptied_unrecorded BEFORE TRUNCATE ON public.products
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_note_unrecorded();
ALTER TABLE public.products ENABLE REPLICA TRIGGER products_unrecorded;
ALTER TABLE public.products ENABLE REPLICA TRIGGER products_emptied_unrecorded;
CREATE OR REPLACE TRIGGER variants_unrecorded AFTER INSERT OR UPDATE OR DELETE ON public.variants
  FOR EACH ROW EXECUTE FUNCTION public.catalog_note_unrecorded();
CREATE OR REPLACE TRIGGER variants_emptied_unrecorded BEFORE TRUNCATE ON public.variants
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_note_unrecorded();
ALTER TABLE public.variants ENABLE REPLICA TRIGGER variants_unrecorded;
ALTER TABLE public.variants ENABLE REPLICA TRIGGER variants_emptied_unrecorded;
CREATE OR REPLACE TRIGGER collections_unrecorded AFTER INSERT OR UPDATE OR DELETE ON public.collections
  FOR EACH ROW EXECUTE FUNCTION public.catalog_note_unrecorded();
CREATE OR REPLACE TRIGGER collections_emptied_unrecorded BEFORE TRUNCATE ON public.collections
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_note_unrecorded();
ALTER TABLE public.collections ENABLE REPLICA TRIGGER collections_unrecorded;
ALTER TABLE public.collections ENABLE REPLICA TRIGGER collections_emptied_unrecorded;
CREATE OR REPLACE TRIGGER orders_unrecorded AFTER INSERT OR UPDATE OR DELETE ON public.orders
  FOR EACH ROW EXECUTE FUNCTION public.catalog_note_unrecorded();
CREATE OR REPLACE TRIGGER orders_emptied_unrecorded BEFORE TRUNCATE ON public.orders
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_note_unrecorded();
ALTER TABLE public.orders ENABLE REPLICA TRIGGER orders_unrecorded;
ALTER TABLE public.orders ENABLE REPLICA TRIGGER orders_emptied_unrecorded;
