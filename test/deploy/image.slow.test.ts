import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildCatalog } from '../cli/run-catalog';
import { useTestDatabase } from '../support/test-database';
import { testSecrets } from '../support/test-signing-keys';
import { commandOf, copiesOf, readStages } from './dockerfile';

const root = join(__dirname, '../..');
const stages = readStages();
const final = stages.at(-1) ?? [];

beforeAll(buildCatalog);

describe('Dockerfile', () => {
  it('copies nothing from the repository that is not in it, or that .dockerignore keeps out', () => {
    const admitted: readonly string[] = readFileSync(join(root, '.dockerignore'), 'utf8').match(/(?<=^!).+$/gm) ?? [];
    const sources = stages.flatMap((stage) =>
      copiesOf(stage)
        .filter(({ from }) => from === undefined)
        .flatMap((copy) => copy.sources),
    );
    expect(sources.length).toBeGreaterThan(8);
    expect(sources.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(sources.filter((source) => !admitted.includes(source.split('/')[0] ?? ''))).toEqual([]);
  });

  it('runs as a user other than root, by number, and is stopped by SIGTERM', () => {
    const valueOf = (name: string) => final.findLast(({ keyword }) => keyword === name)?.rest;
    expect(valueOf('USER')).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(valueOf('STOPSIGNAL')).toBe('SIGTERM');
    expect(commandOf(final, 'ENTRYPOINT')).toEqual(['dumb-init', '--']);
  });

  it('has a program that requires nothing but its dependencies', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    // Browsers load the files in vendor/.
    const files = filesOf(join(root, 'dist')).filter((file) => file.endsWith('.js') && !file.includes('/vendor/'));
    const needed = files.flatMap((file) =>
      [...readFileSync(join(root, 'dist', file), 'utf8').matchAll(/\b(?:require|import)\("([^".][^"]*)"\)/g)].map(
        ([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? '',
      ),
    );
    const isKnown = (name: string) => name in dependencies || name.startsWith('node:') || builtinModules.includes(name);
    expect(needed).toContain('express');
    expect(needed.filter((name) => !isKnown(name))).toEqual([]);
  });
});

describe('a release, which the image is made of', () => {
  let app: string;

  const database = useTestDatabase();
  beforeAll(() => {
    app = assembleImage();
  });

  it('is at most 700 files and 3 MB: the built program, migrations, the demo shop and documents of users', () => {
    const files = filesOf(app).filter((path) => !path.startsWith('node_modules') && statSync(join(app, path)).isFile());
    expect(files.length).toBeLessThanOrEqual(700);
    expect(statSync(join(app, '../catalog-read-api-1.0.0.tgz')).size).toBeLessThan(3_000_000);
    expect(new Set(files.map((path) => path.split('/')[0]))).toEqual(
      new Set([
        ...['dist', 'docs', 'prisma', 'rest', 'schema.graphql', 'package.json', 'npm-shrinkwrap.json'],
        ...['README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md'],
      ]),
    );
    expect(files.filter((path) => /\.tsx?$|\.map$|\btest\b|decisions/.test(path))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(['prisma/demo/demo-shop.ndjson', 'dist/src/http/vendor/licenses.md']));
    // The build did not use this checkout's own dist/ and left nothing behind.
    expect(existsSync(join(app, '../sources/npm-shrinkwrap.json'))).toBe(false);
  });

  /** As containers get secrets: in files. */
  const settings = () => ({
    ...filesWith({
      DATABASE_URL: database.url,
      ...testSecrets,
    }),
    PATH: process.env['PATH'],
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: '0',
    PUBLIC_URL: 'https://api.example.com',
  });

  it('serves by its CMD without writing a file, passes its HEALTHCHECK, and ends with 0 on SIGTERM', async () => {
    const before = filesOf(app);
    const [program = '', ...args] = commandOf(final, 'CMD');
    const child = spawn(program, args, { cwd: app, env: settings(), stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)"/.exec(line)?.[1] ?? line;
      const [checker = '', ...check] = commandOf(final, 'HEALTHCHECK');
      const run = (PORT: string) => spawnSync(checker, check, { env: { ...settings(), PORT } }).status;
      expect(run(port)).toBe(0);
      expect(run('9')).toBe(1);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(filesOf(app)).toEqual(before);
  });

  it('migrates', () => {
    const output = execFileSync('node', ['dist/src/cli/main.js', 'migrate', '--json'], { cwd: app, env: settings() });
    expect(JSON.parse(output.toString())).toEqual({ applied: [] });
  });
});

const filesOf = (directory: string) => readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();

/** `NAME_FILE` for each setting, and the files. */
function filesWith(settings: Readonly<Record<string, string>>): Record<string, string> {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-image-secrets-'));
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      const path = join(directory, name);
      writeFileSync(path, `${value}\n`);
      return [`${name}_FILE`, path];
    }),
  );
}

/**
 * What the stages produce: a release packed only from what the first stage copies, and unpacked in a directory without
 * write access.
 */
function assembleImage(): string {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-image-'));
  const sources = copiesOf(stages[0] ?? []).flatMap((copy) => copy.sources);
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' });
  for (const path of git('ls-files', '-z', '--', ...sources).split('\0')) {
    if (path !== '' && existsSync(join(root, path))) cpSync(join(root, path), join(directory, 'sources', path));
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'sources/node_modules'));
  execFileSync('npm', ['pack', '--pack-destination', directory], { cwd: join(directory, 'sources'), stdio: 'pipe' });
  expect(copiesOf(final)).toEqual([{ from: 'build', sources: ['/release'], target: './' }]);
  const app = join(directory, 'app');
  mkdirSync(app);
  execFileSync('tar', ['-xzf', join(directory, 'catalog-read-api-1.0.0.tgz'), '--strip-components=1', '-C', app]);
  symlinkSync(join(root, 'node_modules'), join(app, 'node_modules'));
  chmodSync(app, 0o555);
  return app;
}
