-- Orders, counted and summed up by four hours, day and week of UTC, currency and both statuses (docs/decisions.md 139). Triggers maintain
-- the rows; an order is in three of them, or in none when it has no date.
--
-- places is the number of decimal places of the longest amount of an order, so that the sums of a row keep it when orders leave the row.
-- key is a digest of the columns that distinguish rows, because statuses do not fit in an index. Like changes, it has no foreign key.
CREATE TABLE order_figures (
  shop_id            uuid NOT NULL,
  -- How many hours the row is about: a part of a day, a day or a week. Weeks begin on Mondays, because the year 1 does.
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

-- Figures of orders and products are read from indexes alone where VACUUM has marked pages as visible to all: more often than by default.
ALTER TABLE orders SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
ALTER TABLE products SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
ALTER TABLE product_tags SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
