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
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { buildCatalog } from '../cli/run-catalog';
import type { TestDatabase } from '../support/test-database';
import { createTestDatabase } from '../support/test-database';
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
    const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.js'),
    );
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

describe('what the image holds', () => {
  let database: TestDatabase;
  let app: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = assembleImage();
  });
  afterAll(() => database.drop());

  /** As containers get them: what is secret in files. */
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
    expect(readdirSync(app).sort()).toEqual(readdirSync(assembleImage()).sort());
  });

  it('migrates', () => {
    const output = execFileSync('node', ['dist/src/cli/main.js', 'migrate', '--json'], { cwd: app, env: settings() });
    expect(JSON.parse(output.toString())).toEqual({ applied: [] });
  });
});

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

/** The files of the last stage in a directory without write access. */
function assembleImage(): string {
  const app = mkdtempSync(join(tmpdir(), 'catalog-image-'));
  for (const { sources, target } of copiesOf(final)) {
    for (const source of sources.map((path) => path.replace(/^\/app\//, ''))) {
      const to = target.endsWith('/') ? join(app, target, basename(source)) : join(app, target);
      mkdirSync(join(to, '..'), { recursive: true });
      if (source === 'node_modules') symlinkSync(join(root, source), to);
      else cpSync(join(root, source), to, { recursive: true });
    }
  }
  chmodSync(app, 0o555);
  return app;
}
