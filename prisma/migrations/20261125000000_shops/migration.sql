-- The catalog of connected shops. These conventions apply to all migrations. Every table and every index of shops' data starts with
-- shop_id, so that one shop is one shard. Exception: shops_domain_key (the command line finds a shop by its domain; on a sharded
-- installation the shops table is the directory).
--
-- Migrations create tables, indexes and constraints, and the functions whose results are stored: those of generated columns, indexes and
-- checks, because a change of one rewrites rows. Most other functions, and all triggers, are in prisma/functions.
--
-- No function resolves names through the writer's search path. Functions that run once per statement set their own. Functions that run once
-- per row would pay for that each time, so they qualify every name.

CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Text search folds case for all of Unicode, whatever the database's locale (D5), so the function uses a Unicode collation instead of the
-- database's LC_CTYPE.
DO $install$
DECLARE
  collation_name text;
BEGIN
  IF current_setting('server_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'the catalog needs a database with encoding UTF8, this one has %', current_setting('server_encoding');
  END IF;
  SELECT collname INTO collation_name
    FROM pg_collation
   WHERE collname IN ('und-x-icu', 'pg_c_utf8')
   ORDER BY collname DESC
   LIMIT 1;
  EXECUTE format(
    $sql$CREATE FUNCTION catalog_fold(value text) RETURNS text
         LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
         RETURN replace(lower(value COLLATE %I), chr(962), chr(963))$sql$,
    coalesce(collation_name, 'default'));
END
$install$;

-- The files of prisma/functions that were run. `catalog migrate` runs a file again when its digest differs.
CREATE TABLE function_files (
  name       text PRIMARY KEY,
  checksum   text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE shops (
  shop_id            uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  domain             text NOT NULL,
  name               text,
  platform           text,
  currency           text,
  plan               text NOT NULL DEFAULT 'business',
  plan_status        text NOT NULL DEFAULT 'active',
  product_limit      integer,
  last_sync_at       timestamptz(3),
  created_at         timestamptz(3) NOT NULL DEFAULT now(),
  -- Derived, copied from visible_sets: products that are not soft-deleted, and the position in (created_at, id) order up to
  -- which they are visible under product_limit (D8). A position and not a row: it survives the row's deletion.
  live_product_count bigint NOT NULL DEFAULT 0,
  visible_until_at   timestamptz(3) NOT NULL DEFAULT 'infinity',
  visible_until_id   uuid NOT NULL DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff',
  -- Increases with every committed change that affects the shop's responses.
  data_version       bigint NOT NULL DEFAULT 0,
  CONSTRAINT shops_domain_check CHECK (domain <> ''),
  CONSTRAINT shops_platform_check CHECK (platform = lower(platform)),
  CONSTRAINT shops_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT shops_plan_check CHECK (plan IN ('free', 'starter', 'pro', 'business')),
  CONSTRAINT shops_product_limit_check CHECK (product_limit >= 0),
  CONSTRAINT shops_created_at_check CHECK (created_at >= '0001-01-01Z' AND created_at < '10000-01-01Z'),
  CONSTRAINT shops_last_sync_at_check CHECK (last_sync_at >= '0001-01-01Z' AND last_sync_at < '10000-01-01Z'),
  -- The maximum length of columns, in bytes of UTF-8 (docs/decisions.md 41; src/catalog/model.ts for the importer): far more than shops
  -- need, and small enough that every row fits in one response.
  CONSTRAINT shops_domain_length_check CHECK (octet_length(domain) <= 2000),
  CONSTRAINT shops_name_length_check CHECK (octet_length(name) <= 10000),
  CONSTRAINT shops_platform_length_check CHECK (octet_length(platform) <= 2000),
  CONSTRAINT shops_plan_status_length_check CHECK (octet_length(plan_status) <= 2000)
);
CREATE UNIQUE INDEX shops_domain_key ON shops (domain);

CREATE TABLE api_keys (
  shop_id                    uuid NOT NULL REFERENCES shops ON DELETE CASCADE,
  client_id                  text NOT NULL,
  key_prefix                 text NOT NULL,
  name                       text,
  scopes                     text[] NOT NULL,
  secret_digest              bytea NOT NULL,
  previous_secret_digest     bytea,
  previous_secret_expires_at timestamptz(3),
  created_at                 timestamptz(3) NOT NULL DEFAULT now(),
  expires_at                 timestamptz(3),
  revoked_at                 timestamptz(3),
  PRIMARY KEY (shop_id, client_id),
  CONSTRAINT api_keys_client_id_check CHECK (client_id ~ '^[0-9A-Za-z]+$'),
  CONSTRAINT api_keys_scopes_check CHECK (
    cardinality(scopes) > 0 AND scopes <@ ARRAY['catalog:read', 'orders:read', 'account:read']),
  CONSTRAINT api_keys_secret_digest_check CHECK (
    octet_length(secret_digest) = 32 AND octet_length(previous_secret_digest) = 32),
  CONSTRAINT api_keys_previous_secret_check CHECK (
    (previous_secret_digest IS NULL) = (previous_secret_expires_at IS NULL))
);

-- Usage of each key by UTC day. In a table of its own, because a role that may update a column may lock the row. No foreign key: with ON
-- DELETE CASCADE, the service's login could delay the deletion of a shop by locking a row. The rows of a deleted shop remain.
CREATE TABLE key_usage (
  shop_id      uuid NOT NULL,
  client_id    text NOT NULL,
  day          date NOT NULL,
  requests     bigint NOT NULL,
  rate_limited bigint NOT NULL,
  errors       bigint NOT NULL,
  bytes        bigint NOT NULL,
  cost         bigint NOT NULL,
  last_used_at timestamptz(3) NOT NULL,
  PRIMARY KEY (shop_id, client_id, day)
);

-- Adds what a process has counted, in one statement for all keys. The service's login has no other way to write here, so it cannot fill the
-- table: a row needs an existing key and one of the last 400 days. Deletes older rows of the same keys. A counter stops at the largest
-- integer that clients read exactly, so that a full one does not fail the whole statement.
CREATE FUNCTION public.catalog_add_usage(
  shops uuid[], clients text[], days date[], requests bigint[], rate_limited bigint[], errors bigint[], bytes bigint[], costs bigint[],
  last_uses timestamptz[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  today date := (now() AT TIME ZONE 'UTC')::date;
  most CONSTANT bigint := 9007199254740991;
BEGIN
  INSERT INTO public.key_usage AS u (shop_id, client_id, day, requests, rate_limited, errors, bytes, cost, last_used_at)
  SELECT k.shop_id, k.client_id, g.day, least(most, greatest(0, g.requests)), least(most, greatest(0, g.rate_limited)),
         least(most, greatest(0, g.errors)), least(most, greatest(0, g.bytes)), least(most, greatest(0, g.cost)),
         greatest(now() - interval '400 days', least(now(), g.last_used_at))
    FROM unnest(shops, clients, days, requests, rate_limited, errors, bytes, costs, last_uses)
           AS g (shop_id, client_id, day, requests, rate_limited, errors, bytes, cost, last_used_at)
    JOIN public.api_keys AS k ON k.shop_id = g.shop_id AND k.client_id = g.client_id
   WHERE g.day > today - 400 /*usage_days*/ AND g.day <= today + 1
   ORDER BY k.shop_id, k.client_id, g.day -- in a fixed order, so that processes do not deadlock
      ON CONFLICT (shop_id, client_id, day) DO UPDATE SET
         requests = least(u.requests, most - excluded.requests) + excluded.requests,
         rate_limited = least(u.rate_limited, most - excluded.rate_limited) + excluded.rate_limited,
         errors = least(u.errors, most - excluded.errors) + excluded.errors,
         bytes = least(u.bytes, most - excluded.bytes) + excluded.bytes, cost = least(u.cost, most - excluded.cost) + excluded.cost,
         last_used_at = greatest(u.last_used_at, excluded.last_used_at);
  DELETE FROM public.key_usage AS u USING unnest(shops, clients) AS g (shop_id, client_id)
   WHERE u.shop_id = g.shop_id AND u.client_id = g.client_id AND u.day <= today - 400 /*usage_days*/;
END
$$;
REVOKE ALL ON FUNCTION public.catalog_add_usage FROM PUBLIC;
