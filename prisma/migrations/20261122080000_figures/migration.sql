-- Figures of orders and products, kept as rollups (docs/decisions.md 101).
--
-- Writers wait while the orders and products that are there already are counted; readers do not.

LOCK TABLE public.shops, public.products, public.orders IN SHARE ROW EXCLUSIVE MODE;

-- The orders of each hour and each day of UTC, counted and summed up. An order is in two rows, or in none when it has no date.
--
-- places is the number of decimal places of the longest amount of an order, so that the sums of a row keep it when orders leave the row.
-- key is a digest of the columns that distinguish rows, because statuses do not fit in an index. Like changes, it has no foreign key.
CREATE TABLE public.order_figures (
  shop_id            uuid NOT NULL,
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
  CONSTRAINT order_figures_pkey PRIMARY KEY (shop_id, hours, from_at, key)
);

-- Adds orders to their rows, or takes those with the sign -1 out. Orders of a shop that is being deleted are left alone.
CREATE FUNCTION public.catalog_add_order_figures(
  signs integer[], shop_ids uuid[], moments timestamptz[], currencies text[], financial_statuses text[], fulfillment_statuses text[],
  prices numeric[], taxes numeric[], shipping_costs numeric[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  emptied record;
BEGIN
  WITH hourly AS MATERIALIZED (
    SELECT o.shop_id, date_bin('1 hour', o.moment, '0001-01-01 00:00:00Z') AS hour, o.currency, o.financial_status, o.fulfillment_status,
           p.places, sum(o.sign) AS orders, coalesce(sum(o.sign * o.price), 0) AS price, coalesce(sum(o.sign * o.tax), 0) AS tax,
           coalesce(sum(o.sign * o.shipping), 0) AS shipping
      FROM unnest(signs, shop_ids, moments, currencies, financial_statuses, fulfillment_statuses, prices, taxes, shipping_costs)
           AS o (sign, shop_id, moment, currency, financial_status, fulfillment_status, price, tax, shipping)
     CROSS JOIN LATERAL (SELECT greatest(0, scale(o.price), scale(o.tax), scale(o.shipping)) AS places) AS p
     WHERE o.moment < 'infinity'
     GROUP BY 1, 2, 3, 4, 5, 6
  ), written AS (
    INSERT INTO public.order_figures AS f (shop_id, hours, from_at, key, currency, financial_status, fulfillment_status, places,
                                           orders, total_price, total_tax, total_shipping)
    SELECT h.shop_id, slot.hours, date_bin(slot.hours * interval '1 hour', h.hour, '0001-01-01 00:00:00Z'),
           public.catalog_digest(ARRAY[h.currency, h.financial_status, h.fulfillment_status, h.places::text]),
           h.currency, h.financial_status, h.fulfillment_status, h.places, sum(h.orders), sum(h.price), sum(h.tax), sum(h.shipping)
      FROM hourly AS h CROSS JOIN (VALUES (1), (24)) AS slot (hours)
     WHERE EXISTS (SELECT FROM public.shops AS s WHERE s.shop_id = h.shop_id)
     GROUP BY h.shop_id, slot.hours, 3, h.currency, h.financial_status, h.fulfillment_status, h.places
    HAVING (sum(h.orders), sum(h.price), sum(h.tax), sum(h.shipping)) <> (0, 0, 0, 0)
        ON CONFLICT (shop_id, hours, from_at, key) DO UPDATE
       SET orders = f.orders + excluded.orders, total_price = f.total_price + excluded.total_price,
           total_tax = f.total_tax + excluded.total_tax, total_shipping = f.total_shipping + excluded.total_shipping
    RETURNING f.shop_id, f.hours, f.from_at, f.key, f.orders
  )
  SELECT array_agg(shop_id) AS shop_ids, array_agg(hours) AS hours, array_agg(from_at) AS moments, array_agg(key) AS keys
    INTO emptied FROM written WHERE orders = 0;
  IF emptied.keys IS NOT NULL THEN
    DELETE FROM public.order_figures AS f
     USING unnest(emptied.shop_ids, emptied.hours, emptied.moments, emptied.keys) AS e (shop_id, hours, from_at, key)
     WHERE (f.shop_id, f.hours, f.from_at, f.key) = (e.shop_id, e.hours, e.from_at, e.key);
  END IF;
END
$$;

-- Not md5, which servers in FIPS mode refuse.
CREATE FUNCTION public.catalog_digest(texts text[]) RETURNS uuid
LANGUAGE sql STABLE
RETURN encode(substring(sha256(convert_to(texts::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid;

-- The rows of order_figures that a shop should have, from its orders alone.
CREATE FUNCTION public.catalog_order_figures(shop uuid) RETURNS SETOF public.order_figures
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH hourly AS MATERIALIZED (
    SELECT date_bin('1 hour', o.sort_at, '0001-01-01 00:00:00Z') AS hour, o.currency, o.financial_status, o.fulfillment_status, p.places,
           count(*) AS orders, coalesce(sum(o.total_price_value), 0) AS price, coalesce(sum(o.total_tax::numeric), 0) AS tax,
           coalesce(sum(o.total_shipping::numeric), 0) AS shipping
      FROM public.orders AS o
     CROSS JOIN LATERAL (SELECT greatest(0, scale(o.total_price_value), scale(o.total_tax::numeric), scale(o.total_shipping::numeric)) AS places) AS p
     WHERE o.shop_id = shop AND o.sort_at < 'infinity'
     GROUP BY 1, 2, 3, 4, 5
  )
  SELECT shop, slot.hours::smallint, date_bin(slot.hours * interval '1 hour', h.hour, '0001-01-01 00:00:00Z')::timestamptz(3),
         public.catalog_digest(ARRAY[h.currency, h.financial_status, h.fulfillment_status, h.places::text]),
         h.currency, h.financial_status, h.fulfillment_status, h.places, sum(h.orders)::bigint, sum(h.price), sum(h.tax), sum(h.shipping)
    FROM hourly AS h CROSS JOIN (VALUES (1), (24)) AS slot (hours)
   GROUP BY slot.hours, 3, h.currency, h.financial_status, h.fulfillment_status, h.places
$$;

INSERT INTO public.order_figures SELECT f.* FROM public.shops AS s CROSS JOIN LATERAL public.catalog_order_figures(s.shop_id) AS f;

-- Triggers of their own, because collections share the others. These run after them, so their shop has its version and is locked.
CREATE FUNCTION public.catalog_orders_counted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM public.catalog_add_order_figures(array_agg(1), array_agg(shop_id), array_agg(sort_at), array_agg(currency),
              array_agg(financial_status), array_agg(fulfillment_status), array_agg(total_price_value), array_agg(total_tax::numeric),
              array_agg(total_shipping::numeric))
       FROM new_rows HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM public.catalog_add_order_figures(array_agg(-1), array_agg(shop_id), array_agg(sort_at), array_agg(currency),
              array_agg(financial_status), array_agg(fulfillment_status), array_agg(total_price_value), array_agg(total_tax::numeric),
              array_agg(total_shipping::numeric))
       FROM old_rows HAVING count(*) > 0;
  ELSE
    -- Only orders of which something changed that counts.
    PERFORM public.catalog_add_order_figures(array_agg(c.sign), array_agg(c.shop_id), array_agg(c.sort_at), array_agg(c.currency),
              array_agg(c.financial_status), array_agg(c.fulfillment_status), array_agg(c.price), array_agg(c.tax::numeric),
              array_agg(c.shipping::numeric))
       FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
      CROSS JOIN LATERAL (VALUES
              (-1, o.shop_id, o.sort_at, o.currency, o.financial_status, o.fulfillment_status, o.total_price_value, o.total_tax, o.total_shipping),
              (1, n.shop_id, n.sort_at, n.currency, n.financial_status, n.fulfillment_status, n.total_price_value, n.total_tax, n.total_shipping))
            AS c (sign, shop_id, sort_at, currency, financial_status, fulfillment_status, price, tax, shipping)
      WHERE (n.shop_id, n.sort_at, n.currency, n.financial_status, n.fulfillment_status, n.total_price, n.total_tax, n.total_shipping)
            IS DISTINCT FROM
            (o.shop_id, o.sort_at, o.currency, o.financial_status, o.fulfillment_status, o.total_price, o.total_tax, o.total_shipping)
        AND c.shop_id IS NOT NULL
     HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER orders_inserted_figures AFTER INSERT ON public.orders REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_counted();
CREATE TRIGGER orders_updated_figures AFTER UPDATE ON public.orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_counted();
CREATE TRIGGER orders_deleted_figures AFTER DELETE ON public.orders REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_counted();

CREATE FUNCTION public.catalog_rows_emptied() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  EXECUTE format('TRUNCATE public.%I', CASE TG_TABLE_NAME WHEN 'orders' THEN 'order_figures' ELSE 'product_figures' END);
  RETURN NULL;
END
$$;
CREATE TRIGGER orders_truncated_figures AFTER TRUNCATE ON public.orders
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_rows_emptied();

CREATE FUNCTION public.catalog_shop_figures_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  DELETE FROM public.order_figures WHERE shop_id = OLD.shop_id;
  DELETE FROM public.product_figures WHERE shop_id = OLD.shop_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER shops_deleted_figures AFTER DELETE ON public.shops
  FOR EACH ROW EXECUTE FUNCTION public.catalog_shop_figures_deleted();

-- ---------------------------------------------------------------------------------------------------------------------
-- Live products by what they have in common. Of a shop whose limit hides some, readers count the visible ones themselves.
-- ---------------------------------------------------------------------------------------------------------------------

-- kind is 1 status, 2 vendor, 3 product type, 4 tag, 5 price band, 6 out of stock. A value that is null counts those without one; those out of
-- stock have no value. key is a digest of the value.
CREATE TABLE public.product_figures (
  shop_id  uuid NOT NULL,
  kind     smallint NOT NULL,
  key      uuid NOT NULL,
  value    text,
  products bigint NOT NULL,
  CONSTRAINT product_figures_pkey PRIMARY KEY (shop_id, kind, key)
);

-- The number of the band of a lowest price. src/catalog/figures/product-figures-reader.ts has the same bounds.
CREATE FUNCTION public.catalog_price_band(price numeric) RETURNS integer
LANGUAGE sql IMMUTABLE
RETURN width_bucket(price, ARRAY[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000, 1000000]::numeric[]);

CREATE FUNCTION public.catalog_product_traits(status text, vendor text, product_type text, tags text[], min_price numeric, total_stock bigint)
RETURNS TABLE (kind smallint, value text)
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  SELECT 1::smallint, status
   UNION ALL SELECT 2::smallint, vendor
   UNION ALL SELECT 3::smallint, product_type
   UNION ALL SELECT DISTINCT 4::smallint, t.tag FROM unnest(CASE WHEN tags = '{}' THEN ARRAY[NULL::text] ELSE tags END) AS t (tag)
   UNION ALL SELECT 5::smallint, public.catalog_price_band(min_price)::text
   UNION ALL SELECT 6::smallint, NULL::text WHERE total_stock <= 0;
END;

CREATE FUNCTION public.catalog_add_product_figures(shop_ids uuid[], kinds smallint[], texts text[], counts bigint[]) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  emptied record;
BEGIN
  WITH written AS (
    INSERT INTO public.product_figures AS f (shop_id, kind, key, value, products)
    SELECT d.shop_id, d.kind, public.catalog_digest(ARRAY[d.value]), d.value, d.products
      FROM unnest(shop_ids, kinds, texts, counts) AS d (shop_id, kind, value, products)
     WHERE EXISTS (SELECT FROM public.shops AS s WHERE s.shop_id = d.shop_id)
        ON CONFLICT (shop_id, kind, key) DO UPDATE SET products = f.products + excluded.products
    RETURNING f.shop_id, f.kind, f.key, f.products
  )
  SELECT array_agg(shop_id) AS shop_ids, array_agg(kind) AS kinds, array_agg(key) AS keys INTO emptied FROM written WHERE products = 0;
  IF emptied.keys IS NOT NULL THEN
    DELETE FROM public.product_figures AS f
     USING unnest(emptied.shop_ids, emptied.kinds, emptied.keys) AS e (shop_id, kind, key)
     WHERE (f.shop_id, f.kind, f.key) = (e.shop_id, e.kind, e.key);
  END IF;
END
$$;

-- The rows of product_figures that a shop should have, from its products alone.
CREATE FUNCTION public.catalog_product_figures(shop uuid) RETURNS SETOF public.product_figures
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  SELECT shop, t.kind, public.catalog_digest(ARRAY[t.value]), t.value, count(*)
    FROM public.products AS p
   CROSS JOIN LATERAL public.catalog_product_traits(p.status, p.vendor, p.product_type, p.tags, p.min_price_value, p.total_stock) AS t
   WHERE p.shop_id = shop AND p.deleted_at IS NULL
   GROUP BY t.kind, t.value
$$;

INSERT INTO public.product_figures SELECT f.* FROM public.shops AS s CROSS JOIN LATERAL public.catalog_product_figures(s.shop_id) AS f;

CREATE FUNCTION public.catalog_products_counted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM public.catalog_add_product_figures(array_agg(d.shop_id), array_agg(d.kind), array_agg(d.value), array_agg(d.products))
       FROM (SELECT n.shop_id, t.kind, t.value, count(*) AS products
               FROM new_rows AS n
              CROSS JOIN LATERAL public.catalog_product_traits(n.status, n.vendor, n.product_type, n.tags, n.min_price_value, n.total_stock) AS t
              WHERE n.deleted_at IS NULL
              GROUP BY 1, 2, 3) AS d
     HAVING count(*) > 0;
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM public.catalog_add_product_figures(array_agg(d.shop_id), array_agg(d.kind), array_agg(d.value), array_agg(d.products))
       FROM (SELECT o.shop_id, t.kind, t.value, -count(*) AS products
               FROM old_rows AS o
              CROSS JOIN LATERAL public.catalog_product_traits(o.status, o.vendor, o.product_type, o.tags, o.min_price_value, o.total_stock) AS t
              WHERE o.deleted_at IS NULL
              GROUP BY 1, 2, 3) AS d
     HAVING count(*) > 0;
  ELSE
    -- Only products of which something changed that counts. A changed price seldom leaves its band.
    PERFORM public.catalog_add_product_figures(array_agg(d.shop_id), array_agg(d.kind), array_agg(d.value), array_agg(d.products))
       FROM (SELECT c.shop_id, t.kind, t.value, sum(c.sign) AS products
               FROM new_rows AS n FULL JOIN old_rows AS o ON o.shop_id = n.shop_id AND o.id = n.id
              CROSS JOIN LATERAL (VALUES
                      (-1, o.shop_id, o.deleted_at, o.status, o.vendor, o.product_type, o.tags, o.min_price_value, o.total_stock),
                      (1, n.shop_id, n.deleted_at, n.status, n.vendor, n.product_type, n.tags, n.min_price_value, n.total_stock))
                    AS c (sign, shop_id, deleted_at, status, vendor, product_type, tags, min_price_value, total_stock)
              CROSS JOIN LATERAL public.catalog_product_traits(c.status, c.vendor, c.product_type, c.tags, c.min_price_value, c.total_stock) AS t
              WHERE (n.shop_id, n.deleted_at IS NULL, n.status, n.vendor, n.product_type, n.tags, n.total_stock <= 0,
                     public.catalog_price_band(n.min_price_value)) IS DISTINCT FROM
                    (o.shop_id, o.deleted_at IS NULL, o.status, o.vendor, o.product_type, o.tags, o.total_stock <= 0,
                     public.catalog_price_band(o.min_price_value))
                AND c.shop_id IS NOT NULL AND c.deleted_at IS NULL
              GROUP BY 1, 2, 3 HAVING sum(c.sign) <> 0) AS d
     HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER products_inserted_figures AFTER INSERT ON public.products REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_products_counted();
CREATE TRIGGER products_updated_figures AFTER UPDATE ON public.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_products_counted();
CREATE TRIGGER products_deleted_figures AFTER DELETE ON public.products REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_products_counted();
CREATE TRIGGER products_truncated_figures AFTER TRUNCATE ON public.products
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_rows_emptied();

-- Only triggers run these, and whoever checks the tables.
REVOKE ALL ON FUNCTION public.catalog_digest(text[]), public.catalog_price_band(numeric), public.catalog_product_traits,
  public.catalog_add_order_figures, public.catalog_order_figures(uuid), public.catalog_orders_counted(),
  public.catalog_add_product_figures, public.catalog_product_figures(uuid), public.catalog_products_counted(),
  public.catalog_rows_emptied(), public.catalog_shop_figures_deleted() FROM PUBLIC;
