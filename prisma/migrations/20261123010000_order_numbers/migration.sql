-- Look-ups of orders by their numbers (docs/decisions.md 98). Building the index reads the table and rewrites nothing: readers go on, writers
-- wait. Cut like SKUs: an entry of an index must fit in a third of a page. Readers hold each row against the whole value.
CREATE INDEX orders_number_idx ON orders (shop_id, ("left"(order_number, 500)) COLLATE "C");
