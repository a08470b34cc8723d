import type { Client, ClientConfig } from 'pg';
import { connectToPrimary } from '../connect-to-primary';
import { DatabaseUnavailableError } from '../database-failure';
import type { GroupPlacement } from './shard-groups';
import { isDistributed, readGroups, toNodeUrl } from './shard-groups';

/** A connection to whole shops: to the database, or to a group of shards on one node of it. */
export interface ShopConnection {
  readonly client: Client;
  /** The server of the connection. */
  readonly url: string;
  readonly end: () => Promise<void>;
}

type OptionsOfClient = Omit<ClientConfig, 'connectionString'>;

interface ShopConnectionOptions extends OptionsOfClient {
  readonly isWriting?: boolean;
}

/** Which shop, by its id or its domain. */
export type ShopName = { readonly shopId: string } | { readonly domain: string };

/**
 * Connects to where the rows of a shop are, with names that lead to them: the statements are those for plain
 * PostgreSQL. For work that Citus does not divide: temporary tables, COPY of queries, snapshots, locks. Where tables
 * are not divided, that is the primary.
 *
 * With `isWriting`, the group cannot move to another node until `end`. Without it, a move during the connection leaves
 * the rows as they were for as long as a transaction reads them.
 * @throws MovedShardsError for a group that has moved and has no copies yet; the driver's errors
 */
export async function connectToShop(
  url: string,
  shop: ShopName,
  options: ShopConnectionOptions,
): Promise<ShopConnection> {
  const { isWriting = false, ...clientOptions } = options;
  const client = await connectToPrimary(url, clientOptions);
  try {
    if (!(await isDistributed(client))) return { client, url, end: () => endOf(client) };
    // A shop that does not exist is missing in every group.
    const shopId = 'shopId' in shop ? shop.shopId : await findShopId(client, shop.domain);
    for (;;) {
      const [group] = await readGroups(client, shopId);
      if (isWriting) await holdGroup(client, group as GroupPlacement);
      const connection = await connectToGroup(url, group as GroupPlacement, clientOptions);
      const [found] = await readGroups(client, shopId);
      if (found?.node === group?.node) {
        return { ...connection, end: () => Promise.all([connection.end(), endOf(client)]).then(() => undefined) };
      }
      await connection.end();
    }
  } catch (error) {
    await endOf(client);
    throw error;
  }
}

/** Connects to the database, or to each group of shards sequentially. */
export async function* connectToAllShops(
  url: string,
  options: ShopConnectionOptions,
): AsyncGenerator<ShopConnection, void, void> {
  const { isWriting = false, ...clientOptions } = options;
  const client = await connectToPrimary(url, clientOptions);
  try {
    if (!(await isDistributed(client))) return yield { client, url, end: () => endOf(client) };
    for (const { schema } of await readGroups(client)) {
      const [group] = (await readGroups(client)).filter((each) => each.schema === schema);
      if (isWriting) await holdGroup(client, group as GroupPlacement);
      const connection = await connectToGroup(url, group as GroupPlacement, clientOptions);
      try {
        yield connection;
      } finally {
        await connection.end();
        if (isWriting) await client.query('COMMIT');
      }
    }
  } finally {
    await endOf(client);
  }
}

/** Until the transaction ends. */
async function holdGroup(client: Client, { shards }: GroupPlacement): Promise<void> {
  await client.query('BEGIN');
  await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
  await client.query('SELECT catalog_hold_shard($1)', [shards['shops']]);
}

async function connectToGroup(url: string, group: GroupPlacement, options: OptionsOfClient): Promise<ShopConnection> {
  const nodeUrl = toNodeUrl(url, group.node);
  const client = await connectToPrimary(nodeUrl, options);
  try {
    // Not the schema: of a group that moved away and back it is there, without its views, which went with the shards.
    const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
      `${group.schema}.shops`,
    ]);
    if (rows[0]?.exists !== true) throw withoutCopies(group);
    await client.query(`SET search_path = ${group.schema}, public`);
    return { client, url: nodeUrl, end: () => endOf(client) };
  } catch (error) {
    await endOf(client);
    throw error;
  }
}

/** Shards that moved and have no functions, triggers and views yet. */
class MovedShardsError extends DatabaseUnavailableError {
  override readonly name = 'MovedShardsError';
}

const withoutCopies = ({ node, schema }: GroupPlacement): MovedShardsError =>
  new MovedShardsError(
    `${node} has the shards of ${schema}, but not their functions and triggers; writes to their shops are refused. ` +
      'Run `catalog distribute --refresh` as the owner of the tables.',
  );

async function findShopId(client: Client, domain: string): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT shop_id AS id FROM shops WHERE domain = $1', [domain]);
  return rows[0]?.id;
}

const endOf = (client: Client): Promise<void> => client.end().catch(() => undefined);
