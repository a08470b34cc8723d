import { useTestDatabase } from '../support/test-database';
import { buildCatalog, createCatalog, toDocument } from './run-catalog';

const database = useTestDatabase();
let catalog: ReturnType<typeof createCatalog>;

beforeAll(() => {
  buildCatalog();
  catalog = createCatalog(database.url);
});

const anyId = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;

describe('catalog shop', () => {
  it('creates a shop on business without a limit, and shows exactly the members that programs rely on', async () => {
    const created = await catalog('shop', 'create', '--domain', 'plain.example', '--product-limit', 'none', '--json');
    expect(toDocument(created)).toEqual({
      id: anyId,
      domain: 'plain.example',
      name: null,
      platform: null,
      currency: null,
      plan: 'business',
      plan_status: 'active',
      product_limit: null,
      product_count: 0,
    });
  });

  it('creates a shop with all options, lists it, and changes plan and limit', async () => {
    const words =
      '--domain full.example --platform woocommerce --currency KWD --plan pro --plan-status trialing --product-limit 25 --json';
    const created = toDocument(await catalog('shop', 'create', '--name', 'متجر & Söhne 🎁', ...words.split(' ')));
    expect(created).toEqual({
      id: anyId,
      domain: 'full.example',
      name: 'متجر & Söhne 🎁',
      platform: 'woocommerce',
      currency: 'KWD',
      plan: 'pro',
      plan_status: 'trialing',
      product_limit: 25,
      product_count: 0,
    });
    expect(toDocument<unknown[]>(await catalog('shop', 'list', '--json'))).toContainEqual(created);
    const changed = await catalog('shop', 'set', 'full.example', '--plan', 'free', '--json');
    expect(toDocument(changed)).toEqual({ ...(created as object), plan: 'free' });
    const unlimited = await catalog('shop', 'set', 'FULL.example', '--product-limit', 'none', '--json');
    expect(toDocument(unlimited)).toEqual({ ...(created as object), plan: 'free', product_limit: null });
    const late = await catalog('shop', 'set', 'full.example', '--plan-status', 'past_due', '--json');
    expect(toDocument(late)).toMatchObject({ plan: 'free', plan_status: 'past_due', product_limit: null });
  });

  it.each([
    ['--name', 'n'.repeat(10_001), 'Expected a name of at most 10,000 bytes.'],
    ['--platform', 'p'.repeat(65), 'at most 64 characters'],
  ])('rejects a longer %s than the database stores', async (option, text, message) => {
    const { exitCode, stderr } = await catalog('shop', 'create', '--domain', 'long.example', option, text);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining(message) as string });
  });

  it('rejects a domain that is taken', async () => {
    await catalog('shop', 'create', '--domain', 'taken.example');
    const { exitCode, stdout, stderr } = await catalog('shop', 'create', '--domain', 'Taken.example', '--json');
    expect({ exitCode, stdout, document: JSON.parse(stderr) as unknown }).toEqual({
      exitCode: 1,
      stdout: '',
      document: { error: { code: 'ALREADY_EXISTS', message: expect.stringContaining('taken.example') as string } },
    });
  });

  it.each([
    'shop set missing.example --plan free',
    'key list --shop missing.example',
    'check --shop missing.example',
    'key create --shop missing.example --scope catalog:read',
  ])('ends `catalog %s` with 1 and the unknown name', async (line) => {
    const { exitCode, stdout, stderr } = await catalog(...line.split(' '));
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('missing.example');
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('shows people a table', async () => {
    const { exitCode, stdout, stderr } = await catalog('shop', 'list');
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(/^DOMAIN +NAME +PLATFORM +CURRENCY +PLAN +LIMIT +PRODUCTS +ID\n/);
  });
});

describe('catalog migrate', () => {
  it('finds nothing to do the second time', async () => {
    await catalog('migrate');
    expect(toDocument(await catalog('migrate', '--json'))).toEqual({ applied: [] });
  });
});
