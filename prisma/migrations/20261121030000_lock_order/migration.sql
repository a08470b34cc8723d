-- Writers of products lock a product and then, through its triggers, the shop. Writers of variants locked the shop first and
-- then the product whose numbers they derive: two writers that met at one product could wait for each other until PostgreSQL
-- ended one of them. Now everybody locks products, in the order of their ids, and then shops.

-- The look-up is that of catalog_derive_products, and for the same reason.
CREATE FUNCTION catalog_lock_products(shop_ids uuid[], product_ids uuid[]) RETURNS void
LANGUAGE sql
SET search_path FROM CURRENT SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off AS $$
  SELECT FROM (SELECT DISTINCT * FROM unnest(shop_ids, product_ids) AS k (shop_id, id) ORDER BY 1, 2) AS k
   CROSS JOIN LATERAL (
         SELECT FROM products AS found
          WHERE found.shop_id = k.shop_id AND found.id >= k.id AND found.id <= k.id
          ORDER BY found.id LIMIT 1
            FOR NO KEY UPDATE) AS product
$$;

CREATE OR REPLACE FUNCTION catalog_variants_inserted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_lock_products(array_agg(shop_id), array_agg(product_id)) FROM new_rows;
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM new_rows));
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM new_rows;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION catalog_variants_updated() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_lock_products(array_agg(shop_id), array_agg(product_id))
     FROM (SELECT shop_id, product_id FROM new_rows UNION SELECT shop_id, product_id FROM old_rows) AS c;
  PERFORM catalog_touch_shops(ARRAY(SELECT shop_id FROM new_rows UNION SELECT shop_id FROM old_rows));
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(product_id))
     FROM (SELECT shop_id, product_id FROM new_rows UNION SELECT shop_id, product_id FROM old_rows) AS c;
  RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION catalog_variants_deleted() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM catalog_lock_products(array_agg(shop_id), array_agg(product_id)) FROM old_rows;
  PERFORM catalog_touch_shops(ARRAY(SELECT DISTINCT shop_id FROM old_rows));
  PERFORM catalog_derive_products(array_agg(shop_id), array_agg(product_id)) FROM old_rows;
  RETURN NULL;
END
$$;
