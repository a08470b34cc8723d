import type { Client } from 'pg';
import { connectToPrimary } from './host-choice';
import { isLockTimeout } from './database-failure';

/**
 * How long administration waits for one lock: an import of a large shop, which locks the shop against other writers,
 * takes minutes.
 */
export const longestLockWaitMilliseconds = 5 * 60_000;

interface LockWaitsOptions {
  readonly url: string;
  /** The server processes of the connections that may wait. */
  readonly pids: () => readonly number[];
  readonly log: (line: string) => void;
}

const intervalMilliseconds = 1_000;

/**
 * Checks every second, over a dedicated connection, whether others wait for a lock, and logs which session holds it:
 * otherwise a statement that waits looks like one that works. Failures of the check are not reported: nothing depends
 * on it.
 */
export function watchLockWaits({ url, pids, log }: LockWaitsOptions) {
  let client: Client | undefined;
  let lastBlockers: string | undefined;
  let isWaiting = false;
  let checking = Promise.resolve();

  const connect = async (): Promise<Client> =>
    (client ??= await connectToPrimary(url, { connectionTimeoutMillis: 3_000, query_timeout: 3_000 }));
  const check = async (): Promise<void> => {
    const { rows } = await (await connect()).query<{ who: string }>(blockersStatement, [pids()]);
    const wasWaiting = isWaiting;
    isWaiting = rows.length > 0;
    if (!isWaiting) return;
    lastBlockers = rows.map(({ who }) => who).join(' and ');
    if (!wasWaiting) log(`waiting for a lock held by ${lastBlockers}`);
  };
  const timer = setInterval(() => {
    checking = checking.then(check).catch(() => undefined);
  }, intervalMilliseconds);

  return {
    /**
     * Describes a lock that was not granted in time, for a message that begins with a subject such as `The check`:
     * `timed out waiting for a lock held by pid …. The transaction was rolled back. …`; undefined for any other error.
     */
    explain: async (thrown: unknown) => {
      if (!isLockTimeout(thrown)) return undefined;
      // A check that has begun may have seen the wait.
      await checking;
      return (
        `timed out waiting for a lock held by ${lastBlockers ?? 'another session'}. The transaction was rolled back. ` +
        'Wait until the lock is released, or end each session that holds it with pg_terminate_backend(pid)'
      );
    },
    /** Ends the statements: one that waits for a lock would take effect after its process has ended. */
    cancel: async () => {
      await checking;
      await (
        await connect()
      ).query('SELECT pg_cancel_backend(pid) FROM unnest($1::integer[]) AS given (pid)', [pids()]);
    },
    close: async () => {
      clearInterval(timer);
      await checking;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Reports which locks connections wait for, until it is closed. */
export type LockWaits = ReturnType<typeof watchLockWaits>;

/**
 * State and times of other logins' sessions are null where this login may not see them. Every login may see how long
 * others have waited for a session.
 */
const blockersStatement = `
  SELECT format('pid %s (application_name %s, user %s%s)', a.pid, to_json(coalesce(a.application_name, '')), to_json(coalesce(a.usename, '')),
           concat(', ' || a.state, coalesce(', its transaction is ' || extract(epoch FROM clock_timestamp() - a.xact_start)::integer || ' s old',
             ', for at least ' || (SELECT extract(epoch FROM clock_timestamp() - min(l.waitstart))::integer
                                     FROM pg_locks AS l WHERE l.pid = ANY ($1::integer[]) AND NOT l.granted) || ' s'))) AS who
    FROM (SELECT DISTINCT unnest(pg_blocking_pids(pid)) AS pid FROM unnest($1::integer[]) AS waiting (pid)) AS blocking
    JOIN pg_stat_activity AS a ON a.pid = blocking.pid
   ORDER BY a.xact_start NULLS LAST, a.pid`;
