-- The last use of each key, apart from the key: the service's login writes it, and who may update any column of a row may lock that row.
-- `catalog key create` makes the row with the key, so the service's login needs no INSERT and cannot fill the table. No foreign key: with
-- ON DELETE CASCADE that login could delay the deletion of a shop by locking a row. A deleted shop leaves some bytes per key behind.
ALTER TABLE api_keys DROP COLUMN last_used_at;

CREATE TABLE key_uses (
  shop_id      uuid NOT NULL,
  client_id    text NOT NULL,
  last_used_at timestamptz(3),
  PRIMARY KEY (shop_id, client_id),
  CONSTRAINT key_uses_last_used_at_check CHECK (last_used_at >= '0001-01-01Z' AND last_used_at < '10000-01-01Z')
);
