import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { testSigningKeys } from '../support/test-signing-keys';

const file = join(__dirname, '../../docs/deploy/systemd/catalog@.service');

/** The values of a setting of the unit, in order, for the instance on this port. */
const valuesOf = (name: string, port = '4000'): string[] =>
  [...readFileSync(file, 'utf8').matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) =>
    value.replaceAll('%i', port),
  );

describe('docs/deploy/systemd', () => {
  it('gives each process settings that it accepts, with a port of its own for the service and one for metrics', () => {
    const pairs = valuesOf('Environment', '4001').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
    const credentials = mkdtempSync(join(tmpdir(), 'catalog-credentials-'));
    const secrets: Readonly<Record<string, string>> = {
      'database-url': 'postgresql://catalog_service:x@database.example.internal/catalog',
      'redis-url': 'redis://:x@redis.example.internal:6379',
      'token-signing-keys': testSigningKeys,
      'cursor-secret': 'x'.repeat(32),
    };
    // As systemd passes credentials: each file under its name in a directory of the process.
    for (const line of valuesOf('LoadCredential')) {
      const [name = '', source] = line.split(':');
      expect(source).toBe(`/etc/catalog/secrets/${name}`);
      writeFileSync(join(credentials, name), `${secrets[name] ?? ''}\n`);
    }
    const environment = pairs.map(([name, value = '']) => [name, value.replace('%d', credentials)]);
    const config = loadConfig({
      ...(Object.fromEntries(environment) as Record<string, string>),
      PUBLIC_URL: 'https://api.example.com',
    });
    expect({ port: config.port, metricsPort: config.metricsPort, production: config.production }).toEqual({
      port: 4001,
      metricsPort: 14001,
      production: true,
    });
  });

  it('gives more time to stop than the service can take', () => {
    const { shutdownDelayMs } = loadConfig({});
    expect(Number(valuesOf('TimeoutStopSec')[0]) * 1000).toBeGreaterThanOrEqual(shutdownDelayMs + 24_000);
  });

  const analyzer = spawnSync('systemd-analyze', ['--version']).status;
  if (analyzer !== 0)
    console.log('The unit is not read by systemd itself: there is no systemd-analyze on this machine.');
  (analyzer === 0 ? it : it.skip)('is a unit that systemd reads without a word, and finds little exposed', () => {
    const unit = join(mkdtempSync(join(tmpdir(), 'catalog-unit-')), 'catalog@4000.service');
    cpSync(file, unit);
    const verify = spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    // It is no fault of the file that documentation and Node are elsewhere on the test machine.
    const complaints = verify.stderr.split('\n').filter((line) => line !== '' && !/not executable/.test(line));
    expect(complaints).toEqual([]);
    const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', unit]);
    expect(security.status).toBe(0);
  });
});
