-- What keeps ranges that hardly any row lies in as quick in a large shop as in a small one (docs/decisions.md 53): for each range an index
-- along which its rows, and no others, can be read.

-- A range of prices holds the products that have a variant in it or on both sides of it. Those whose lowest price lies in the range are found
-- along products_price_idx. The others begin below it and reach into it. To find them without reading everything that begins below, products
-- with more than one price are filed by how far apart their lowest and their highest price are: what is at most 4 apart and reaches 20
-- begins at 16 or above. These are the bounds of the files, each included in the next one; the last file has no bound.
CREATE FUNCTION catalog_price_spreads() RETURNS numeric[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN '{0.25,1,4,16,64,256,1024,4096,16384,65536,262144,1048576,4194304,16777216}'::numeric[];

-- The number of a product's file.
CREATE FUNCTION catalog_price_spread(lowest numeric, highest numeric) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN width_bucket(highest - lowest, catalog_price_spreads());

-- Products with one price, most of most shops, have no entry.
CREATE INDEX products_price_spread_idx
  ON products (shop_id, catalog_price_spread(min_price_sort, max_price_value), min_price_sort)
  WHERE deleted_at IS NULL AND max_price_value > min_price_sort;

-- It led from one end of a range alone, and the planner never took it.
DROP INDEX products_max_price_idx;

-- Who synchronises asks for what changed since the last time.
CREATE INDEX orders_updated_at_idx ON orders (shop_id, updated_at, id);
