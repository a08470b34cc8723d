import type { Client } from 'pg';
import { findDifferences, readDerivedChecks } from '../../src/database/derived/check-derived';
import { remains, waitForTruncate } from '../../src/database/derived/derived-checks';

/** What readers can see in one snapshot. Numbers that may exceed a double, and rows that are compared, are text. */
export interface CatalogState {
  readonly shops: readonly { readonly shop_id: string; readonly data_version: string }[];
  readonly objects: readonly ObjectState[];
  /** For each shop, a digest of all its rows without the shop's version. */
  readonly digests: readonly { readonly shop_id: string; readonly digest: string }[];
}

/** An object, or what the change feed keeps of a deleted one. */
interface ObjectState {
  readonly shop_id: string;
  readonly kind: number;
  readonly id: string;
  /** A digest of what readers see of it; null if they see nothing. */
  readonly view: string | null;
  /** Its entry in the change feed. */
  readonly version: string | null;
}

const readStateStatement = `SELECT json_build_object(
  'shops', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT shop_id, data_version::text FROM shops) AS t),
  'objects', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    WITH seen AS (
      SELECT p.shop_id, p.id FROM products AS p JOIN shops AS s USING (shop_id)
       WHERE p.deleted_at IS NULL AND (p.created_at, p.id) <= (s.visible_until_at, s.visible_until_id)
    ), objects AS (
      SELECT p.shop_id, 1::smallint AS kind, p.id, CASE WHEN seen.id IS NOT NULL THEN md5(concat(p.rest_json, p.url, p.images, p.memberships)) END AS view
        FROM products AS p LEFT JOIN seen ON seen.shop_id = p.shop_id AND seen.id = p.id
       UNION ALL
      SELECT v.shop_id, 2::smallint, v.id, CASE WHEN seen.id IS NOT NULL THEN md5(v.product_id || v.rest_json) END
        FROM variants AS v LEFT JOIN seen ON seen.shop_id = v.shop_id AND seen.id = v.product_id
       UNION ALL
      SELECT shop_id, 3::smallint, id, md5(concat(rest_json, (
               SELECT string_agg(concat(p.id, m.place), ',' ORDER BY p.id)
                 FROM products AS p CROSS JOIN LATERAL (
                      SELECT coalesce(min((m.one ->> 'position')::integer), 2147483647) AS place
                        FROM jsonb_array_elements(p.memberships) AS m (one)
                       WHERE m.one ->> 'collection_external_id' = c.external_id HAVING count(*) > 0) AS m
                WHERE p.shop_id = c.shop_id AND p.deleted_at IS NULL)))
        FROM collections AS c
       UNION ALL
      SELECT shop_id, 4::smallint, id, md5(o::text) FROM orders AS o
    )
    SELECT shop_id, kind, id, o.view, c.version::text
      FROM objects AS o FULL JOIN changes AS c USING (shop_id, kind, id)) AS t),
  'digests', (SELECT coalesce(json_agg(row_to_json(t)), '[]') FROM (
    SELECT s.shop_id, md5(concat(
             s.name, s.plan, s.product_limit, s.live_product_count, s.last_sync_at, s.visible_until_at, s.visible_until_id,
             (SELECT string_agg(p::text, ',' ORDER BY p.id) FROM products AS p WHERE p.shop_id = s.shop_id),
             (SELECT string_agg(v::text, ',' ORDER BY v.id) FROM variants AS v WHERE v.shop_id = s.shop_id),
             (SELECT string_agg(c::text, ',' ORDER BY c.id) FROM collections AS c WHERE c.shop_id = s.shop_id),
             (SELECT string_agg(o::text, ',' ORDER BY o.id) FROM orders AS o WHERE o.shop_id = s.shop_id))) AS digest
      FROM shops AS s) AS t))::text AS state`;

/** Everything derived, as `catalog check` computes it. @returns a line for each difference */
async function findDerived(client: Client): Promise<string[]> {
  const { rows: shops } = await client.query<{ shop_id: string }>('SELECT shop_id FROM shops');
  const all = (await readDerivedChecks(client))
    .map(
      ({ differences }) => `SELECT kind::text, object::text, stored::text, expected::text FROM (${differences}) AS d`,
    )
    .join(' UNION ALL ');
  const found = await findDifferences(client, remains);
  for (const { shop_id } of shops) found.push(...(await findDifferences(client, { differences: all }, shop_id)));
  return found.flatMap(({ kind, examples }) =>
    examples.map(({ object, stored, expected }) => `${kind} of ${object} is ${stored} and should be ${expected}`),
  );
}

/** One snapshot, and what is wrong in it. */
export async function readState(client: Client): Promise<{ state: CatalogState; violations: string[] }> {
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(waitForTruncate);
    const { rows } = await client.query<{ state: string }>(readStateStatement);
    const state = JSON.parse(rows[0]?.state ?? '') as CatalogState;
    return { state, violations: await findDerived(client) };
  } finally {
    await client.query('COMMIT');
  }
}

/** Compares versions with their content: a version never decreases, and one version never has two contents. */
export class Versions {
  readonly #last = new Map<string, bigint>();
  readonly #contents = new Map<string, string>();

  /** Snapshots arrive in the order in which they were taken. @returns a line for each violation */
  findViolations(state: CatalogState): string[] {
    const violations: string[] = [];
    const digests = new Map(state.digests.map(({ shop_id, digest }) => [shop_id, digest]));
    for (const { shop_id, data_version } of state.shops) {
      const version = BigInt(data_version);
      const last = this.#last.get(shop_id) ?? 0n;
      if (version < last) violations.push(`data_version of ${shop_id} went back from ${last} to ${version}`);
      this.#last.set(shop_id, version);
      const key = `${shop_id} ${version}`;
      const digest = digests.get(shop_id) ?? '';
      const known = this.#contents.get(key);
      if (known !== undefined && known !== digest) violations.push(`${shop_id} has two contents in version ${version}`);
      this.#contents.set(key, digest);
    }
    return violations;
  }
}

/** Compares the change feed with what readers saw: everything that they see differently has a later version. */
export class Feed {
  #before: CatalogState | undefined;

  /** Snapshots arrive in the order in which they were taken. @returns a line for each violation */
  findViolations(state: CatalogState): string[] {
    const before = this.#before;
    this.#before = state;
    if (before === undefined) return [];
    const versions = new Map(before.shops.map(({ shop_id, data_version }) => [shop_id, BigInt(data_version)]));
    const keyOf = ({ shop_id, kind, id }: ObjectState): string => `${shop_id} ${kind} ${id}`;
    const now = new Map(state.objects.map((object) => [keyOf(object), object]));
    const shops = new Set(state.shops.map(({ shop_id }) => shop_id));
    const past = new Map(before.objects.map((object) => [keyOf(object), object]));
    const violations: string[] = [];
    for (const [key, object] of now) {
      if ((past.get(key)?.view ?? null) === object.view) continue;
      if (BigInt(object.version ?? 0) <= (versions.get(object.shop_id) ?? 0n))
        violations.push(`the change feed does not show that ${key} changed, entered with ${object.version}`);
    }
    for (const [key, { shop_id }] of past) {
      if (shops.has(shop_id) && !now.has(key)) violations.push(`the change feed has lost ${key}`);
    }
    return violations;
  }
}
