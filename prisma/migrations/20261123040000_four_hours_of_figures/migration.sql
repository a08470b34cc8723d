-- Figures of orders by four hours as well (docs/decisions.md 101): a day that begins far from midnight of UTC is read as half of the rows.
-- Processes of the version before go on with hours, days and weeks.
--
-- Writers wait while the hours that are there already are added up; readers do not.

LOCK TABLE public.shops, public.orders IN SHARE ROW EXCLUSIVE MODE;

-- As before, but for the four hours and the order of rows. An order is in four rows, or in none when it has no date.
CREATE OR REPLACE FUNCTION public.catalog_add_order_figures(
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
      FROM hourly AS h CROSS JOIN (VALUES (1), (4), (24), (168)) AS slot (hours)
     WHERE EXISTS (SELECT FROM public.shops AS s WHERE s.shop_id = h.shop_id)
     GROUP BY h.shop_id, slot.hours, 3, h.currency, h.financial_status, h.fulfillment_status, h.places
    HAVING (sum(h.orders), sum(h.price), sum(h.tax), sum(h.shipping)) <> (0, 0, 0, 0)
     -- So that a range of rows is in few pages.
     ORDER BY slot.hours, 3
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

CREATE OR REPLACE FUNCTION public.catalog_order_figures(shop uuid) RETURNS SETOF public.order_figures
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
    FROM hourly AS h CROSS JOIN (VALUES (1), (4), (24), (168)) AS slot (hours)
   GROUP BY slot.hours, 3, h.currency, h.financial_status, h.fulfillment_status, h.places
$$;

INSERT INTO public.order_figures (shop_id, hours, from_at, key, currency, financial_status, fulfillment_status, places,
                                  orders, total_price, total_tax, total_shipping)
SELECT f.shop_id, 4, date_bin('4 hours', f.from_at, '0001-01-01 00:00:00Z'), f.key, f.currency, f.financial_status, f.fulfillment_status,
       f.places, sum(f.orders), sum(f.total_price), sum(f.total_tax), sum(f.total_shipping)
  FROM public.order_figures AS f
 WHERE f.hours = 1
 GROUP BY 1, 3, 4, 5, 6, 7, 8
 ORDER BY 1, 3
    -- There already when the script was committed and not recorded.
    ON CONFLICT DO NOTHING;
