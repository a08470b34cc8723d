-- The stock of a product is a whole number that JSON expresses exactly (D22), as each quantity of its variants is: a sum beyond that would be
-- an error of the field in GraphQL, and another number in many a client of REST. What exceeds it refuses the statement.
--
-- NOT VALID: rows that are there already are not checked, so this takes no time and refuses nothing on the way.

ALTER TABLE products
  ADD CONSTRAINT products_total_stock_check CHECK (total_stock BETWEEN -9007199254740991 AND 9007199254740991) NOT VALID;
