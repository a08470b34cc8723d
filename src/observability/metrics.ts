import cluster from 'node:cluster';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics, AggregatorRegistry } from 'prom-client';

/** Any other method is counted as `other`: methods that clients invent must not create series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'PATCH', 'DELETE']);

/** `http_request_duration_seconds`. Every request updates it, so its series are cached. */
function createRequestDurations(registry: Registry) {
  const histogram = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the last byte of the response, by operation, method and status.',
    labelNames: ['operation', 'method', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const series = new Map<string, ReturnType<typeof histogram.labels>>();
  return (operation: string, given: string, status: number, seconds: number): void => {
    const method = methods.has(given) ? given : 'other';
    const name = `${operation} ${method} ${status}`;
    let own = series.get(name);
    if (own === undefined) series.set(name, (own = histogram.labels(operation, method, String(status))));
    own.observe(seconds);
  };
}

/** State that is not counted but sampled whenever metrics are read. */
interface MeasuredState {
  readonly poolConnections?: () => { readonly total: number; readonly idle: number; readonly waiting: number };
  /** Whether each replica is in use; empty without replicas. */
  readonly replicasInUse?: () => readonly boolean[];
  readonly answerCacheBytes?: () => number;
  /** Whether every process limits on its own because the shared store does not respond (D20). */
  readonly isRateLimitStoreDegraded: () => boolean;
}

export type BucketKind = 'key' | 'ip' | 'token';
export type AnswerOutcome = 'hit' | 'miss' | 'not_modified';
/**
 * Outcome of a statement sent to a replica. `other_version`: the replica has the shop's rows in an older or newer
 * version than the primary reported; `failed`: no response, or not in time.
 */
const replicaOutcomes = ['answered', 'other_version', 'failed'] as const;
export type ReplicaOutcome = (typeof replicaOutcomes)[number];
/**
 * `stalled`: the client read too slowly. `evicted`: closed to make room for others. `dropped`: arrived when all
 * connections were in use.
 */
const connectionLosses = ['stalled', 'evicted', 'dropped'] as const;
export type ConnectionLoss = (typeof connectionLosses)[number];
/**
 * `cut_off`: the client disconnected, or did not read, or the process stopped. `refused`: another export of the shop,
 * or MAX_EXPORTS of others, were running. `failed`: the database or the service.
 */
const exportOutcomes = ['complete', 'cut_off', 'refused', 'failed'] as const;
export type ExportOutcome = (typeof exportOutcomes)[number];
/** `errors`: a response that reports errors; `failed`: no response. */
export type SubgraphOutcome = 'ok' | 'errors' | 'failed';

/**
 * Everything the service counts. Labels are words from fixed lists and names from the configuration: no ids, no
 * addresses, nothing that a client sends (D25), so the number of series is bounded.
 */
export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  if (cluster.isWorker) shareWithPrimary([registry, processMetrics()]);

  const counter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });

  const requestEnded = createRequestDurations(registry);

  const decisions = counter(
    'rate_limit_decisions_total',
    'Rate limit decisions, by bucket and outcome.',
    'bucket',
    'decision',
  );
  const decision = (bucket: BucketKind) => ({
    admitted: seriesOf(decisions, bucket, 'admitted'),
    refused: seriesOf(decisions, bucket, 'refused'),
  });
  const decided = { key: decision('key'), ip: decision('ip'), token: decision('token') };

  const losses = counter(
    'http_connections_lost_total',
    'Connections closed because the client read too slowly (stalled), closed to make room for others (evicted), or rejected because all were in use (dropped).',
    'reason',
  );
  for (const reason of connectionLosses) seriesOf(losses, reason);

  const answers = counter(
    'answer_cache_requests_total',
    'Responses of REST, /changes and MCP tools by source: cached (hit), computed (miss), unchanged at the client (not_modified).',
    'outcome',
  );
  const made = {
    hit: seriesOf(answers, 'hit'),
    miss: seriesOf(answers, 'miss'),
    not_modified: seriesOf(answers, 'not_modified'),
  };

  const statements = new Histogram({
    name: 'database_statement_duration_seconds',
    help: 'Time from requesting a connection to the last row.',
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });

  const replicaReads = counter(
    'database_replica_reads_total',
    'Statements sent to replicas, by index in DATABASE_REPLICA_URLS and outcome. All but `answered` were retried on the primary.',
    'replica',
    'outcome',
  );
  const costs = new Histogram({
    name: 'graphql_operation_cost',
    help: 'Cost of GraphQL operations within the limits.',
    buckets: [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 25_000],
    registers,
  });

  const exportsRunning = new Gauge({
    name: 'exports_running',
    help: 'Exports in progress, including those that wait to start or are being sent.',
    registers,
  });
  const exportsEnded = counter('exports_total', 'Finished exports, by outcome.', 'outcome');
  for (const outcome of exportOutcomes) seriesOf(exportsEnded, outcome);

  const usageFailures = counter(
    'key_usage_write_failures_total',
    'Failed writes of API key usage. The counts are included in the next write.',
  );

  const clientsWaiting = new Gauge({
    name: 'changes_clients_waiting',
    help: 'Clients waiting in GET /changes, including streams.',
    registers,
  });

  const subgraphRequests = counter(
    'subgraph_requests_total',
    'Requests to subgraphs, by name and outcome.',
    'subgraph',
    'outcome',
  );
  const subgraphHealth = new Gauge({
    name: 'subgraph_healthy',
    help: '1 if the subgraph responded to its last request; also 0 when polling its SDL starts to fail.',
    labelNames: ['subgraph'] as const,
    registers,
  });

  return {
    requestEnded,
    connectionLost: (reason: ConnectionLoss) => losses.inc({ reason }),
    rateLimitDecided: (bucket: BucketKind, admitted: boolean) =>
      decided[bucket][admitted ? 'admitted' : 'refused'].inc(),
    answerMade: (outcome: AnswerOutcome) => made[outcome].inc(),
    statementEnded: (seconds: number) => statements.observe(seconds),
    /** @param replica Its index in the configuration. */
    replicaQueried: (replica: number, outcome: ReplicaOutcome) => replicaReads.inc({ replica, outcome }),
    operationPriced: (cost: number) => costs.observe(cost),
    /** @returns a function to call once the export has ended */
    exportStarted() {
      exportsRunning.inc();
      return (outcome: ExportOutcome) => {
        exportsRunning.dec();
        exportsEnded.inc({ outcome });
      };
    },
    usageLost: () => usageFailures.inc(),
    changesAwaited() {
      clientsWaiting.inc();
      return () => clientsWaiting.dec();
    },
    subgraphAnswered(subgraph: string, outcome: SubgraphOutcome, isPoll = false) {
      if (!isPoll) subgraphRequests.inc({ subgraph, outcome });
      subgraphHealth.set({ subgraph }, outcome === 'failed' ? 0 : 1);
    },
    measure(state: MeasuredState) {
      state.replicasInUse?.().forEach((_, replica) => {
        for (const outcome of replicaOutcomes) seriesOf(replicaReads, String(replica), outcome);
      });
      createGauges(state, registers);
    },
    contentType: registry.contentType as string,
    /** In Prometheus's text format. */
    read: async () => `${await registry.metrics()}\n${await processMetrics().metrics()}`,
  };
}

/** Gauges whose values are computed whenever the metrics are read. */
function createGauges(
  { poolConnections, replicasInUse, answerCacheBytes, isRateLimitStoreDegraded }: MeasuredState,
  registers: Registry[],
): void {
  new Gauge({
    name: 'rate_limit_store_degraded',
    help: '1 while Redis is unavailable and each process enforces its own limit.',
    registers,
    collect() {
      this.set(isRateLimitStoreDegraded() ? 1 : 0);
    },
  });

  if (answerCacheBytes !== undefined) {
    new Gauge({
      name: 'answer_cache_bytes',
      help: 'Memory used by cached responses.',
      registers,
      collect() {
        this.set(answerCacheBytes());
      },
    });
  }

  if (poolConnections !== undefined) {
    new Gauge({
      name: 'database_pool_connections',
      help: 'PostgreSQL connections: total, idle, and statements waiting for one.',
      labelNames: ['state'] as const,
      registers,
      collect() {
        for (const [name, count] of Object.entries(poolConnections())) this.set({ state: name }, count);
      },
    });
  }

  if (replicasInUse !== undefined) {
    new Gauge({
      name: 'database_replica_in_use',
      help: '1 while the replica is in use.',
      labelNames: ['replica'] as const,
      registers,
      collect() {
        replicasInUse().forEach((inUse, replica) => this.set({ replica }, inUse ? 1 : 0));
      },
    });
  }
}

/** A series that starts at 0: a rate needs two values, and the first event must not be the first value. */
function seriesOf<Label extends string>(counter: Counter<Label>, ...labels: string[]) {
  const series = counter.labels(...labels);
  series.inc(0);
  return series;
}

let registry: Registry | undefined;

/**
 * prom-client's metrics of the process itself: CPU, memory, event-loop lag, garbage collection. Registered once per
 * process, however many applications run in it, because its observers cannot be removed.
 */
function processMetrics(): Registry {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  return registry;
}

/** In a worker: sends its metrics to the primary on request. */
function shareWithPrimary(registries: readonly Registry[]): void {
  // A sum over the workers would fall when one is replaced, which Prometheus takes for a restart of them all.
  for (const each of registries) each.setDefaultLabels({ worker: cluster.worker?.id });
  AggregatorRegistry.setRegistries([...registries]);
  new AggregatorRegistry();
}

/**
 * In the primary: the metrics of all workers, each with its label `worker`. Workers share a port, so each scrape of
 * that port would reach a different worker, and counters would go up and down.
 */
export function createClusterMetrics(): { readonly contentType: string; readonly read: () => Promise<string> } {
  const registry = new AggregatorRegistry();
  return { contentType: registry.contentType, read: () => registry.clusterMetrics() };
}
