import { createHash } from 'node:crypto';
import { useTestDatabase } from '../support/test-database';
import type { Finished } from './run-catalog';
import { buildCatalog, createCatalog, toDocument } from './run-catalog';

interface IssuedKey {
  readonly client_id: string;
  readonly client_secret: string;
  readonly api_key: string;
  readonly scopes: readonly string[];
  readonly expires_at: string | null;
}

const database = useTestDatabase();
let catalog: ReturnType<typeof createCatalog>;

beforeAll(async () => {
  buildCatalog();
  catalog = createCatalog(database.url, { KEY_PREFIX: 'test', PUBLIC_URL: 'https://api.example.com' });
  await catalog('shop', 'create', '--domain', 'keys.example');
});

const createKey = (...words: readonly string[]): Promise<Finished> =>
  catalog('key', 'create', '--shop', 'keys.example', ...words);

const sha256 = (secret: string) => createHash('sha256').update(secret).digest('hex');

async function storedDigests(clientId: string) {
  const [row] = await database.sql<{ current: string; previous: string | null; overlaps: boolean }>(
    `SELECT encode(secret_digest, 'hex') AS current, encode(previous_secret_digest, 'hex') AS previous,
            coalesce(previous_secret_expires_at > now(), false) AS overlaps
       FROM api_keys WHERE key_prefix || '_' || client_id = $1`,
    [clientId],
  );
  return row;
}

describe('catalog key', () => {
  it('creates a key of which only the digest is stored (D12)', async () => {
    const words = ['--scope', 'account:read', '--scope', 'catalog:read', '--name', 'storefront', '--json'];
    const key = toDocument<IssuedKey>(await createKey(...words));
    expect(key).toEqual({
      client_id: expect.stringMatching(/^test_[0-9A-Za-z]+$/) as string,
      client_secret: expect.stringMatching(/^[0-9A-Za-z]{43,}$/) as string,
      api_key: `${key.client_id}.${key.client_secret}`,
      scopes: ['catalog:read', 'account:read'],
      expires_at: null,
    });
    expect(await storedDigests(key.client_id)).toEqual({
      current: sha256(key.client_secret),
      previous: null,
      overlaps: false,
    });
  });

  it('lets a key expire', async () => {
    const before = Date.now();
    const key = toDocument<IssuedKey>(await createKey('--scope', 'orders:read', '--expires-in', '90d', '--json'));
    const end = Date.parse(key.expires_at ?? '');
    expect(end).toBeGreaterThanOrEqual(before + 90 * 86_400_000);
    expect(end).toBeLessThanOrEqual(Date.now() + 90 * 86_400_000);
  });

  it('shows people the key once, with a call that it is allowed to make', async () => {
    const { stdout } = await createKey('--scope', 'orders:read');
    expect(stdout).not.toContain('listening');
    expect(stdout).toMatch(
      /curl -H 'Authorization: Bearer test_[0-9A-Za-z]+\.[0-9A-Za-z]+' 'https:\/\/api\.example\.com\/v1\/orders\?limit=3'/,
    );
  });

  it('does not claim to know the URL of a server without PUBLIC_URL', async () => {
    const unset = createCatalog(database.url, { PORT: '4321' });
    const { stdout } = await unset('key', 'create', '--shop', 'keys.example', '--scope', 'orders:read');
    expect(stdout).toMatch(
      /\(replace the URL if the server printed a different one\):\n {2}curl .* 'http:\/\/localhost:4321\/v1\/orders\?limit=3'/,
    );
  });

  it('lists keys without their secrets', async () => {
    const words = ['--scope', 'catalog:read', '--name', 'لوحة', '--expires-in', '90d', '--json'];
    const key = toDocument<IssuedKey>(await createKey(...words));
    await catalog('key', 'revoke', key.client_id);
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    const listed = await catalog('key', 'list', '--shop', 'keys.example', '--json');
    expect(listed.stdout).not.toContain(key.client_secret);
    expect(toDocument<IssuedKey[]>(listed).find(({ client_id }) => client_id === key.client_id)).toEqual({
      client_id: key.client_id,
      name: 'لوحة',
      scopes: ['catalog:read'],
      created_at: moment,
      expires_at: key.expires_at,
      revoked_at: moment,
      last_used_at: null,
      previous_secret_expires_at: null,
    });
  });

  it('rotates: the client id stays, the old secret works until the overlap ends (D12)', async () => {
    const key = toDocument<IssuedKey>(await createKey('--scope', 'catalog:read', '--json'));
    const next = toDocument<IssuedKey>(await catalog('key', 'rotate', key.client_id, '--json'));
    expect(next).toEqual({
      ...key,
      client_secret: next.client_secret,
      api_key: `${key.client_id}.${next.client_secret}`,
    });
    expect(await storedDigests(key.client_id)).toEqual({
      current: sha256(next.client_secret),
      previous: sha256(key.client_secret),
      overlaps: true,
    });
    const last = toDocument<IssuedKey>(await catalog('key', 'rotate', key.client_id, '--overlap', '0s', '--json'));
    expect(await storedDigests(key.client_id)).toEqual({
      current: sha256(last.client_secret),
      previous: null,
      overlaps: false,
    });
  });

  it('revokes a key permanently', async () => {
    const key = toDocument<IssuedKey>(await createKey('--scope', 'catalog:read', '--json'));
    const revoked = toDocument<{ client_id: string; revoked_at: string }>(
      await catalog('key', 'revoke', key.client_id, '--json'),
    );
    expect(revoked.client_id).toBe(key.client_id);
    expect(toDocument(await catalog('key', 'revoke', key.client_id, '--json'))).toEqual(revoked);
    expect((await catalog('key', 'rotate', key.client_id)).exitCode).toBe(1);
  });

  it.each(['rotate', 'revoke'])('leaves a key of another shop alone: %s', async (word) => {
    await catalog('shop', 'create', '--domain', `other-${word}.example`);
    const key = toDocument<IssuedKey>(await createKey('--scope', 'catalog:read', '--json'));
    const before = await storedDigests(key.client_id);
    const refused = await catalog('key', word, key.client_id, '--shop', `other-${word}.example`, '--json');
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toContain('NOT_FOUND');
    expect(await storedDigests(key.client_id)).toEqual(before);
    expect((await catalog('key', word, key.client_id, '--shop', 'keys.example')).exitCode).toBe(0);
  });

  it.each([['revoke'], ['rotate']])('ends %s of an unknown key with 1, and repeats no secret', async (word) => {
    const { exitCode, stdout, stderr } = await catalog('key', word, 'test_unknown.verySecretText', '--json');
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(stderr).not.toContain('verySecretText');
  });

  it('writes no secret to stderr, even with all log lines', async () => {
    const talkative = createCatalog(database.url, { LOG_LEVEL: 'trace' });
    const created = await talkative('key', 'create', '--shop', 'keys.example', '--scope', 'catalog:read', '--json');
    const { client_secret: secret } = toDocument<IssuedKey>(created);
    expect(created.stderr).not.toContain(secret);
  });
});
