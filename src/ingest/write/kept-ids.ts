import { ImportError } from '../values/import-error';
import { compareTables, lookUpRows, type Query } from './import-transaction';

/**
 * Refuses ids that objects of another shop have: an id is generated once, and clients may keep objects of several shops
 * under their ids. The keys of the tables begin with the shop, so that one comparison of whole tables is cheaper than a
 * lookup for each id.
 * @throws ImportError
 */
export async function refuseIdsOfOthers(query: Query, shopId: string): Promise<void> {
  await query(compareTables);
  await query(`SELECT set_config('enable_nestloop', 'off', true)`);
  for (const [kind, table] of Object.entries(tables)) {
    const { rows } = await query<{ externalId: string | null; domain: string }>(toStatement(table), [shopId]);
    const { externalId = null, domain = '' } = rows[0] ?? {};
    if (externalId === null) continue;
    throw new ImportError(
      `the ${kind} ${JSON.stringify(externalId)} has an ID that is already used in the shop ${JSON.stringify(domain)}; ` +
        'import without --keep-ids, or into another database',
    );
  }
  await query(`SELECT set_config('enable_nestloop', 'on', true)`);
  await query(lookUpRows);
}

const tables = { product: 'products', variant: 'variants', collection: 'collections', order: 'orders' };

/** A minimum rather than the first row found: for one row the planner would compare row by row. */
const toStatement = (table: string): string => `
  SELECT split_part(min(found.pair), E'\\n', 1) AS "externalId", split_part(min(found.pair), E'\\n', 2) AS domain
    FROM (SELECT own.external_id || E'\\n' || s.domain AS pair
            FROM ${table} AS own
            JOIN ${table} AS other ON other.id = own.id
            JOIN shops AS s ON s.shop_id = other.shop_id
           WHERE own.shop_id = $1 AND other.shop_id <> $1) AS found`;
