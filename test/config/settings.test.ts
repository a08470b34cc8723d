import { loadConfig } from '../../src/config/config';
import { ConfigError } from '../../src/config/config-error';
import { testSigningKeys } from '../support/test-signing-keys';
import { fc } from '../support/properties';

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://api.example.com',
  DATABASE_URL: 'postgresql://catalog_service@database.example.internal/catalog',
  TOKEN_SIGNING_KEYS: testSigningKeys,
  CURSOR_SECRET: 'x'.repeat(32),
};

function refusal(settings: Readonly<Record<string, string>>): string {
  try {
    loadConfig(settings);
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.message;
    throw thrown;
  }
  return 'accepted';
}

describe('NODE_ENV', () => {
  it.each([
    [undefined, false],
    ['development', false],
    ['test', false],
    ['production', true],
  ])('is accepted as %j', (NODE_ENV, isProduction) => {
    expect(loadConfig({ ...production, NODE_ENV }).production).toBe(isProduction);
  });

  it('is refused as anything else, by name and with what is expected', () => {
    const near = fc.constantFrom(
      '',
      'prod',
      'Production',
      'PRODUCTION',
      'production ',
      ' production',
      'production\n',
      'dev',
      'staging',
    );
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (NODE_ENV) => {
        fc.pre(!['development', 'test', 'production'].includes(NODE_ENV));
        expect(refusal({ ...production, NODE_ENV })).toMatch(
          /^Invalid settings:\n {2}NODE_ENV: expected one of development, test, production, got ".*"$/,
        );
      }),
    );
  });
});

it('DATABASE_URL accepts a socket directory in place of a host', () => {
  const DATABASE_URL = 'postgresql://user:password@/catalog?host=/run/postgresql';
  expect(loadConfig({ ...production, DATABASE_URL }).databaseUrl).toBe(DATABASE_URL);
});

describe('PUBLIC_URL', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com'],
    ['https://api.example.com/', 'https://api.example.com'],
    ['HTTPS://API.example.com:443', 'https://api.example.com'],
    ['http://localhost:4000', 'http://localhost:4000'],
    ['http://[::1]:4000', 'http://[::1]:4000'],
    ['https://shop.example/catalog', 'https://shop.example/catalog'],
    ['HTTPS://Shop.example:443/Catalog/read-1.0_~', 'https://shop.example/Catalog/read-1.0_~'],
    ['https://shop.example/api/v1/catalog', 'https://shop.example/api/v1/catalog'],
  ])('%s is the URL %s', (PUBLIC_URL, address) => {
    expect(loadConfig({ PUBLIC_URL }).publicUrl).toBe(address);
  });

  it.each([
    'api.example.com',
    '//api.example.com',
    '/v1',
    'ftp://api.example.com',
    'https:api.example.com',
    'https:/api.example.com',
    'https:\\\\api.example.com',
    'https://',
    'https:///',
    'https://api.example.com/v1',
    'https://api.example.com/v1/',
    'https://shop.example/catalog/v1',
    'https://shop.example/graphql/catalog',
    'https://shop.example/.well-known',
    'https://shop.example/catalog/',
    'https://shop.example/catalog//read',
    'https://shop.example//catalog',
    'https://shop.example/catalog?',
    'https://shop.example/catalog?a=b',
    'https://shop.example/catalog#read',
    'https://user:password@shop.example/catalog',
    'https://shop.example/user@catalog',
    'https://shop.example/./catalog',
    'https://shop.example/catalog/..',
    'https://shop.example/cat%61log',
    'https://shop.example/cat alog',
    "https://shop.example/cat'alog",
    'https://shop.example/katalög',
    'https://api.example.com//',
    'https://api.example.com\\v1',
    'https://api.example.com?',
    'https://api.example.com/?a=b',
    'https://api.example.com#',
    'https://user@api.example.com',
    'https://user:password@api.example.com',
    'https://api.example.com:99999',
    'https://api.example.com:x',
    ' https://api.example.com',
    'https://api.example.com ',
    'https://api.exa\nmple.com',
    'https://a,https://b',
  ])('is refused as %j', (PUBLIC_URL) => {
    const message = refusal({ PUBLIC_URL });
    expect(message).toMatch(/^Invalid settings:\n {2}PUBLIC_URL: expected (?:an http|a valid host)/);
    expect(message).not.toContain('password');
  });
});
