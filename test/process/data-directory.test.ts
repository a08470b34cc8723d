import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadOrCreateSecret } from '../../src/auth/development-secrets';
import { provideDataDirectory } from '../../src/common/data-directory';
import { startEmbeddedPostgres } from '../../src/database/embedded-postgres';

const isRoot = process.getuid?.() === 0;
const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

let parent: string;
let directory: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'catalog-data-directory-'));
  await chmod(parent, 0o755);
  directory = join(parent, 'a/data');
});
afterEach(() => rm(parent, { recursive: true }));

const lines: string[] = [];
const provide = () => provideDataDirectory(directory, (line) => lines.push(line));
beforeEach(() => (lines.length = 0));

describe('DATA_DIR', () => {
  it.each([0o000, 0o022, 0o077])('is made for its owner alone under the umask %o', async (mask) => {
    const before = process.umask(mask);
    try {
      await provide();
      await loadOrCreateSecret({ dataDirectory: directory, fileName: 'cursor-secret', create: () => 'x' });
    } finally {
      process.umask(before);
    }
    expect([await modeOf(directory), await modeOf(join(directory, 'cursor-secret'))]).toEqual(['700', '600']);
    expect(lines).toEqual([]);
  });

  it.each(['empty', 'cursor-secret', 'postgres', 'lost+found'])(
    'that others may enter is closed to them: %s',
    async (name) => {
      await mkdir(directory, { recursive: true });
      if (name !== 'empty') await writeFile(join(directory, name), 'x');
      await chmod(directory, 0o777);
      await provide();
      expect(await modeOf(directory)).toBe('700');
      expect(lines).toEqual([
        expect.stringMatching(/^DATA_DIR .* was open to other users: changed its mode from 0777 to 0700$/),
      ]);
      await provide();
      expect(lines).toHaveLength(1);
    },
  );

  it('that others may enter and that contains other files is refused, and stays as it is', async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'letters.txt'), 'x');
    await chmod(directory, 0o755);
    await expect(provide()).rejects.toThrow(/contains other files\. Set DATA_DIR to an empty/);
    await expect(startEmbeddedPostgres({ dataDirectory: directory, log: () => undefined })).rejects.toThrow(
      'contains other files',
    );
    expect([await modeOf(directory), await readdir(directory)]).toEqual(['755', ['letters.txt']]);
  });

  it('closes a secret that was restored with another mode', async () => {
    const secret = { dataDirectory: directory, fileName: 'cursor-secret', create: () => 'x' };
    await loadOrCreateSecret(secret);
    await chmod(join(directory, secret.fileName), 0o644);
    expect(await loadOrCreateSecret(secret)).toBe('x');
    expect(await modeOf(join(directory, secret.fileName))).toBe('600');
  });

  it('has files only for their owner with a running PostgreSQL in it, under the umask 0', async () => {
    const before = process.umask(0);
    try {
      const server = await startEmbeddedPostgres({ dataDirectory: directory, log: () => undefined, durable: false });
      await server.stop();
    } finally {
      process.umask(before);
    }
    expect(await modeOf(directory)).toBe('700');
    const names = await readdir(directory);
    const modes = await Promise.all(names.map(async (name) => `${name} ${await modeOf(join(directory, name))}`));
    expect(modes.filter((line) => !/ [67]00$/.test(line))).toEqual([]);
  });

  if (!isRoot) console.log('Not run: what concerns several users, because this run is not root.');
  (isRoot ? it : it.skip)('of another user that others may enter is refused to an ordinary user', async () => {
    await mkdir(directory, { recursive: true });
    await chmod(join(parent, 'a'), 0o755);
    await chown(directory, 12_345, 12_345);
    await chmod(directory, 0o777);
    process.seteuid?.(65_534);
    const real = process.getuid;
    process.getuid = () => 65_534;
    try {
      await expect(provide()).rejects.toThrow(/belongs to another user\. Make this user its owner/);
    } finally {
      process.getuid = real as () => number;
      process.seteuid?.(0);
    }
  });
});
