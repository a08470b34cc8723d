-- Orders, counted and summed by four hours, day and week (UTC), currency and both statuses (docs/decisions.md 139). Triggers maintain the
-- rows; an order is in three of them, or in none when it has no date.
--
-- places is the largest number of decimal places of an order's amounts, so that the sums of a row keep it when orders leave the row. key is
-- a digest of the columns that distinguish rows, because statuses do not fit in an index. Like changes, it has no foreign key.
CREATE TABLE order_figures (
  shop_id            uuid NOT NULL,
  -- The hours that the row covers: part of a day, a day or a week. Weeks begin on Mondays, because the year 1 does.
  hours              smallint NOT NULL,
  from_at            timestamptz(3) NOT NULL,
  key                uuid NOT NULL,
  currency           text,
  financial_status   text,
  fulfillment_status text,
  places             integer NOT NULL,
  orders             bigint NOT NULL,
  total_price        numeric NOT NULL,
  total_tax          numeric NOT NULL,
  total_shipping     numeric NOT NULL,
  PRIMARY KEY (shop_id, hours, from_at, key)
);

-- Aggregates of orders and products use index-only scans where VACUUM has marked pages all-visible, so it runs more often than by default.
ALTER TABLE orders SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
ALTER TABLE products SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
ALTER TABLE product_tags SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
