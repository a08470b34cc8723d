-- What changed in a shop, in the order of its versions (docs/decisions.md 56, 93, 95). Triggers maintain these tables; writers have no
-- privilege on them.

-- One row per object, with the version of the shop in which a reader's view of it last changed. Whether an object exists is asked of its own
-- table; is_deleted shows `catalog check` that its deletion was entered.
CREATE TABLE changes (
  shop_id     uuid NOT NULL,
  id          uuid NOT NULL,
  version     bigint NOT NULL,
  -- 1 product, 2 variant, 3 collection, 4 order: the order of objects within one version.
  kind        smallint NOT NULL,
  is_deleted  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (shop_id, kind, id)
);
-- Each kind for itself: a reader of orders does not pass over products.
CREATE INDEX changes_feed_idx ON changes (shop_id, kind, version, id);
-- Every change moves its entry to the end of that index: what it leaves behind is in the way of readers until VACUUM.
ALTER TABLE changes SET (autovacuum_vacuum_scale_factor = 0.05);

-- Histories. A restored backup or a failover that lost transactions goes back to an older version and on from there. Both come with
-- another server process or another database, so the first write there begins a new epoch and notes the version from which it went on. A cursor
-- from an earlier epoch is good when its reader had seen nothing beyond that version.
CREATE TABLE change_epochs (
  shop_id       uuid NOT NULL REFERENCES shops ON DELETE CASCADE ON UPDATE CASCADE,
  after_version bigint NOT NULL,
  epoch         uuid NOT NULL DEFAULT gen_random_uuid(),
  PRIMARY KEY (shop_id, after_version)
);

-- Which epoch a shop is in, and on which server. Recovery from a crash, in which commits may be lost, empties an unlogged table, on every
-- version of PostgreSQL; so do a promotion and a restore from a base backup. A clean restart keeps it, but changes catalog_server().
CREATE UNLOGGED TABLE change_witnesses (
  shop_id uuid PRIMARY KEY REFERENCES shops ON DELETE CASCADE ON UPDATE CASCADE,
  epoch   uuid NOT NULL,
  server  text NOT NULL
);

-- For readers. Where Citus has the shops, `catalog distribute` lets it lead to the shop's shards.
CREATE FUNCTION public.catalog_is_witnessed(shop uuid, of_epoch uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN public.catalog_has_witness(shop, of_epoch);
END
$$;

-- For catalog_restart_changes, led to the shop's shards in the same way.
CREATE FUNCTION public.catalog_restart_history(shop uuid) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.catalog_begin_epoch(shop, 0);
END
$$;
REVOKE ALL ON FUNCTION public.catalog_restart_history FROM PUBLIC;

-- Which run of the server this is: another one begins when commits may have been lost. Recovery from a crash of a session, which does not start
-- the server again, resets the statistics. A standby does not know it: the primary is asked.
CREATE FUNCTION public.catalog_run(shop uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Not md5, which servers in FIPS mode refuse.
  RETURN CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
    pg_catalog."left"(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat(
      public.catalog_server(), '/', (SELECT stats_reset FROM pg_catalog.pg_stat_bgwriter)), 'UTF8')), 'hex'), 32) END;
END
$$;

-- The shops of which a session without triggers wrote rows (see catalog_note_unrecorded).
CREATE TABLE unrecorded_writes (
  shop_id uuid PRIMARY KEY
);
