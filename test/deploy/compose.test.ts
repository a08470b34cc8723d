import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/config';
import { testSigningKeys } from '../support/test-signing-keys';

const root = join(__dirname, '../..');

interface ComposeService {
  readonly image: string;
  readonly build?: { readonly args: Readonly<Record<string, string>> };
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy: { readonly replicas?: number; readonly resources: { readonly limits: Record<string, string> } };
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const pinImages = readFileSync(join(root, 'docs/deploy/pin-images.sh'), 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);

/** The values that compose inserts for variables. Throws when a variable has neither a value nor a default. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/(?<!\$)\$\{(\w+)(:[-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = values[name] ?? '';
    if (value === '' && kind === ':?') throw new Error(`${name}: ${rest}`);
    return value === '' ? rest : value;
  });
}

const required = { PUBLIC_URL: 'https://api.example.com' };
const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

/** The files of docs/deploy/make-secrets.sh (test/deploy/secret-files.test.ts), as far as the service reads them. */
const secretFiles: Readonly<Record<string, string>> = {
  '/run/secrets/token-signing-keys': testSigningKeys,
  '/run/secrets/cursor-secret': 'a secret of the tests and for nothing else',
  '/run/secrets/owner-database-url': 'postgresql://catalog_owner:owner@database:5432/catalog',
  '/run/secrets/service-database-url': 'postgresql://catalog_service:service@database:5432/catalog',
  '/run/secrets/redis-url': 'redis://:secret@redis:6379',
};

/**
 * The environment of a container, given the one in which compose runs: a setting without a value is passed on if it is
 * set there.
 */
const environmentOf = (name: string, values: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).flatMap(([key, value]) => {
      const passed = value === null ? values[key] : interpolate(value, values);
      return passed === undefined ? [] : [[key, passed]];
    }),
  );

/** The settings of a container, with its secrets read from the files that it mounts. */
const settingsOf = (name: string, values: Readonly<Record<string, string>> = required): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environmentOf(name, values)).map(([key, value]) =>
      value in secretFiles ? [key.replace(/_FILE$/, ''), secretFiles[value] ?? ''] : [key, value],
    ),
  );

describe('docker-compose.yml', () => {
  it.each(services)(
    '%s is not root, writes to no file of its image, has no capability and bounded resources',
    (_, s) => {
      expect(s).toMatchObject({
        user: expect.stringMatching(/^[1-9]\d*:\d+$/) as string,
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        deploy: { resources: { limits: { cpus: expect.any(String) as string, memory: expect.any(String) as string } } },
      });
    },
  );

  it.each(services.filter(([, { ports }]) => ports !== undefined))('%s is published on this machine only', (_, s) => {
    expect(s.ports?.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
  });

  it('only mounts and references what exists', () => {
    // Compose creates a volume that is only a path.
    const mounts = services.flatMap(([, { volumes = [] }]) =>
      volumes.filter((volume) => volume.includes(':')).map((volume) => volume.split(':')[0] ?? ''),
    );
    const missing = mounts.filter((from) =>
      from.startsWith('.') ? !existsSync(join(root, from)) : !(from in compose.volumes),
    );
    const references = services.flatMap(([, { depends_on: before = {}, networks, secrets: used = [] }]) => [
      ...Object.keys(before).filter((name) => !(name in compose.services)),
      ...networks.filter((name) => !(name in compose.networks)),
      ...used.filter((name) => !(name in compose.secrets)),
    ]);
    expect({ missing, references }).toEqual({ missing: [], references: [] });
  });

  it('waits for services with a health check to be healthy, and for one-off tasks to complete', () => {
    for (const [name, { depends_on: before = {} }] of services) {
      for (const [other, { condition }] of Object.entries(before)) {
        const hasHealth = compose.services[other]?.healthcheck?.test !== undefined;
        const expected = hasHealth ? 'service_healthy' : 'service_completed_successfully';
        expect({ name, other, condition }).toEqual({ name, other, condition: expected });
      }
    }
  });

  it.each(['service', 'migrate', 'catalog'])('gives %s settings that it accepts', (name) => {
    expect(loadConfig(settingsOf(name), { serves: name === 'service' })).toMatchObject({ production: true });
  });

  it('has no default for PUBLIC_URL', () => {
    expect(() => settingsOf('service', {})).toThrow('PUBLIC_URL');
  });

  it('runs no image by a tag: each is pinned by digest, or built here from one that is', () => {
    const imageOf = ({ image, build }: ComposeService) => build?.args['NODE_IMAGE'] ?? image;
    const images = services.map(([, service]) => imageOf(service));
    expect(images.filter((image) => !/^\$\{[A-Z]+_IMAGE:\?[^}]*\}$/.test(image))).toEqual([]);
    const variables = new Set(images.map((image) => /\w+/.exec(image)?.[0]));
    const pinned = [...pinImages.matchAll(/^pin (\w+) \S+:v?\d[\w.-]*$/gm)].map(([, name]) => name);
    expect(new Set(pinned)).toEqual(variables);
    const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
    expect(dockerfile.match(/^ARG .*$/gm)).toEqual(['ARG NODE_IMAGE']);
    expect(new Set(dockerfile.match(/^FROM \S+/gm))).toEqual(new Set(['FROM ${NODE_IMAGE}']));
  });

  it('hands secrets over as files, each to the containers that need it', () => {
    const read = services.map(([name, { environment = {}, command = [], healthcheck, secrets = [] }]) => {
      const named = [...Object.values(environment), ...command, ...(healthcheck?.test ?? [])]
        .join('\n')
        .matchAll(/\/run\/secrets\/([\w-]+)/g);
      return { name, read: [...new Set([...named].map(([, secret]) => secret))].sort(), mounted: [...secrets].sort() };
    });
    expect(read.map(({ name, read: secrets }) => ({ name, secrets }))).toEqual(
      read.map(({ name, mounted: secrets }) => ({ name, secrets })),
    );
    expect(
      Object.fromEntries(read.filter(({ mounted }) => mounted.length > 0).map((each) => [each.name, each.read])),
    ).toEqual({
      service: ['cursor-secret', 'redis-url', 'service-database-url', 'token-signing-keys'],
      migrate: ['cursor-secret', 'owner-database-url'],
      catalog: ['cursor-secret', 'owner-database-url'],
      roles: ['owner-password', 'service-password'],
      database: ['owner-password'],
      redis: ['redis-configuration', 'redis-password'],
      grafana: ['grafana-admin-password'],
    });
    const inEnvironment = services.flatMap(([name, { environment = {} }]) =>
      Object.entries(environment)
        .filter(([key]) => /PASSWORD|SECRET|KEYS|DATABASE_.*URL|REDIS_URL/.test(key) && !key.endsWith('_FILE'))
        .map(([key]) => `${name}: ${key}`),
    );
    expect(inEnvironment).toEqual([]);
  });

  it('gives the service more time to stop than it can take', () => {
    const { shutdownDelayMs } = loadConfig(settingsOf('service'));
    const grace = interpolate(compose.services['service']?.stop_grace_period ?? '', required);
    expect(Number(/^(\d+)s$/.exec(grace)?.[1]) * 1000).toBeGreaterThanOrEqual(shutdownDelayMs + 24_000);
  });

  it('connects the service as the login of least privilege, and migrations as the owner', () => {
    const user = (name: string) => new URL(settingsOf(name)['DATABASE_URL'] ?? '').username;
    expect([user('service'), user('migrate')]).toEqual(['catalog_service', 'catalog_owner']);
  });

  it('has Prometheus read the metrics on their dedicated port, which is not published', () => {
    const prometheus = parse(readFileSync(join(root, 'docs/deploy/monitoring/prometheus.yml'), 'utf8')) as {
      readonly scrape_configs: readonly [{ readonly dns_sd_configs: readonly [{ names: string[]; port: number }] }];
    };
    const [{ names, port }] = prometheus.scrape_configs[0].dns_sd_configs;
    expect(names).toEqual(['service']);
    expect(loadConfig(settingsOf('service')).metricsPort).toBe(port);
    expect(compose.services['service']?.ports?.filter((each) => each.endsWith(`:${port}`))).toEqual([]);
    const reachable = compose.services['service']?.networks ?? [];
    expect(compose.services['prometheus']?.networks.some((network) => reachable.includes(network))).toBe(true);
  });

  it('runs two processes of the service, and keeps the databases off networks with outside access', () => {
    expect(compose.services['service']?.deploy.replicas).toBe(2);
    expect(compose.networks['data']?.internal).toBe(true);
    expect([compose.services['database']?.networks, compose.services['redis']?.networks]).toEqual([['data'], ['data']]);
  });
});

describe('docs/deploy/pin-images.sh', () => {
  let directory: string;
  let file: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'catalog-images-'));
    file = join(directory, '.env');
    writeFileSync(file, 'PUBLIC_URL=https://api.example.com\nREDIS_IMAGE=redis:latest\n');
  });

  /** Runs it with a `docker` that responds to every question with this text. */
  const pin = (answer: string) => {
    writeFileSync(join(directory, 'docker'), `#!/bin/sh\nprintf '%s\\n' '${answer}'\n`, { mode: 0o755 });
    return spawnSync('sh', [join(root, 'docs/deploy/pin-images.sh'), file], {
      env: { PATH: `${directory}:${process.env['PATH'] ?? ''}` },
      encoding: 'utf8',
    });
  };

  it('writes each image of the compose file with its digest, and keeps the other lines', () => {
    expect(pin(digest)).toMatchObject({ status: 0, stderr: '' });
    const values: Record<string, string> = Object.fromEntries(
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split('=') as [string, string]),
    );
    const images = Object.values(values).filter((value) => value.includes('sha256'));
    expect(images).toHaveLength(5);
    expect(values).toMatchObject({
      PUBLIC_URL: 'https://api.example.com',
      REDIS_IMAGE: `redis:7.2-bookworm@${digest}`,
    });
    for (const [, { image }] of services) expect(() => interpolate(image, values)).not.toThrow();
  });

  it.each(['', 'latest', 'sha256:0123', `${digest}0`])('changes nothing when the answer is %j', (answer) => {
    const before = readFileSync(file, 'utf8');
    expect(pin(answer)).toMatchObject({ status: 1, stderr: expect.stringContaining('Nothing was changed') as string });
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(execFileSync('ls', ['-A', directory], { encoding: 'utf8' })).toBe('.env\ndocker\n');
  });
});
