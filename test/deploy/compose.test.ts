import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config';
import { testSigningKeys } from '../support/test-signing-keys';

const root = join(__dirname, '../..');

interface ComposeService {
  readonly image: string;
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly deploy: { readonly replicas?: number; readonly resources: { readonly limits: Record<string, string> } };
}

interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, unknown>>;
}

const compose = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as Compose;
const services = Object.entries(compose.services);

/** What compose puts in place of variables; throws when one has neither value nor default. */
function interpolate(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)(:[-?])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    const value = values[name] ?? '';
    if (value === '' && kind === ':?') throw new Error(`${name}: ${rest}`);
    return value === '' ? rest : value;
  });
}

const secrets = {
  TOKEN_SIGNING_KEYS: testSigningKeys,
  CURSOR_SECRET: 'a secret of the tests and for nothing else',
  DATABASE_OWNER_PASSWORD: 'owner',
  DATABASE_SERVICE_PASSWORD: 'service',
  PUBLIC_URL: 'https://api.example.com',
};

const environmentOf = (name: string, values: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, text]) => [key, interpolate(text, values)]),
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
      expect(s.image).toMatch(/:v?\d/);
    },
  );

  it.each(services.filter(([, { ports }]) => ports !== undefined))('%s is published on this machine only', (_, s) => {
    expect(s.ports?.every((port) => port.startsWith('127.0.0.1:'))).toBe(true);
  });

  it('mounts, and refers to, what exists', () => {
    const mounts = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''));
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

  it('waits for the health of what has a healthcheck, and for the end of what ends', () => {
    for (const [name, { depends_on: before = {} }] of services) {
      for (const [other, { condition }] of Object.entries(before)) {
        const hasHealth = compose.services[other]?.healthcheck?.test !== undefined;
        const expected = hasHealth ? 'service_healthy' : 'service_completed_successfully';
        expect({ name, other, condition }).toEqual({ name, other, condition: expected });
      }
    }
  });

  it.each(['service', 'migrate', 'catalog'])('gives %s settings that it takes', (name) => {
    expect(loadConfig(environmentOf(name, secrets))).toMatchObject({ production: true });
  });

  it.each(Object.keys(secrets))('has no default for %s', (name) => {
    expect(() => services.map(([service]) => environmentOf(service, { ...secrets, [name]: '' }))).toThrow(name);
  });

  it('connects the service as the login of least privilege, and migrations as the owner', () => {
    const user = (name: string) => new URL(environmentOf(name, secrets)['DATABASE_URL'] ?? '').username;
    expect([user('service'), user('migrate')]).toEqual(['catalog_service', 'catalog_owner']);
  });

  it('has Prometheus read the metrics on the port that the service has for them alone, which is published nowhere', () => {
    const prometheus = parse(readFileSync(join(root, 'docs/deploy/monitoring/prometheus.yml'), 'utf8')) as {
      readonly scrape_configs: readonly [{ readonly dns_sd_configs: readonly [{ names: string[]; port: number }] }];
    };
    const [{ names, port }] = prometheus.scrape_configs[0].dns_sd_configs;
    expect(names).toEqual(['service']);
    expect(loadConfig(environmentOf('service', secrets)).metricsPort).toBe(port);
    expect(compose.services['service']?.ports?.filter((each) => each.endsWith(`:${port}`))).toEqual([]);
    const reachable = compose.services['service']?.networks ?? [];
    expect(compose.services['prometheus']?.networks.some((network) => reachable.includes(network))).toBe(true);
  });

  it('asks PostgreSQL and Redis for their health by their own clients', () => {
    const testOf = (name: string) => compose.services[name]?.healthcheck?.test?.slice(0, 2);
    expect([testOf('database'), testOf('redis')]).toEqual([
      ['CMD', 'pg_isready'],
      ['CMD', 'redis-cli'],
    ]);
  });

  it('runs two processes of the service, and keeps the databases off every network that leads out', () => {
    expect(compose.services['service']?.deploy.replicas).toBe(2);
    expect(compose.networks['data']?.internal).toBe(true);
    expect([compose.services['database']?.networks, compose.services['redis']?.networks]).toEqual([['data'], ['data']]);
  });
});
