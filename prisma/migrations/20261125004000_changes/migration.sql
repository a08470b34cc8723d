-- What changed in a shop, in the order of its versions (docs/decisions.md 56, 93, 95). Triggers maintain these tables; writers have no
-- privilege on them.

-- One row per object, with the version of the shop in which a reader's view of it last changed. Whether an object exists is read from its
-- own table; is_deleted shows `catalog check` that its deletion was recorded.
CREATE TABLE changes (
  shop_id     uuid NOT NULL,
  id          uuid NOT NULL,
  version     bigint NOT NULL,
  -- 1 product, 2 variant, 3 collection, 4 order: the order of objects within one version.
  kind        smallint NOT NULL,
  is_deleted  boolean NOT NULL DEFAULT false,
  PRIMARY KEY (shop_id, kind, id)
);
-- By kind first, so that a reader of orders does not scan products.
CREATE INDEX changes_feed_idx ON changes (shop_id, kind, version, id);
-- Every change moves its entry to the end of that index, and readers scan the dead entries until VACUUM.
ALTER TABLE changes SET (autovacuum_vacuum_scale_factor = 0.05);

-- Histories of shops. After a restored backup, or a failover that lost transactions, a shop continues from an older version. Both involve
-- another server process or another database, so the first write there starts a new epoch and stores the version that it continued from. A
-- cursor from an earlier epoch is valid if its reader had seen nothing beyond that version.
CREATE TABLE change_epochs (
  shop_id       uuid NOT NULL REFERENCES shops ON DELETE CASCADE ON UPDATE CASCADE,
  after_version bigint NOT NULL,
  epoch         uuid NOT NULL DEFAULT gen_random_uuid(),
  PRIMARY KEY (shop_id, after_version)
);

-- The current epoch of each shop, and its server. Unlogged, because crash recovery, in which commits may be lost, empties the table, on
-- every version of PostgreSQL; so do a promotion and a restore from a base backup. A clean restart keeps it, but changes catalog_server().
CREATE UNLOGGED TABLE change_witnesses (
  shop_id uuid PRIMARY KEY REFERENCES shops ON DELETE CASCADE ON UPDATE CASCADE,
  epoch   uuid NOT NULL,
  server  text NOT NULL
);

-- For readers. On Citus, `catalog distribute` routes it to the shop's shards.
CREATE FUNCTION public.catalog_is_witnessed(shop uuid, of_epoch uuid) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN public.catalog_has_witness(shop, of_epoch);
END
$$;

-- For catalog_restart_changes, routed to the shop's shards in the same way.
CREATE FUNCTION public.catalog_restart_history(shop uuid) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.catalog_begin_epoch(shop, 0);
END
$$;
REVOKE ALL ON FUNCTION public.catalog_restart_history FROM PUBLIC;

-- Identifies the run of the server: another one begins when commits may have been lost. Crash recovery without a restart of the server
-- resets the statistics, which starts another run, too. NULL on a standby: the primary is queried.
CREATE FUNCTION public.catalog_run(shop uuid) RETURNS text
LANGUAGE plpgsql STABLE AS $$
BEGIN
  -- Not md5, which servers in FIPS mode reject.
  RETURN CASE WHEN NOT pg_catalog.pg_is_in_recovery() THEN
    pg_catalog."left"(pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(pg_catalog.concat(
      public.catalog_server(), '/', (SELECT stats_reset FROM pg_catalog.pg_stat_bgwriter)), 'UTF8')), 'hex'), 32) END;
END
$$;

-- The shops to which a session without triggers wrote (see catalog_note_unrecorded).
CREATE TABLE unrecorded_writes (
  shop_id uuid PRIMARY KEY
);
