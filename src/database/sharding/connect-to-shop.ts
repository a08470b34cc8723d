import type { Client, ClientConfig } from 'pg';
import { connectToPrimary } from '../host-choice';
import { DatabaseUnavailableError } from '../database-failure';
import type { GroupPlacement } from './shard-groups';
import { isDistributed, readGroups, toNodeUrl } from './shard-groups';

/** A connection to whole shops: to the database, or to a group of shards on one of its nodes. */
export interface ShopConnection {
  readonly client: Client;
  /** The server of the connection. */
  readonly url: string;
  readonly end: () => Promise<void>;
}

interface ShopConnectionOptions extends Omit<ClientConfig, 'connectionString'> {
  readonly isWriting?: boolean;
}

/** Which shop, by its id or its domain. */
type ShopName = { readonly shopId: string } | { readonly domain: string };

/**
 * Connects to the server that has the rows of a shop, with a search path under which statements for plain PostgreSQL
 * work. For work that Citus cannot distribute: temporary tables, COPY of queries, snapshots, locks. Without distributed
 * tables, that server is the primary.
 *
 * With `isWriting`, the group cannot move to another node until `end`. Without it, a move during the connection leaves
 * the rows as they were for as long as a transaction reads them.
 * @throws MovedShardsError for a group that has moved and has no copies yet; the driver's errors
 */
export const connectToShop = (url: string, shop: ShopName, options: ShopConnectionOptions): Promise<ShopConnection> =>
  connect(url, options, async (client) => {
    if ('shopId' in shop) return readGroups(client, shop.shopId);
    const { rows } = await client.query<{ id: string }>('SELECT shop_id AS id FROM shops WHERE domain = $1', [
      shop.domain,
    ]);
    // A shop that does not exist may be looked up in any group.
    return readGroups(client, rows[0]?.id);
  });

/** Connects to the database, or to each group of shards sequentially. */
export async function* connectToAllShops(
  url: string,
  options: ShopConnectionOptions,
): AsyncGenerator<ShopConnection, void, void> {
  const client = await connectToPrimary(url, options);
  const groups = (await isDistributed(client)) ? await readGroups(client) : [undefined];
  await endOf(client);
  for (const each of groups) {
    const connection = await connect(url, options, async (coordinator) =>
      (await readGroups(coordinator)).filter(({ schema }) => schema === each?.schema),
    );
    try {
      yield connection;
    } finally {
      await connection.end();
    }
  }
}

/** @param read returns groups; the connection is to the first one */
async function connect(
  url: string,
  { isWriting = false, ...options }: ShopConnectionOptions,
  read: (client: Client) => Promise<GroupPlacement[]>,
): Promise<ShopConnection> {
  const client = await connectToPrimary(url, options);
  try {
    if (!(await isDistributed(client))) return { client, url, end: () => endOf(client) };
    for (;;) {
      const [group] = (await read(client)) as [GroupPlacement];
      if (isWriting) {
        // Holds until this connection ends.
        await client.query('BEGIN');
        await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
        await client.query('SELECT catalog_hold_shard($1)', [group.shards['shops']]);
      }
      const own = await connectToGroup(url, group, options);
      const end = (): Promise<void> => Promise.all([own.client, client].map(endOf)).then(() => undefined);
      if ((await read(client))[0]?.node === group.node) return { ...own, end };
      await endOf(own.client); // it moved meanwhile
    }
  } catch (error) {
    await endOf(client);
    throw error;
  }
}

async function connectToGroup(
  url: string,
  { node, schema }: GroupPlacement,
  options: ShopConnectionOptions,
): Promise<Omit<ShopConnection, 'end'>> {
  const nodeUrl = toNodeUrl(url, node);
  const client = await connectToPrimary(nodeUrl, options);
  try {
    // Does not check the schema: a group that moved away and back still has it, but lost the views with the shards.
    const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
      `${schema}.shops`,
    ]);
    if (rows[0]?.exists !== true)
      throw new MovedShardsError(
        `${node} has the shards of ${schema} but not their functions and triggers. Writes to their shops fail. ` +
          'Run `catalog distribute --refresh` as the owner of the tables.',
      );
    await client.query(`SET search_path = ${schema}, public`);
    return { client, url: nodeUrl };
  } catch (error) {
    await endOf(client);
    throw error;
  }
}

/** Shards that moved and have no functions, triggers and views yet. */
class MovedShardsError extends DatabaseUnavailableError {
  override readonly name = 'MovedShardsError';
}

const endOf = (client: Client): Promise<void> => client.end().catch(() => undefined);
