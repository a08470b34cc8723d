import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observability/metrics';
import { parseMetrics } from '../observability/parse-metrics';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { startService } from '../support/service';
import { createShop } from '../support/shop-fixture';

const directory = join(__dirname, '../../docs/deploy/monitoring');

/** Names that stand in expressions though no process shows them: Prometheus adds them to what it reads. */
const prometheusOwn = { metrics: ['up'], labels: ['job', 'instance'] };

/** Shown only once something has happened that a single process cannot do by itself. */
const federationOnly = { subgraph_requests_total: ['subgraph', 'outcome'], subgraph_healthy: ['subgraph'] };
const replicasOnly = { database_replica_reads_total: ['replica', 'outcome'], database_replica_in_use: ['replica'] };
const notAlways = { ...federationOnly, ...replicasOnly };

/** Metrics of the running service by name, as `# TYPE` says it, and the labels that each of them has. */
const labelsByMetric = new Map<string, ReadonlySet<string>>(
  Object.entries(notAlways).map(([name, labels]) => [name, new Set(labels)]),
);
let own: readonly string[] = [];

beforeAll(async () => {
  const service = await startService({ rateLimit: 1000 });
  try {
    const { client, apiKey } = await createShop(service);
    await client.get('/products');
    await askGraphql(service.origin, apiKey, '{ shop { name } }');
    const { text } = await exchange(service.origin, '/metrics', {});
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type]) => ({ name, type }));
    const samples = parseMetrics(text);
    for (const { name, type } of types) {
      const names =
        type === 'histogram' || type === 'summary' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name];
      const labels = samples
        .filter((sample) => names.includes(sample.name))
        .flatMap((sample) => Object.keys(sample.labels));
      for (const each of names) labelsByMetric.set(each, new Set([...(labelsByMetric.get(each) ?? []), ...labels]));
    }
    own = types.map(({ name }) => name).filter((name) => !/^(nodejs|process)_/.test(name));
  } finally {
    await service.close();
  }
});

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

/** The names in an expression: of metrics, and of the labels that it selects or groups by. */
function namesIn(expression: string) {
  const bare = expression.replaceAll(/"[^"]*"|\[[^\]]*\]/g, '');
  const selected = [...bare.matchAll(/\{([^}]*)\}|by \(([^)]*)\)/g)].flatMap(([, inside = '', grouped = '']) =>
    `${inside} ${grouped}`.match(/[a-z_][a-z0-9_]*/g),
  );
  const metrics = bare.replaceAll(/\{[^}]*\}|by \([^)]*\)/g, '').match(/[a-z_][a-z0-9_]*/g) ?? [];
  return { metrics: metrics.filter((name) => !words.has(name)), labels: selected.filter((name) => name !== null) };
}

describe('dashboard and alerts', () => {
  it.each(expressions)('%s asks for metrics and labels that the service has: %s', (_title, expression) => {
    const { metrics, labels } = namesIn(expression);
    const unknown = metrics.filter((name) => !labelsByMetric.has(name) && !prometheusOwn.metrics.includes(name));
    const had = new Set([...prometheusOwn.labels, ...metrics.flatMap((name) => [...(labelsByMetric.get(name) ?? [])])]);
    expect({ unknown, labels: labels.filter((label) => !had.has(label)) }).toEqual({ unknown: [], labels: [] });
  });

  it('shows every metric of the service', () => {
    const text = expressions.map(([, expression]) => expression).join('\n');
    expect(own.length).toBeGreaterThan(8);
    expect(own.filter((name) => !text.includes(name))).toEqual([]);
  });

  it('draws subgraphs and replicas by the labels that the service gives them', async () => {
    const metrics = createMetrics({
      poolConnections: () => ({ total: 0, idle: 0, waiting: 0 }),
      replicasInUse: () => [true],
      answerCacheBytes: () => 0,
      isRateLimitStoreDegraded: () => false,
    });
    metrics.subgraphAnswered('reviews', 'failed');
    metrics.replicaAsked(0, 'answered');
    const samples = parseMetrics(await metrics.read()).filter(({ name }) => name in notAlways);
    expect(Object.fromEntries(samples.map(({ name, labels }) => [name, Object.keys(labels)]))).toEqual(notAlways);
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
