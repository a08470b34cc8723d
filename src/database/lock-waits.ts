import type { Client } from 'pg';
import { connectToPrimary } from './connect-to-primary';

/** Reports which lock a connection waits for, as long as it is open. */
export interface LockWaits {
  /** Describes the last sessions that it waited for; undefined when it never waited as long as one interval. */
  readonly lastBlockers: () => string | undefined;
  close(): Promise<void>;
}

interface LockWaitsOptions {
  readonly url: string;
  /** The server process of the connection that may wait. */
  readonly pid: number;
  readonly log: (line: string) => void;
  /** The pause between two checks. */
  readonly intervalMilliseconds: number;
  /** A wait is logged on the first check and then once per this many checks. */
  readonly looksPerLine: number;
}

/**
 * Checks, over a dedicated connection, whether another one waits for a lock, and logs which session holds it. Failures
 * of the check are not reported: nothing depends on it.
 */
export function watchLockWaits({ url, pid, log, intervalMilliseconds, looksPerLine }: LockWaitsOptions): LockWaits {
  let client: Client | undefined;
  let lastBlockers: string | undefined;
  let looks = 0;
  let looking = Promise.resolve();

  const look = async (): Promise<void> => {
    client ??= await connectToPrimary(url, { connectionTimeoutMillis: 3_000, query_timeout: 3_000 });
    const { rows } = await client.query<Blocker>(blockersStatement, [pid]);
    if (rows.length === 0) {
      looks = 0;
      return;
    }
    lastBlockers = rows.map(describe).join(' and ');
    if (looks % looksPerLine === 0) log(`waiting for a lock that ${lastBlockers} holds`);
    looks += 1;
  };
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined);
  }, intervalMilliseconds);

  return {
    lastBlockers: () => lastBlockers,
    close: async () => {
      clearInterval(timer);
      await looking;
      await client?.end().catch(() => undefined);
    },
  };
}

interface Blocker {
  readonly pid: number;
  readonly application_name: string | null;
  readonly usename: string | null;
  /** Null where this login may not see it: state and times of other logins' sessions are hidden. */
  readonly state: string | null;
  readonly seconds: number | null;
}

const blockersStatement = `
  SELECT a.pid, a.application_name, a.usename, a.state,
         extract(epoch FROM clock_timestamp() - a.xact_start)::integer AS seconds
    FROM unnest(pg_blocking_pids($1)) AS blocking (pid) JOIN pg_stat_activity AS a ON a.pid = blocking.pid
   ORDER BY a.xact_start NULLS LAST, a.pid`;

const describe = ({ pid, application_name: application, usename, state, seconds }: Blocker): string =>
  [
    `pid ${pid} (application_name ${JSON.stringify(application ?? '')}, user ${JSON.stringify(usename ?? '')}`,
    ...(state === null ? [] : [`, ${state}`]),
    ...(seconds === null ? [] : [`, its transaction is ${seconds} s old`]),
    ')',
  ].join('');
