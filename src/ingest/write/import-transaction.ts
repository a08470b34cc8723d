import { finished } from 'node:stream/promises';
import { DatabaseError } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { connectToShop } from '../../database/sharding/connect-to-shop';
import { longestLockWaitMilliseconds, watchLockWaits } from '../../database/lock-waits';
import { ImportError } from '../values/import-error';

/** Runs one statement of the import's transaction. Rejects once the transaction has ended. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<{ rows: Row[]; rowCount: number }>;

/** Appends lines of COPY's text format to all columns of a table. */
export type CopyIn = (table: string, lines: Buffer) => Promise<void>;

interface TransactionOptions {
  readonly url: string;
  /** The shop's domain. */
  readonly domain: string;
  /** Rolls everything back at the end. */
  readonly dryRun: boolean;
  /** Called right before COMMIT: from then on, the data may have been written. */
  readonly onCommit?: (() => void) | undefined;
  /** Called with a line for people while another session holds a lock that the import needs. */
  readonly onWait?: ((line: string) => void) | undefined;
  /** The longest wait for one lock. */
  readonly lockTimeoutMilliseconds?: number | undefined;
}

/** The application name that other connections see. */
export const importApplicationName = 'catalog import';

/** Applies settings in one statement, so that it takes one round trip and no transaction control. */
const setLocal = (settings: readonly string[], value: 'on' | 'off'): string =>
  `SELECT ${settings.map((name) => `set_config('${name}', '${value}', true)`).join(', ')}`;

const ownSettings = ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'];

/**
 * For the statements of a batch: each object is looked up through the index that has its order (see lookups). Also
 * keeps triggers from caching plans for small tables, which are large one batch later.
 */
export const lookUpRows = setLocal(ownSettings, 'off');

/** For statements that compare whole tables, once. */
export const compareTables = setLocal(ownSettings, 'on');

/** Longer than any batch takes, but bounded. */
const statementTimeoutMilliseconds = 15 * 60_000;

/**
 * Runs the import as one transaction: readers see all of it or nothing. It uses a dedicated connection, because the
 * pool of the Prisma client is made for requests: its timeouts end a statement after seconds (removing 100,000 products
 * takes longer), and it names statements, so that the plan made for an empty table would be kept while the import fills
 * it.
 */
export async function inImportTransaction<Result>(
  {
    url,
    domain,
    dryRun,
    onCommit,
    onWait = () => undefined,
    lockTimeoutMilliseconds = longestLockWaitMilliseconds,
  }: TransactionOptions,
  run: (query: Query, copyIn: CopyIn) => Promise<Result>,
): Promise<Result> {
  const location = await connectToShop(
    url,
    { domain },
    {
      isWriting: true,
      connectionTimeoutMillis: 10_000,
      statement_timeout: statementTimeoutMilliseconds,
      lock_timeout: lockTimeoutMilliseconds,
      application_name: importApplicationName,
    },
  );
  const { client } = location;
  const waits = watchLockWaits({ url: location.url, pids: () => [client.processID], log: onWait });
  let isOver = false;
  // A batch may still be in the middle of its statements when the file turns out to be wrong. The next one would be
  // sent after ROLLBACK, and so be a transaction of its own.
  const requireTransaction = (): void => {
    if (isOver) throw new Error('The import transaction has already ended.');
  };
  try {
    await client.query('BEGIN');
    // JIT compilation costs more than it gains on statements of this size.
    await client.query(
      `SET LOCAL jit = off; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL TimeZone = 'UTC'`,
    );
    await client.query(lookUpRows);
    const query = async <Row>(text: string, values: readonly unknown[] = []) => {
      requireTransaction();
      const { rows, rowCount } = await client.query({ text, values: [...values] });
      return { rows: rows as Row[], rowCount: rowCount ?? 0 };
    };
    const copyIn = async (table: string, lines: Buffer) => {
      requireTransaction();
      const stream = client.query(copyFrom(`COPY ${table} FROM STDIN`));
      stream.end(lines);
      await finished(stream);
    };
    const result = await run(query, copyIn).finally(() => (isOver = true));
    if (!dryRun) onCommit?.();
    await client.query(dryRun ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw toImportError(error, await waits.explain(error));
  } finally {
    await waits.close();
    await location.end();
  }
}

function toImportError(error: unknown, lockWait: string | undefined): unknown {
  if (lockWait !== undefined) {
    return new ImportError(`The import ${lockWait}, and run the import again.`, { cause: error });
  }
  if (!(error instanceof DatabaseError)) return error;
  if (error.code === '40P01' || error.code === '40001') {
    return new ImportError('conflict: another session updated the same objects; run the import again', {
      cause: error,
    });
  }
  return error;
}
