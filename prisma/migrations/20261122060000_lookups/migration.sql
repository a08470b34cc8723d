-- Look-ups of products and variants by handle, SKU and barcode, a list of all variants, and lists of orders and collections in the order of
-- their last change (docs/decisions.md 98, 99). Building the indexes reads the tables and rewrites none: readers go on, writers wait.

-- Exact, and cut like tags: an entry of an index must fit in a third of a page. Readers hold each row against the whole value.
CREATE INDEX products_handle_idx ON products (shop_id, ("left"(handle, 500)) COLLATE "C") WHERE deleted_at IS NULL AND handle IS NOT NULL;
CREATE INDEX variants_sku_idx ON variants (shop_id, ("left"(sku, 500)) COLLATE "C") WHERE sku IS NOT NULL;
CREATE INDEX variants_barcode_idx ON variants (shop_id, ("left"(barcode, 500)) COLLATE "C") WHERE barcode IS NOT NULL;

-- The same key in another order: it also finds variants by their ids in the CMS, and ON CONFLICT recognises it as before.
ALTER INDEX variants_external_id_key RENAME TO variants_external_id_key_before;
CREATE UNIQUE INDEX variants_external_id_key ON variants (shop_id, external_id, product_id);
DROP INDEX variants_external_id_key_before;

-- The orders of lists beside that of ids, which the primary key has. Rows without the value come last.
CREATE INDEX variants_updated_at_idx ON variants (shop_id, updated_at, id);
CREATE INDEX variants_price_idx ON variants (shop_id, (coalesce(price_value, 'Infinity'::numeric)), id);
CREATE INDEX variants_stock_idx ON variants (shop_id, (coalesce(inventory_quantity, 9223372036854775807)), id);
CREATE INDEX collections_updated_at_idx ON collections (shop_id, (coalesce(updated_at, 'infinity'::timestamptz)), id);
-- orders_updated_at_idx stays for processes of the version before.
CREATE INDEX orders_changed_idx ON orders (shop_id, (coalesce(updated_at, 'infinity'::timestamptz)), id);
