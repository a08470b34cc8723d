import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const directory = join(__dirname, '../../docs/deploy/monitoring');

/** What /metrics shows, with the labels that may stand in an expression. */
const metrics: Readonly<Record<string, readonly string[]>> = {
  http_request_duration_seconds: ['operation', 'method', 'status'],
  rate_limit_decisions_total: ['bucket', 'decision'],
  rate_limit_store_degraded: [],
  answer_cache_requests_total: ['outcome'],
  answer_cache_bytes: [],
  database_pool_connections: ['state'],
  database_statement_duration_seconds: [],
  graphql_operation_cost: [],
  subgraph_requests_total: ['subgraph', 'outcome'],
  subgraph_healthy: ['subgraph'],
  // prom-client's own
  nodejs_eventloop_lag_seconds: [],
  nodejs_eventloop_lag_p99_seconds: [],
  process_cpu_seconds_total: [],
  process_resident_memory_bytes: [],
  // Prometheus's own
  up: [],
};

const everyLabel = new Set(['le', 'job', 'instance', ...Object.values(metrics).flat()]);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const dashboard = JSON.parse(readFileSync(join(directory, 'grafana/dashboards/catalog.json'), 'utf8')) as {
  readonly panels: readonly Panel[];
};

const alerts = parse(readFileSync(join(directory, 'alerts.yml'), 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
};

const expressions = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
];

const words = new Set(['sum', 'min', 'max', 'count', 'rate', 'by', 'histogram_quantile']);

describe('dashboard and alerts', () => {
  it.each(expressions)('%s asks for metrics and labels that exist: %s', (_title, expression) => {
    const bare = expression.replaceAll(/"[^"]*"|\[[^\]]*\]/g, '');
    const names = (bare.match(/[a-z_][a-z0-9_]*/g) ?? []).filter((name) => !words.has(name));
    const unknown = names.filter(
      (name) => !everyLabel.has(name) && !(name in metrics) && !(name.replace(/_(bucket|count|sum)$/, '') in metrics),
    );
    expect(unknown).toEqual([]);
  });

  it('shows every metric of the service', () => {
    const text = expressions.map(([, expression]) => expression).join('\n');
    expect(Object.keys(metrics).filter((name) => !text.includes(name))).toEqual([]);
  });

  it('has panels with ids of their own that read from the provisioned source', () => {
    const source = parse(readFileSync(join(directory, 'grafana/provisioning/datasources/prometheus.yml'), 'utf8')) as {
      readonly datasources: readonly { readonly uid: string }[];
    };
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    const uids = new Set(dashboard.panels.map(({ datasource }) => datasource.uid));
    expect([...uids]).toEqual(source.datasources.map(({ uid }) => uid));
  });
});
