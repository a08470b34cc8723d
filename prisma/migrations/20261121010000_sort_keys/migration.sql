-- What lists can be sorted by beside the date of creation. Each key is a column that is never null (what has no price comes
-- last, as with dates), so that one keyset over (key, id) walks it in both directions.

-- Folded and cut: an index entry holds at most 2,700 bytes, and nobody tells titles apart by their 101st character.
ALTER TABLE products
  ADD COLUMN title_sort text COLLATE "C" NOT NULL GENERATED ALWAYS AS (left(catalog_fold(title), 100)) STORED,
  ADD COLUMN min_price_sort numeric NOT NULL GENERATED ALWAYS AS (coalesce(min_price::numeric, 'Infinity')) STORED;

ALTER TABLE orders
  ADD COLUMN total_price_sort numeric NOT NULL GENERATED ALWAYS AS (coalesce(total_price::numeric, 'Infinity')) STORED;

CREATE INDEX products_updated_at_idx ON products (shop_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX products_title_idx ON products (shop_id, title_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX products_price_idx ON products (shop_id, min_price_sort, id) WHERE deleted_at IS NULL;
CREATE INDEX products_stock_idx ON products (shop_id, total_stock, id) WHERE deleted_at IS NULL;
CREATE INDEX orders_total_price_idx ON orders (shop_id, total_price_sort, id);
