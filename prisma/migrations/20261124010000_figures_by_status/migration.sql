-- Figures of orders by each status alone and by none as well (docs/decisions.md 126): a chart of days without statuses reads a row for each
-- currency, not for each pair of statuses.
--
-- Writers, and readers of figures of orders, wait while the rows that are there already are added up.

LOCK TABLE public.shops, public.orders IN SHARE ROW EXCLUSIVE MODE;

-- Which statuses distinguish the row: 0 neither, 1 that of payment, 2 that of fulfillment, 3 both. The others are null in it.
ALTER TABLE public.order_figures ADD COLUMN statuses smallint NOT NULL DEFAULT 3;

-- The lengths of rows in hours, by the statuses that distinguish them. In an hour there are hardly fewer pairs of statuses than orders.
CREATE FUNCTION public.catalog_figure_slots() RETURNS TABLE (statuses smallint, hours smallint)
LANGUAGE sql IMMUTABLE
BEGIN ATOMIC
  VALUES (0::smallint, 1::smallint), (0, 4), (0, 24), (0, 168), (1, 1), (1, 4), (1, 24), (1, 168),
         (2, 1), (2, 4), (2, 24), (2, 168), (3, 4), (3, 24), (3, 168);
END;

-- As before, but for the slots. An order is in 15 rows, or in none when it has no date.
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
    INSERT INTO public.order_figures AS f (shop_id, statuses, hours, from_at, key, currency, financial_status, fulfillment_status, places,
                                           orders, total_price, total_tax, total_shipping)
    SELECT s.shop_id, s.statuses, s.hours, s.from_at,
           public.catalog_digest(ARRAY[s.currency, s.financial_status, s.fulfillment_status, s.places::text]),
           s.currency, s.financial_status, s.fulfillment_status, s.places, sum(s.orders), sum(s.price), sum(s.tax), sum(s.shipping)
      FROM (SELECT h.shop_id, slot.statuses, slot.hours, date_bin(slot.hours * interval '1 hour', h.hour, '0001-01-01 00:00:00Z') AS from_at,
                   h.currency, CASE WHEN slot.statuses IN (1, 3) THEN h.financial_status END AS financial_status,
                   CASE WHEN slot.statuses IN (2, 3) THEN h.fulfillment_status END AS fulfillment_status,
                   h.places, h.orders, h.price, h.tax, h.shipping
              FROM hourly AS h CROSS JOIN public.catalog_figure_slots() AS slot
             WHERE EXISTS (SELECT FROM public.shops AS s WHERE s.shop_id = h.shop_id)) AS s
     GROUP BY s.shop_id, s.statuses, s.hours, s.from_at, s.currency, s.financial_status, s.fulfillment_status, s.places
    HAVING (sum(s.orders), sum(s.price), sum(s.tax), sum(s.shipping)) <> (0, 0, 0, 0)
     -- So that a range of rows is in few pages.
     ORDER BY s.statuses, s.hours, s.from_at
        ON CONFLICT (shop_id, statuses, hours, from_at, key) DO UPDATE
       SET orders = f.orders + excluded.orders, total_price = f.total_price + excluded.total_price,
           total_tax = f.total_tax + excluded.total_tax, total_shipping = f.total_shipping + excluded.total_shipping
    RETURNING f.shop_id, f.statuses, f.hours, f.from_at, f.key, f.orders
  )
  SELECT array_agg(shop_id) AS shop_ids, array_agg(statuses) AS statuses, array_agg(hours) AS hours, array_agg(from_at) AS moments,
         array_agg(key) AS keys
    INTO emptied FROM written WHERE orders = 0;
  IF emptied.keys IS NOT NULL THEN
    DELETE FROM public.order_figures AS f
     USING unnest(emptied.shop_ids, emptied.statuses, emptied.hours, emptied.moments, emptied.keys) AS e (shop_id, statuses, hours, from_at, key)
     WHERE (f.shop_id, f.statuses, f.hours, f.from_at, f.key) = (e.shop_id, e.statuses, e.hours, e.from_at, e.key);
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
  SELECT shop, s.hours, s.from_at::timestamptz(3),
         public.catalog_digest(ARRAY[s.currency, s.financial_status, s.fulfillment_status, s.places::text]),
         s.currency, s.financial_status, s.fulfillment_status, s.places, sum(s.orders)::bigint, sum(s.price), sum(s.tax), sum(s.shipping), s.statuses
    FROM (SELECT slot.statuses, slot.hours, date_bin(slot.hours * interval '1 hour', h.hour, '0001-01-01 00:00:00Z') AS from_at,
                 h.currency, CASE WHEN slot.statuses IN (1, 3) THEN h.financial_status END AS financial_status,
                 CASE WHEN slot.statuses IN (2, 3) THEN h.fulfillment_status END AS fulfillment_status,
                 h.places, h.orders, h.price, h.tax, h.shipping
            FROM hourly AS h CROSS JOIN public.catalog_figure_slots() AS slot) AS s
   GROUP BY s.statuses, s.hours, s.from_at, s.currency, s.financial_status, s.fulfillment_status, s.places
$$;

ALTER TABLE public.order_figures DROP CONSTRAINT order_figures_pkey;
INSERT INTO public.order_figures (shop_id, statuses, hours, from_at, key, currency, financial_status, fulfillment_status, places,
                                  orders, total_price, total_tax, total_shipping)
SELECT s.shop_id, s.statuses, s.hours, s.from_at,
       public.catalog_digest(ARRAY[s.currency, s.financial_status, s.fulfillment_status, s.places::text]),
       s.currency, s.financial_status, s.fulfillment_status, s.places, sum(s.orders), sum(s.total_price), sum(s.total_tax), sum(s.total_shipping)
  FROM (SELECT f.shop_id, slot.statuses, f.hours, f.from_at, f.currency, CASE WHEN slot.statuses = 1 THEN f.financial_status END AS financial_status,
               CASE WHEN slot.statuses = 2 THEN f.fulfillment_status END AS fulfillment_status, f.places, f.orders, f.total_price, f.total_tax,
               f.total_shipping
          FROM public.order_figures AS f JOIN public.catalog_figure_slots() AS slot ON slot.hours = f.hours
         WHERE slot.statuses < 3) AS s
 GROUP BY s.shop_id, s.statuses, s.hours, s.from_at, s.currency, s.financial_status, s.fulfillment_status, s.places;
DELETE FROM public.order_figures AS f
 WHERE f.statuses = 3 AND f.hours NOT IN (SELECT slot.hours FROM public.catalog_figure_slots() AS slot WHERE slot.statuses = 3);
ALTER TABLE public.order_figures ADD CONSTRAINT order_figures_pkey PRIMARY KEY (shop_id, statuses, hours, from_at, key),
  ALTER COLUMN statuses DROP DEFAULT;
-- A range of rows is in few pages where they are in the order of their key.
CLUSTER public.order_figures USING order_figures_pkey;

REVOKE ALL ON FUNCTION public.catalog_figure_slots() FROM PUBLIC;
