import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { to as copyTo } from 'pg-copy-streams';
import type { Client } from 'pg';
import { sendCancelRequest } from './bounded-pool';
import { once } from '../common/once';
import { connectToShop } from './sharding/connect-to-shop';
import { sessionSettings } from '../config/connection-target';
import type { Sql } from './sql';
import { rawSql } from './sql';

/** One repeatable-read snapshot of the rows of a shop, on a connection of its own. */
interface SnapshotStream {
  /** The first column of the first row, as text. */
  readValue(statement: Sql): Promise<string | null>;
  /**
   * The rows of a statement without parameters as PostgreSQL's COPY writes them: a row per line, `columnSeparator`
   * between columns. No value may contain a control character; JSON contains none. The server waits until the bytes are
   * read.
   */
  copyOut(statement: Sql): AsyncIterable<Buffer>;
}

/** Separates the columns of `copyOut`. */
export const columnSeparator = 0x02;

interface SnapshotOptions {
  readonly url: string;
  readonly shopId: string;
  /** The application_name in pg_stat_activity, behind a pooler too. */
  readonly applicationName: string;
  readonly connectionTimeoutMilliseconds: number;
  /** Maximum duration of the whole snapshot, and so the longest time that VACUUM keeps old rows for it. */
  readonly timeoutMilliseconds: number;
  /** The tables that are read; they are locked against TRUNCATE, which would empty them for this snapshot too. */
  readonly tables: readonly string[];
  /** Ends the running statement in PostgreSQL, and the connection. */
  readonly signal: AbortSignal;
}

/**
 * Streams from one snapshot. Uses a separate connection, because the pool is for statements of milliseconds: a stream
 * would occupy one of its few connections for as long as the client reads. One transaction, so that a pooler in
 * transaction mode keeps the connection for it.
 * @throws the reason of the signal; errors of the driver
 */
export async function* streamSnapshot(
  { url, shopId, applicationName, connectionTimeoutMilliseconds, timeoutMilliseconds, tables, signal }: SnapshotOptions,
  stream: (snapshot: SnapshotStream) => AsyncGenerator<Buffer, void, void>,
): AsyncGenerator<Buffer, void, void> {
  signal.throwIfAborted();
  const options = { connectionTimeoutMillis: connectionTimeoutMilliseconds };
  const { client, end: endConnection } = await connectToShop(url, { shopId }, options);
  // The server ends a COPY that it can no longer write; the cancel request ends a statement that has not written yet.
  const end = (): void => {
    sendCancelRequest(client);
    client.connection.stream.destroy();
  };
  const timeout = setTimeout(end, timeoutMilliseconds);
  signal.addEventListener('abort', end);
  let isDone = false;
  try {
    signal.throwIfAborted();
    // The snapshot is taken by the first statement after these.
    await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${toSettings(applicationName, timeoutMilliseconds)};
       LOCK TABLE ${tables.join(', ')} IN ACCESS SHARE MODE`,
    );
    yield* stream({
      async readValue(statement) {
        const { rows } = await client.query<unknown[]>({
          text: statement.text,
          values: statement.values,
          rowMode: 'array',
        });
        return (rows[0]?.[0] as string | null | undefined) ?? null;
      },
      copyOut: (statement) => copyOut(client, statement),
    });
    await client.query('COMMIT');
    isDone = true;
  } catch (error) {
    throw signal.aborted ? (signal.reason as Error) : error;
  } finally {
    clearTimeout(timeout);
    signal.removeEventListener('abort', end);
    if (!isDone) end();
    await endConnection();
  }
}

/** Each chunk takes a turn of the event loop: smaller ones cost 50 % more CPU time. */
const chunkBytes = 256 * 1024;
/** Bytes between two collections: they are copied five times, and V8 begins to mark its heap at about 16 MB. */
const collectionBytes = 1.5 * 1024 * 1024;
/** Of all streams, because they share the heap. */
let uncollectedBytes = 0;

/**
 * V8 counts buffers towards the limit of the old generation. It would reach that limit several times a second, and mark
 * the whole heap each time, which delays all requests by up to 30 ms. They die young, but V8 collects the young
 * generation only when objects have filled it, which takes longer here.
 */
const exposeCollection = once((): NodeJS.GCFunction => {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as NodeJS.GCFunction;
});

async function* copyOut(client: Client, statement: Sql): AsyncGenerator<Buffer, void, void> {
  if (statement.values.length > 0) throw new Error('COPY takes no parameters.');
  const collect = exposeCollection();
  // Only values with line breaks or one of these two characters would be quoted, and JSON contains none of these.
  const chunks = client.query(
    copyTo(`COPY (${statement.text}) TO STDOUT (FORMAT csv, DELIMITER E'\\x02', QUOTE E'\\x01')`, {
      highWaterMark: chunkBytes,
    }),
  ) as AsyncIterable<Buffer>;
  for await (const chunk of chunks) {
    uncollectedBytes += chunk.length;
    if (uncollectedBytes > collectionBytes) {
      collect({ type: 'minor' });
      uncollectedBytes = 0;
    }
    yield chunk;
  }
}

/** The settings of requests, except for time limits: the duration of COPY depends on how fast the client reads. */
const toSettings = (applicationName: string, timeoutMilliseconds: number): string =>
  Object.entries({
    ...sessionSettings,
    application_name: applicationName,
    statement_timeout: String(timeoutMilliseconds),
    idle_in_transaction_session_timeout: String(timeoutMilliseconds),
  })
    .map(([name, value]) => `SET LOCAL ${name} = '${value}'`)
    .join('; ');

/** An id as a literal, for statements that take no parameters. @throws for anything but a UUID in lower case */
export function toUuidLiteral(id: string): Sql {
  if (!/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw new Error('Expected a UUID.');
  return rawSql(`'${id}'::uuid`);
}
