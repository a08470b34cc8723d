import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createMetrics } from '../../src/observability/metrics';
import { parseMetrics } from '../observability/parse-metrics';
import { askGraphql } from '../support/graphql-client';
import { exchange } from '../support/rest-client';
import { startService } from '../support/service';
import { createShop } from '../support/shop-fixture';

const directory = join(__dirname, '../../docs/deploy/monitoring');

/** Names that occur in expressions although no process exposes them, because Prometheus adds them itself. */
const prometheusOwn = { metrics: ['up'], labels: ['job', 'instance'] };

/** Exposed only after something that needs more than one process. */
const federationOnly = { subgraph_requests_total: ['subgraph', 'outcome'], subgraph_healthy: ['subgraph'] };
const replicasOnly = { database_replica_reads_total: ['replica', 'outcome'], database_replica_in_use: ['replica'] };
const notAlways = { ...federationOnly, ...replicasOnly };

/** The metrics of the running service by name, with the type from `# TYPE` and the labels that each has. */
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

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const alerts = parse(readFileSync(join(directory, 'alerts.yml'), 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
};

const expressions = [
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
  ...alerts.groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
];

const words = new Set(['absent', 'sum', 'min', 'max', 'count', 'rate', 'by', 'histogram_quantile']);

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
  it.each(expressions)('%s uses metrics and labels that the service has: %s', (_title, expression) => {
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

  it('shows subgraphs and replicas by the labels that the service gives them', async () => {
    const metrics = createMetrics();
    metrics.measure({
      poolConnections: () => ({ total: 0, idle: 0, waiting: 0 }),
      replicasInUse: () => [true],
      answerCacheBytes: () => 0,
      isRateLimitStoreDegraded: () => false,
    });
    metrics.subgraphAnswered('reviews', 'failed');
    metrics.replicaQueried(0, 'answered');
    const samples = parseMetrics(await metrics.read()).filter(({ name }) => name in notAlways);
    expect(Object.fromEntries(samples.map(({ name, labels }) => [name, Object.keys(labels)]))).toEqual(notAlways);
  });
});

describe('docs/operations.md', () => {
  const text = readFileSync(join(directory, '../../operations.md'), 'utf8');
  const configurations = [...text.matchAll(/deploy\/monitoring\/(prometheus[\w-]*\.yml)/g)].map(([, name = '']) => ({
    name,
    text: readFileSync(join(directory, name), 'utf8'),
  }));

  it('names a configuration for each deployment, by a job of the name that dashboard and alerts expect', () => {
    expect(configurations.map(({ name }) => name).sort()).toEqual(
      readdirSync(directory).filter((name) => name.startsWith('prometheus')),
    );
    for (const { text: file } of configurations) {
      const { scrape_configs: jobs } = parse(file) as { scrape_configs: { job_name: string }[] };
      expect(jobs.map(({ job_name: name }) => name)).toEqual(['catalog']);
    }
    const expected = expressions.flatMap(([, expression]) =>
      [...expression.matchAll(/job="(\w+)"/g)].map(([, job]) => job),
    );
    expect(new Set(expected)).toEqual(new Set(['catalog']));
  });

  it('names every alert', () => {
    const rules = alerts.groups.flatMap((group) => group.rules.map(({ alert }) => alert));
    const section = /## Alerts\n([\s\S]*?)\n## /.exec(text)?.[1] ?? '';
    expect([...new Set(section.match(/Catalog[A-Z]\w+/g))].sort()).toEqual(rules.sort());
  });

  // Debian's package prometheus contains it.
  const found = spawnSync('promtool', ['--version']).status === 0;
  if (!found)
    console.log('Rules and configurations are not read by Prometheus itself: there is no promtool on this machine.');
  const promtool = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', words, { encoding: 'utf8' });
    return { status, output: status === 0 ? '' : `${stdout}${stderr}` };
  };
  const fileWith = (content: string): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'catalog-promtool-')), 'file.yml');
    writeFileSync(path, content);
    return path;
  };
  const passed = { status: 0, output: '' };

  (found ? it : it.skip)('has rules and configurations that Prometheus reads', () => {
    expect(promtool('check', 'rules', join(directory, 'alerts.yml'))).toEqual(passed);
    // Debian builds Prometheus without Kubernetes discovery, so only the rules for discovered targets are checked.
    for (const { text: file } of configurations) {
      const known = file.replace(/kubernetes_sd_configs: .*/, 'static_configs: []');
      expect(promtool('check', 'config', '--syntax-only', fileWith(known))).toEqual(passed);
    }
  });

  const rule = (name: string) => alerts.groups.flatMap(({ rules }) => rules).find(({ alert }) => alert === name);
  const up = (instance: string, values: string) => ({ series: `up{job="catalog",instance="${instance}"}`, values });
  (found ? it : it.skip).each([
    ['no process was ever seen', [], { CatalogGone: [{}], CatalogAlone: [] }],
    [
      'all processes are gone from the service discovery',
      [up('a', '1x5 _x60'), up('b', '1x5 _x60')],
      { CatalogGone: [{}], CatalogAlone: [] },
    ],
    ['one of two processes is left', [up('a', '1x60'), up('b', '0x60')], { CatalogGone: [], CatalogAlone: [{}] }],
    ['two processes answer', [up('a', '1x60'), up('b', '1x60')], { CatalogGone: [], CatalogAlone: [] }],
    [
      'statements wait',
      [{ series: 'database_pool_connections{instance="a",state="waiting"}', values: '3x60' }],
      { CatalogDatabaseBusy: [{ instance: 'a', state: 'waiting' }] },
    ],
    [
      'another program of the same Prometheus is slow, fails and has a busy event loop',
      [
        { series: 'nodejs_eventloop_lag_p99_seconds{job="other"}', values: '1x60' },
        { series: 'http_request_duration_seconds_count{job="other",status="500"}', values: '0+60x60' },
        { series: 'http_request_duration_seconds_bucket{job="other",operation="a",le="0.5"}', values: '0x60' },
        { series: 'http_request_duration_seconds_bucket{job="other",operation="a",le="+Inf"}', values: '0+60x60' },
      ],
      { CatalogEventLoopBusy: [], CatalogServerErrors: [], CatalogSlow: [] },
    ],
    [
      'a process uses 0.7 of a core',
      [{ series: 'process_cpu_seconds_total{job="catalog",instance="a"}', values: '0+42x60' }],
      { CatalogProcessorBusy: [{ job: 'catalog', instance: 'a' }] },
    ],
  ])('has alerts that fire when they should: %s', (_, series, expected) => {
    const tests = {
      rule_files: [join(directory, 'alerts.yml')],
      tests: [
        {
          interval: '1m',
          input_series: series,
          alert_rule_test: Object.entries(expected).map(([alertname, labels]) => ({
            eval_time: '30m',
            alertname,
            exp_alerts: labels.map((each) => ({ exp_labels: each, exp_annotations: rule(alertname)?.annotations })),
          })),
        },
      ],
    };
    expect(promtool('test', 'rules', fileWith(stringify(tests)))).toEqual(passed);
  });
});
