-- Figures of orders, kept as rollups (docs/decisions.md 101).
--
-- Writers of orders wait while the orders that are there already are added up; readers do not.

LOCK TABLE public.shops, public.orders IN SHARE ROW EXCLUSIVE MODE;

-- The orders of each hour, six hours and day of UTC, counted and summed up. An order is in three rows, or in none when it has no date.
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
      FROM hourly AS h CROSS JOIN (VALUES (1), (6), (24)) AS slot (hours)
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
    FROM hourly AS h CROSS JOIN (VALUES (1), (6), (24)) AS slot (hours)
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

CREATE FUNCTION public.catalog_orders_emptied() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  TRUNCATE public.order_figures;
  RETURN NULL;
END
$$;
CREATE TRIGGER orders_truncated_figures AFTER TRUNCATE ON public.orders
  FOR EACH STATEMENT EXECUTE FUNCTION public.catalog_orders_emptied();

CREATE FUNCTION public.catalog_shop_figures_deleted() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET jit = off AS $$
BEGIN
  DELETE FROM public.order_figures WHERE shop_id = OLD.shop_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER shops_deleted_figures AFTER DELETE ON public.shops
  FOR EACH ROW EXECUTE FUNCTION public.catalog_shop_figures_deleted();

-- Only triggers run these.
REVOKE ALL ON FUNCTION public.catalog_add_order_figures, public.catalog_orders_counted(), public.catalog_orders_emptied(),
  public.catalog_shop_figures_deleted(), public.catalog_order_figures(uuid), public.catalog_digest(text[]) FROM PUBLIC;
