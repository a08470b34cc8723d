/** What the service says about itself to who runs it. */
export interface HealthReport {
  readonly ready: boolean;
  /** By name: database, migrations, … */
  readonly checks: Readonly<Record<string, unknown>>;
}

export interface DatabaseHealth {
  readonly reachable: boolean;
  /** Whether every migration of this build is there; null while nobody can tell. */
  readonly migrated: boolean | null;
}

interface ReadinessOptions {
  readonly probeDatabase: () => Promise<DatabaseHealth>;
  /** Left out without Redis. */
  readonly isRateLimitStoreDegraded?: (() => boolean) | undefined;
  readonly isDraining: () => boolean;
  readonly timeoutMilliseconds?: number;
}

const unreachable: DatabaseHealth = { reachable: false, migrated: null };

/**
 * Whether requests should be sent here. One probe of the database at a time serves everybody who asks meanwhile, and nobody waits
 * longer than a second for it: however many ask while the database hangs, one statement hangs. Without Redis everything works
 * (D20), so that is told and decides nothing.
 */
export function createReadiness(options: ReadinessOptions): () => Promise<HealthReport> {
  const { probeDatabase, isRateLimitStoreDegraded, isDraining, timeoutMilliseconds = 1000 } = options;
  let answer: Promise<DatabaseHealth> | undefined;

  /** Asks, and forgets the answer with the end of the probe; one that is overdue stands as its answer until then. */
  const ask = (): Promise<DatabaseHealth> => {
    const probe = probeDatabase()
      .catch(() => unreachable)
      .finally(() => (answer = undefined));
    return orAfter(probe, timeoutMilliseconds, unreachable);
  };

  return async () => {
    const { reachable, migrated } = await (answer ??= ask());
    const draining = isDraining();
    const redis = isRateLimitStoreDegraded && { redis: isRateLimitStoreDegraded() ? 'degraded' : 'shared' };
    return {
      ready: reachable && migrated === true && !draining,
      checks: { database: reachable, migrations: migrated, ...redis, draining },
    };
  };
}

/** What the work results in, or the substitute when that takes too long. */
async function orAfter<Result>(work: Promise<Result>, milliseconds: number, substitute: Result): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<Result>((resolve) => {
    timer = setTimeout(() => resolve(substitute), milliseconds);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
