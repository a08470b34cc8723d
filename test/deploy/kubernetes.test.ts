import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config/config';
import { testSigningKeys } from '../support/test-signing-keys';
import { commandOf, readStages } from './dockerfile';

const directory = join(__dirname, '../../docs/deploy/kubernetes');

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
  readonly securityContext: object;
  readonly resources: { readonly requests?: Readonly<Record<string, string>> };
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface PodTemplate {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Record<string, string>;
  };
  readonly spec: {
    readonly securityContext: object;
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly [Container];
  };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly generateName?: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels?: object };
    readonly template: PodTemplate;
    readonly ports: readonly { readonly targetPort: string }[];
    readonly scaleTargetRef: object;
  };
}

interface Rule {
  readonly from?: readonly object[];
  readonly to?: readonly object[];
  readonly ports: readonly { readonly port: string | number }[];
}

interface Policy {
  readonly podSelector: { readonly matchLabels: object };
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress: readonly Rule[];
}

const manifests = readdirSync(directory)
  .flatMap((file) => parseAllDocuments(readFileSync(join(directory, file), 'utf8')))
  .map((document) => document.toJS() as Manifest);

const find = (kind: string, name?: string): Manifest => {
  const found = manifests.find(
    (manifest) => manifest.kind === kind && (name === undefined || manifest.metadata.name === name),
  );
  if (found === undefined) throw new Error(`no ${kind} ${name ?? ''}`);
  return found;
};

const deployment = find('Deployment');
const [container] = deployment.spec.template.spec.containers;
const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const;

describe('docs/deploy/kubernetes', () => {
  it.each(['Deployment', 'Job'])('runs the pods of the %s under the restricted pod security standard', (kind) => {
    const { spec } = find(kind).spec.template;
    expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.containers[0].resources).toMatchObject({ limits: { memory: expect.any(String) as string } });
  });

  it('selects the pods that the deployment makes', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(find('Service').spec.selector).toEqual(labels);
    expect(find('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(find('HorizontalPodAutoscaler').spec.scaleTargetRef).toEqual({
      apiVersion: deployment.apiVersion,
      kind: deployment.kind,
      name: deployment.metadata.name,
    });
  });

  it('probes the port that the image listens on', () => {
    const port = readStages()
      .at(-1)
      ?.find(({ keyword }) => keyword === 'EXPOSE')?.rest;
    expect(container.ports?.[0]).toEqual({ name: 'http', containerPort: Number(port) });
    expect(probes.map((probe) => container[probe].httpGet.port)).toEqual(['http', 'http', 'http']);
    expect(find('Service').spec.ports.map(({ targetPort }) => targetPort)).toEqual(['http']);
  });

  it('has the metrics read on their dedicated port, which the Service does not expose', () => {
    const setting = container.env.find(({ name }) => name === 'METRICS_PORT')?.value;
    expect(deployment.spec.template.metadata.annotations['prometheus.io/port']).toBe(setting);
    expect(container.ports?.[1]).toEqual({ name: 'metrics', containerPort: Number(setting) });
  });

  it('gives a pod more time to stop than it can take, including its pause before SIGTERM', () => {
    const pause = Number(/setTimeout\(.*, (\d+)\)/.exec(container.lifecycle.preStop.exec.command.join(' '))?.[1]);
    const { shutdownDelayMs } = loadConfig({});
    const grace = deployment.spec.template.spec.terminationGracePeriodSeconds * 1000;
    expect(grace).toBeGreaterThanOrEqual(pause + shutdownDelayMs + 24_000);
  });

  it('gives the service settings that it accepts, and migrations another database login', () => {
    const settingsOf = ({ env }: Container, secret: Readonly<Record<string, string>>) => {
      const filled = { ...secret, TOKEN_SIGNING_KEYS: testSigningKeys, CURSOR_SECRET: 'x'.repeat(32) } as Record<
        string,
        string
      >;
      return Object.fromEntries(
        env.map(({ name, value = '' }) => {
          if (!name.endsWith('_FILE')) return [name, value];
          // Each file has the name of its key in the Secret, and the Secret contains it.
          expect(value).toBe(`/run/secrets/catalog/${name.replace(/_FILE$/, '')}`);
          expect(Object.keys(filled)).toContain(name.replace(/_FILE$/, ''));
          return [name.replace(/_FILE$/, ''), filled[name.replace(/_FILE$/, '')]];
        }),
      );
    };
    const ofService = settingsOf(container, find('Secret', 'catalog').stringData ?? {});
    expect(loadConfig({ ...ofService, NODE_ENV: 'production' })).toMatchObject({ production: true });
    const [program] = find('Job').spec.template.spec.containers;
    const ofJob = settingsOf(program, find('Secret', 'catalog-owner').stringData ?? {});
    expect(loadConfig({ ...ofJob, NODE_ENV: 'production' }, { serves: false })).toMatchObject({ production: true });
    const userOf = (name: string) => new URL(find('Secret', name).stringData?.['DATABASE_URL'] ?? '').username;
    expect([userOf('catalog'), userOf('catalog-owner')]).toEqual(['catalog_service', 'catalog_owner']);
  });

  it('hands secrets over as files, which nothing but the pod reads', () => {
    for (const kind of ['Deployment', 'Job']) {
      const text = readFileSync(join(directory, kind === 'Job' ? 'migrate-job.yaml' : 'deployment.yaml'), 'utf8');
      expect(text).not.toMatch(/envFrom|secretKeyRef/);
      expect(text).toContain('defaultMode: 0440');
      const [{ volumeMounts }] = find(kind).spec.template.spec.containers;
      expect(volumeMounts).toContainEqual({ name: 'secrets', mountPath: '/run/secrets/catalog', readOnly: true });
    }
    expect(new URL(find('Secret', 'catalog').stringData?.['REDIS_URL'] ?? '').password).not.toBe('');
  });

  it('runs no image by a tag', () => {
    const images = ['Deployment', 'Job'].map((kind) => find(kind).spec.template.spec.containers[0].image);
    expect(images.filter((image) => !/@sha256:(?:[0-9a-f]{64}|REPLACE)$/.test(image))).toEqual([]);
  });

  it.each([
    ['catalog', 'Deployment', ['http', 'metrics'], [5432, 6379]],
    ['catalog-migrate', 'Job', [], [5432]],
  ])(
    'has a network policy %s for the pods of the %s, with nothing open that they do not need',
    (name, kind, ports, targets) => {
      const { spec } = find('NetworkPolicy', name) as unknown as { spec: Policy };
      expect(spec.podSelector.matchLabels).toEqual(find(kind).spec.template.metadata.labels);
      expect(spec.policyTypes).toEqual(['Ingress', 'Egress']);
      const portsOf = (rules: readonly Rule[] = []) => rules.flatMap((rule) => rule.ports.map(({ port }) => port));
      expect(portsOf(spec.ingress)).toEqual(ports);
      expect(portsOf(spec.egress).filter((port) => port !== 53)).toEqual(targets);
      // A rule without peers would allow everyone.
      for (const { from, to } of [...(spec.ingress ?? []), ...spec.egress])
        expect([...(from ?? []), ...(to ?? [])]).not.toEqual([]);
    },
  );

  it('migrates with the program of the image', () => {
    const [program] = find('Job').spec.template.spec.containers;
    expect(program.args?.[0]).toBe(commandOf(readStages().at(-1) ?? [], 'CMD')[0]);
    expect(program.args?.slice(1)).toEqual(['dist/src/cli/main.js', 'migrate']);
    expect(program.image).toBe(container.image);
  });

  it('restarts a pod only when the process hangs, and takes it out of service when it is not ready', () => {
    expect(probes.map((probe) => container[probe].httpGet.path)).toEqual(['/livez', '/livez', '/readyz']);
  });
});
