-- orders_changed_idx has taken its place (20261122060000_lookups), and no statement has used it since. Dropping reads and rewrites nothing; it
-- waits for transactions that use orders, as any change of the table does.
DROP INDEX orders_updated_at_idx;
