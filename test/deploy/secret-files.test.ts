import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config';
import { settingsFromFiles } from '../../src/config/settings';
import { buildCatalog } from '../cli/run-catalog';
import { testSigningKeys } from '../support/test-signing-keys';

const url = 'postgresql://catalog_service:secret@database.example.internal/catalog';
const values: Readonly<Record<(typeof settingsFromFiles)[number], string>> = {
  DATABASE_URL: url,
  DATABASE_REPLICA_URLS: `${url}, ${url}`,
  API_KEY: 'ck_client.secret',
  SHOPIFY_TOKEN: 'shpat_secret',
  SHOPIFY_CLIENT_ID: 'an-app',
  SHOPIFY_CLIENT_SECRET: 'shpss_secret',
  WOOCOMMERCE_KEY: 'ck_consumer',
  WOOCOMMERCE_SECRET: 'cs_secret',
  REDIS_URL: 'redis://redis.example.internal',
  TOKEN_SIGNING_KEYS: testSigningKeys,
  CURSOR_SECRET: `${'x'.repeat(32)},${'y'.repeat(32)}`,
  SUBGRAPH_SECRET: 'z'.repeat(32),
  ROUTER_SECRETS: 'reviews=a secret,stock=b=c',
};

const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://api.example.com' };

let directory: string;
beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'catalog-secrets-'))));

/** The path of a new file with this text. */
const fileWith = (name: string, text: string): string => {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
};

const refusal = (settings: Record<string, string>): string => {
  try {
    loadConfig(settings);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
};

describe('a setting in a file', () => {
  it('is read like one in the environment, without the end of its last line', () => {
    const files = settingsFromFiles.map((name) => [`${name}_FILE`, fileWith(name, `${values[name]}\n`)]);
    expect(loadConfig({ ...production, ...(Object.fromEntries(files) as Record<string, string>) })).toEqual(
      loadConfig({ ...production, ...values }),
    );
  });

  it.each(settingsFromFiles)('is refused when %s is set in the environment too', (name) => {
    const message = refusal({ ...values, [`${name}_FILE`]: fileWith(`${name}-2`, values[name]) });
    expect(message).toBe(
      `Invalid settings:\n  ${name}_FILE: expected no value while ${name} is set: use one or the other`,
    );
  });

  it.each(settingsFromFiles)('is refused by its name alone when the file of %s is missing or empty', (name) => {
    const { [name]: _, ...others } = { ...values, ...production };
    const [missing, empty] = [join(directory, 'nobody-wrote-this'), fileWith('empty', '\n')].map((path) =>
      // Replicas without a database would be a different problem.
      refusal({ ...others, ...(name === 'DATABASE_URL' && { DATABASE_REPLICA_URLS: '' }), [`${name}_FILE`]: path }),
    );
    expect(missing).toBe(`Invalid settings:\n  ${name}_FILE: expected a readable file (ENOENT)`);
    expect(empty).toBe(`Invalid settings:\n  ${name}_FILE: expected a non-empty file`);
  });

  it('is checked like any other, and its value is not shown', () => {
    const message = refusal({ CURSOR_SECRET_FILE: fileWith('short', 'short') });
    expect(message).toMatch(/CURSOR_SECRET: expected one or more secrets of at least 32 characters/);
    expect(message).not.toMatch(/short/);
  });
});

describe('docs/deploy/make-secrets.sh', () => {
  const read = (at: string) =>
    Object.fromEntries(readdirSync(at).map((name) => [name, readFileSync(join(at, name), 'utf8')]));
  let made: string;
  const make = () => execFileSync('sh', [join(__dirname, '../../docs/deploy/make-secrets.sh'), made]);
  beforeAll(() => {
    buildCatalog();
    made = join(directory, 'made');
    make();
  });

  it('makes secrets that the service accepts, with a login of its own and one for migrations', () => {
    const loginOf = (who: string) => {
      const { databaseUrl } = loadConfig({
        ...production,
        DATABASE_URL_FILE: join(made, `${who}-database-url`),
        TOKEN_SIGNING_KEYS_FILE: join(made, 'token-signing-keys'),
        CURSOR_SECRET_FILE: join(made, 'cursor-secret'),
      });
      const { username, password } = new URL(databaseUrl ?? '');
      return { username, password: `${password}\n` };
    };
    const files = read(made);
    expect([loginOf('service'), loginOf('owner')]).toEqual([
      { username: 'catalog_service', password: files['service-password'] },
      { username: 'catalog_owner', password: files['owner-password'] },
    ]);
    expect(new Set(Object.values(files)).size).toBe(10);
    expect(new URL(files['redis-url'] ?? '').password).toBe(files['redis-password']?.trim());
    expect(files['redis-configuration']).toBe(`requirepass ${files['redis-password'] ?? ''}`);
  });

  it('lets containers of any user read the files, and no other process enter their directory', () => {
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(modeOf(made)).toBe('700');
    expect(new Set(readdirSync(made).map((name) => modeOf(join(made, name))))).toEqual(new Set(['444']));
  });

  it('keeps existing secrets', () => {
    const before = read(made);
    make();
    expect(read(made)).toEqual(before);
  });
});
