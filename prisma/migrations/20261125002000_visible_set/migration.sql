-- What the derived columns of shops are copied from. Writers have no privilege on it, and its triggers' functions run as its owner: so
-- a writer cannot set those columns from any depth of triggers.
CREATE TABLE visible_sets (
  shop_id           uuid PRIMARY KEY REFERENCES shops ON DELETE CASCADE ON UPDATE CASCADE,
  -- Live products, those of them that are visible, and the place in (created_at, id) order up to which they are (D8).
  live_count        bigint NOT NULL,
  visible_count     bigint NOT NULL,
  until_at          timestamptz(3) NOT NULL,
  until_id          uuid NOT NULL,
  -- The place from which this statement walks, and the live products up to it (see catalog_place_visible).
  from_statement    timestamptz NOT NULL,
  from_count        bigint NOT NULL,
  from_at           timestamptz(3) NOT NULL,
  from_id           uuid NOT NULL,
  -- With it the trigger of products recognizes the correction of derived columns (docs/decisions.md 4).
  derivation_secret uuid NOT NULL DEFAULT gen_random_uuid()
) WITH (fillfactor = 50);

-- Empty except during transactions: where the visible set ended before them (see catalog_record_moves). Like product_tags, changes and
-- figures, it has no foreign key, whose check would cost more than the row.
CREATE TABLE visible_moves (
  shop_id uuid PRIMARY KEY,
  from_at timestamptz(3) NOT NULL,
  from_id uuid NOT NULL
);
