-- The source of the derived columns of shops. Writers have no privileges on it, and trigger functions run as its owner, so no writer can
-- set those columns, at any trigger depth.
CREATE TABLE visible_sets (
  shop_id           uuid PRIMARY KEY REFERENCES shops ON DELETE CASCADE ON UPDATE CASCADE,
  -- The number of live products, the number of visible ones, and the last visible position in (created_at, id) order (D8).
  live_count        bigint NOT NULL,
  visible_count     bigint NOT NULL,
  until_at          timestamptz(3) NOT NULL,
  until_id          uuid NOT NULL,
  -- The position from which this statement walks, and the live products up to it (see catalog_place_visible).
  from_statement    timestamptz NOT NULL,
  from_count        bigint NOT NULL,
  from_at           timestamptz(3) NOT NULL,
  from_id           uuid NOT NULL,
  -- The trigger of products recognizes the correction of derived columns by this value (docs/decisions.md 4).
  derivation_secret uuid NOT NULL DEFAULT gen_random_uuid()
) WITH (fillfactor = 50);

-- Where the visible set ended before a transaction (see catalog_record_moves); empty outside of transactions. Like product_tags, changes
-- and order_figures, it has no foreign key, whose check would cost more than the row.
CREATE TABLE visible_moves (
  shop_id uuid PRIMARY KEY,
  from_at timestamptz(3) NOT NULL,
  from_id uuid NOT NULL
);
