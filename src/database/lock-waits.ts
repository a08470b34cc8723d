import type { Client } from 'pg';
import { connectToPrimary } from './connect-to-primary';
import { isLockTimeout } from './database-failure';

/**
 * How long administration waits for one lock: an import of a large shop, which locks the shop against other writers,
 * takes minutes.
 */
export const longestLockWaitMilliseconds = 5 * 60_000;

/** Reports which locks connections wait for, until it is closed. */
export interface LockWaits {
  /**
   * The start of a sentence about a lock that was not granted in time, with the sessions that held it, and what to do:
   * `waited too long for a lock that pid … holds. …`; undefined for any other error.
   */
  readonly explain: (thrown: unknown) => Promise<string | undefined>;
  close(): Promise<void>;
}

interface LockWaitsOptions {
  readonly url: string;
  /** The server processes of the connections that may wait. */
  readonly pids: () => readonly number[];
  readonly log: (line: string) => void;
}

const intervalMilliseconds = 1_000;

/** A wait is logged on the first check and then once per this many checks. */
const checksPerLine = 10;

/**
 * Checks every second, over a dedicated connection, whether others wait for a lock, and logs which session holds it:
 * otherwise a statement that waits looks like one that works. Failures of the check are not reported: nothing depends
 * on it.
 */
export function watchLockWaits({ url, pids, log }: LockWaitsOptions): LockWaits {
  let client: Client | undefined;
  let lastBlockers: string | undefined;
  let checks = 0;
  let checking = Promise.resolve();

  const check = async (): Promise<void> => {
    client ??= await connectToPrimary(url, { connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
    const { rows } = await client.query<Blocker>(blockersStatement, [pids()]);
    if (rows.length === 0) {
      checks = 0;
      return;
    }
    lastBlockers = rows.map(describe).join(' and ');
    if (checks % checksPerLine === 0) log(`waiting for a lock that ${lastBlockers} holds`);
    checks += 1;
  };
  const timer = setInterval(() => {
    checking = checking.then(check).catch(() => undefined);
  }, intervalMilliseconds);

  return {
    explain: async (thrown) => {
      if (!isLockTimeout(thrown)) return undefined;
      // A check that has begun may have seen the wait.
      await checking;
      return (
        `waited too long for a lock that ${lastBlockers ?? 'another session'} holds. Nothing was changed by it. ` +
        'Let that session finish, or end it with pg_terminate_backend(pid)'
      );
    },
    close: async () => {
      clearInterval(timer);
      await checking;
      await client?.end().catch(() => undefined);
    },
  };
}

/** The server process of a connection; pg has it, and pg's types do not. */
export const serverProcessOf = (client: object): number => (client as { readonly processID: number }).processID;

interface Blocker {
  readonly pid: number;
  readonly application_name: string | null;
  readonly usename: string | null;
  /** Null where this login may not see it: state and times of other logins' sessions are hidden. */
  readonly state: string | null;
  readonly seconds: number | null;
  /** For how long it has been waited for, which every login may see. */
  readonly waited: number | null;
}

const blockersStatement = `
  SELECT a.pid, a.application_name, a.usename, a.state,
         extract(epoch FROM clock_timestamp() - a.xact_start)::integer AS seconds,
         (SELECT extract(epoch FROM clock_timestamp() - min(l.waitstart))::integer
            FROM pg_locks AS l WHERE l.pid = ANY ($1::integer[]) AND NOT l.granted) AS waited
    FROM (SELECT DISTINCT unnest(pg_blocking_pids(pid)) AS pid FROM unnest($1::integer[]) AS waiting (pid)) AS blocking
    JOIN pg_stat_activity AS a ON a.pid = blocking.pid
   ORDER BY a.xact_start NULLS LAST, a.pid`;

const describe = ({ pid, application_name: application, usename, state, seconds, waited }: Blocker): string =>
  [
    `pid ${pid} (application_name ${JSON.stringify(application ?? '')}, user ${JSON.stringify(usename ?? '')}`,
    ...(state === null ? [] : [`, ${state}`]),
    ...(seconds === null ? [] : [`, its transaction is ${seconds} s old`]),
    ...(seconds !== null || waited === null ? [] : [`, for at least ${waited} s`]),
    ')',
  ].join('');
