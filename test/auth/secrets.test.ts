import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCursorSecrets, loadOrCreateSecret } from '../../src/auth/development-secrets';
import { createSigningKeySet, loadSigningKeys, parseSigningKeys } from '../../src/auth/signing-keys';

const privateJwk = (changes: object = {}) => ({
  ...(JSON.parse(createSigningKeySet()) as { keys: [Record<string, string>] }).keys[0],
  ...changes,
});

describe('secrets of the settings and of the data directory (D10, D14)', () => {
  let dataDirectory: string;
  beforeEach(async () => {
    dataDirectory = await mkdtemp(join(tmpdir(), 'catalog-secrets-'));
  });
  afterEach(() => rm(dataDirectory, { recursive: true }));

  it('generates a signing key once, readable by its owner only, and finds it again', async () => {
    const config = { production: false, tokenSigningKeys: undefined, dataDir: join(dataDirectory, 'new') };
    const first = await loadSigningKeys(config);
    const second = await loadSigningKeys(config);
    expect(second.current.kid).toBe(first.current.kid);
    expect(await readdir(config.dataDir)).toEqual(['token-signing-keys.json']);
    expect((await stat(join(config.dataDir, 'token-signing-keys.json'))).mode & 0o777).toBe(0o600);
  });

  it('gives all processes that start at the same time the same secret', async () => {
    let made = 0;
    const create = () => `secret number ${(made += 1)}`;
    const secrets = await Promise.all(
      Array.from({ length: 20 }, () => loadOrCreateSecret({ dataDirectory, fileName: 'secret', create })),
    );
    expect(new Set(secrets).size).toBe(1);
    expect(await readdir(dataDirectory)).toEqual(['secret']);
  });

  it('prefers the settings and keeps their order', async () => {
    const keys = [privateJwk(), privateJwk()];
    const tokenSigningKeys = JSON.stringify({ keys });
    const loaded = await loadSigningKeys({ production: true, tokenSigningKeys, dataDir: dataDirectory });
    expect([loaded.current.kid, ...loaded.byKid.keys()]).toEqual([
      keys[0]?.['kid'],
      keys[0]?.['kid'],
      keys[1]?.['kid'],
    ]);
    const cursorSecret = ['a'.repeat(32), 'b'.repeat(32)];
    expect(await loadCursorSecrets({ production: true, cursorSecret, dataDir: dataDirectory })).toEqual(cursorSecret);
    expect(await readdir(dataDirectory)).toEqual([]);
  });

  it('generates a cursor secret of at least 32 characters once', async () => {
    const config = { production: false, cursorSecret: undefined, dataDir: dataDirectory };
    const secrets = await loadCursorSecrets(config);
    expect(secrets).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    expect(await loadCursorSecrets(config)).toEqual(secrets);
  });

  it('generates nothing in production', async () => {
    const missing = { production: true, tokenSigningKeys: undefined, cursorSecret: undefined, dataDir: dataDirectory };
    await expect(loadSigningKeys(missing)).rejects.toThrow(/^TOKEN_SIGNING_KEYS: expected a value, got none/);
    await expect(loadCursorSecrets(missing)).rejects.toThrow(/^CURSOR_SECRET: expected a value, got none/);
    expect(await readdir(dataDirectory)).toEqual([]);
  });

  it('reports a file with invalid content', async () => {
    await writeFile(join(dataDirectory, 'token-signing-keys.json'), '');
    await writeFile(join(dataDirectory, 'cursor-secret'), 'short');
    const config = { production: false, tokenSigningKeys: undefined, cursorSecret: undefined, dataDir: dataDirectory };
    await expect(loadSigningKeys(config)).rejects.toThrow(join(dataDirectory, 'token-signing-keys.json'));
    await expect(loadCursorSecrets(config)).rejects.toThrow(join(dataDirectory, 'cursor-secret'));
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  it.each<[string, unknown]>([
    ['no JSON', undefined],
    ['no set', privateJwk()],
    ['an empty set', { keys: [] }],
    ['an RSA key', { keys: [{ ...rsa, kid: 'a' }] }],
    ['a symmetric key', { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'a' }] }],
    ['a key of another curve', { keys: [privateJwk({ crv: 'P-384' })] }],
    ['a key for another algorithm', { keys: [privateJwk({ alg: 'ES384' })] }],
    ['a key without a kid', { keys: [privateJwk({ kid: undefined })] }],
    ['a public key', { keys: [privateJwk({ d: undefined })] }],
    ['one kid twice', { keys: [privateJwk({ kid: 'a' }), privateJwk({ kid: 'a' })] }],
    ['halves of different pairs', { keys: [privateJwk({ d: privateJwk()['d'] })] }],
    ['a good key and a bad one', { keys: [privateJwk(), privateJwk({ d: undefined })] }],
  ])('refuses %s as signing keys without repeating it', (_, value) => {
    const text = value === undefined ? '{' : JSON.stringify(value);
    expect(() => parseSigningKeys(text, 'TOKEN_SIGNING_KEYS')).toThrow(
      'TOKEN_SIGNING_KEYS: expected a JSON Web Key Set of private EC P-256 keys (kty, crv, kid, x, y, d) with unique kid values',
    );
  });
});
