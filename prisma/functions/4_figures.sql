-- Rollups of orders (docs/decisions.md 139). The orders of a statement are summed by four hours and status first, then by day and week.

-- Not md5, which servers in FIPS mode reject.
CREATE OR REPLACE FUNCTION public.catalog_digest(texts text[]) RETURNS uuid
LANGUAGE sql STABLE
RETURN encode(substring(sha256(convert_to(texts::text, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid;

-- Adds orders to their rows, or subtracts those with the sign -1. Ignores orders of a shop that is being deleted.
CREATE OR REPLACE FUNCTION public.catalog_add_order_figures(
  signs integer[], shop_ids uuid[], moments timestamptz[], currencies text[], financial_statuses text[], fulfillment_statuses text[],
  prices numeric[], taxes numeric[], shipping_costs numeric[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan SET jit = off AS $$
DECLARE
  emptied record;
BEGIN
  WITH shortest AS MATERIALIZED (
    SELECT o.shop_id, date_bin('4 hours' /*shortest_figure*/, o.moment, '0001-01-01 00:00:00Z') AS from_at, o.currency, o.financial_status, o.fulfillment_status,
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
    SELECT s.shop_id, slot.hours, date_bin(slot.hours * interval '1 hour', s.from_at, '0001-01-01 00:00:00Z'),
           public.catalog_digest(ARRAY[s.currency, s.financial_status, s.fulfillment_status, s.places::text]),
           s.currency, s.financial_status, s.fulfillment_status, s.places, sum(s.orders), sum(s.price), sum(s.tax), sum(s.shipping)
      FROM shortest AS s CROSS JOIN unnest('{4,24,168}' /*figure_hours*/::smallint[]) AS slot (hours)
     WHERE EXISTS (SELECT FROM public.shops AS h WHERE h.shop_id = s.shop_id)
     GROUP BY s.shop_id, slot.hours, 3, s.currency, s.financial_status, s.fulfillment_status, s.places
    HAVING (sum(s.orders), sum(s.price), sum(s.tax), sum(s.shipping)) <> (0, 0, 0, 0)
     -- Keeps a range of rows on few pages.
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

-- The rows of order_figures that a shop should have, computed from its orders.
CREATE OR REPLACE FUNCTION public.catalog_order_figures(shop uuid) RETURNS SETOF public.order_figures
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET jit = off AS $$
  WITH shortest AS MATERIALIZED (
    SELECT date_bin('4 hours' /*shortest_figure*/, o.sort_at, '0001-01-01 00:00:00Z') AS from_at, o.currency, o.financial_status, o.fulfillment_status, p.places,
           count(*) AS orders, coalesce(sum(o.total_price_value), 0) AS price, coalesce(sum(o.total_tax::numeric), 0) AS tax,
           coalesce(sum(o.total_shipping::numeric), 0) AS shipping
      FROM public.orders AS o
     CROSS JOIN LATERAL (SELECT greatest(0, scale(o.total_price_value), scale(o.total_tax::numeric), scale(o.total_shipping::numeric)) AS places) AS p
     WHERE o.shop_id = shop AND o.sort_at < 'infinity'
     GROUP BY 1, 2, 3, 4, 5
  )
  SELECT shop, slot.hours, date_bin(slot.hours * interval '1 hour', s.from_at, '0001-01-01 00:00:00Z')::timestamptz(3),
         public.catalog_digest(ARRAY[s.currency, s.financial_status, s.fulfillment_status, s.places::text]),
         s.currency, s.financial_status, s.fulfillment_status, s.places, sum(s.orders)::bigint, sum(s.price), sum(s.tax), sum(s.shipping)
    FROM shortest AS s CROSS JOIN unnest('{4,24,168}' /*figure_hours*/::smallint[]) AS slot (hours)
   GROUP BY slot.hours, 3, s.currency, s.financial_status, s.fulfillment_status, s.places
$$;

REVOKE ALL ON FUNCTION public.catalog_digest, public.catalog_add_order_figures, public.catalog_order_figures FROM PUBLIC;
