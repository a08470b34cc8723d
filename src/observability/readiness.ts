import { answerWithin } from '../common/timer';

/** Health of the service, as reported to its operators. */
export interface HealthReport {
  readonly ready: boolean;
  /** By name: database, migrations, … */
  readonly checks: Readonly<Record<string, unknown>>;
}

export interface DatabaseHealth {
  readonly reachable: boolean;
  /** Whether every migration of this build has been applied; null while this is unknown. */
  readonly migrated: boolean | null;
}

interface ReadinessOptions {
  readonly probeDatabase: () => Promise<DatabaseHealth>;
  /** Omitted without Redis. */
  readonly isRateLimitStoreDegraded?: (() => boolean) | undefined;
  readonly isDraining: () => boolean;
  readonly timeoutMilliseconds?: number;
}

const unreachable: DatabaseHealth = { reachable: false, migrated: null };

/**
 * Reports whether the service should receive requests. Concurrent callers share one probe of the database, and none
 * waits longer than a second for it, so a database that hangs has at most one probe hanging. Everything works without
 * Redis (D20), so its state is reported but does not affect readiness.
 */
export function createReadiness(options: ReadinessOptions): () => Promise<HealthReport> {
  const { probeDatabase, isRateLimitStoreDegraded, isDraining, timeoutMilliseconds = 1000 } = options;
  let answer: Promise<DatabaseHealth> | undefined;

  /** Probes the database. Its result is shared until the probe ends; an overdue probe counts as unreachable. */
  const probeOnce = (): Promise<DatabaseHealth> => {
    const probe = probeDatabase()
      .catch(() => unreachable)
      .finally(() => (answer = undefined));
    return answerWithin(probe, timeoutMilliseconds).catch(() => unreachable);
  };

  return async () => {
    const { reachable, migrated } = await (answer ??= probeOnce());
    const draining = isDraining();
    const redis = isRateLimitStoreDegraded && { redis: isRateLimitStoreDegraded() ? 'degraded' : 'shared' };
    return {
      ready: reachable && migrated === true && !draining,
      checks: { database: reachable, migrations: migrated, ...redis, draining },
    };
  };
}
