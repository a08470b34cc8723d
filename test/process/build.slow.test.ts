import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { buildCatalog } from '../cli/run-catalog';

const root = join(__dirname, '../..');

/** A small program for build.mjs to build: the files that it always expects, and the given sources. */
function createProgram(sources: readonly string[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'catalog-sources-'));
  for (const name of ['scripts/build.mjs', 'scripts/swc.json', 'src/require-node.cjs'])
    cpSync(join(root, name), join(directory, name));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  for (const path of [
    'prisma/schema.prisma',
    'schema.graphql',
    'src/database/generated/client.ts',
    'src/catalog/schema-members.ts',
    'src/cli/main.ts',
    ...sources,
  ])
    write(directory, path);
  return directory;
}

function write(directory: string, path: string): void {
  mkdirSync(dirname(join(directory, path)), { recursive: true });
  writeFileSync(join(directory, path), '');
}

const build = (directory: string, ...options: string[]): void => {
  execFileSync(process.execPath, ['scripts/build.mjs', ...options], { cwd: directory, stdio: 'ignore' });
};

const outputs = (directory: string): string[] =>
  ['src', 'rest']
    .flatMap((folder) =>
      readdirSync(join(directory, 'dist', folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => /\.(js|map)$/.test(path) && !/generated|cli|catalog|vendor/.test(path))
    .sort();

const both = (...names: string[]): string[] => names.flatMap((name) => [`${name}.js`, `${name}.js.map`]).sort();

describe.each([[[]], [['--if-needed']]])('node scripts/build.mjs %j', (options) => {
  let program: string;
  beforeEach(() => {
    program = createProgram(['src/kept.ts', 'src/deep/er/gone.ts', 'rest/kept.ts', 'rest/gone.ts']);
    build(program, ...options);
    expect(outputs(program)).toEqual(both('src/kept', 'src/deep/er/gone', 'rest/kept', 'rest/gone'));
  });
  afterEach(() => rmSync(program, { recursive: true }));

  it('removes the output of deleted sources', () => {
    for (const path of ['src/deep', 'rest/gone.ts']) rmSync(join(program, path), { recursive: true });
    build(program, ...options);
    expect(outputs(program)).toEqual(both('src/kept', 'rest/kept'));
  });

  it('follows a moved source, even with an unchanged date', () => {
    renameSync(join(program, 'src/deep/er/gone.ts'), join(program, 'src/deep/here.ts'));
    build(program, ...options);
    expect(outputs(program)).toEqual(both('src/kept', 'src/deep/here', 'rest/kept', 'rest/gone'));
  });

  it('converts the OpenAPI document to JSON, and again after a change', () => {
    const document = join(program, 'rest/openapi.yaml');
    const made = join(program, 'dist/rest/openapi.json');
    for (const title of ['one', 'two']) {
      writeFileSync(document, `info: { title: ${title} }\n`);
      build(program, ...options);
      expect(JSON.parse(readFileSync(made, 'utf8'))).toEqual({ info: { title } });
    }
    rmSync(document);
    build(program, ...options);
    expect(existsSync(made)).toBe(false);
  });

  it('leaves other files alone', () => {
    write(program, 'dist/src/notes.txt');
    write(program, 'dist/elsewhere/program.js');
    build(program, ...options);
    expect(readdirSync(join(program, 'dist/src'))).toContain('notes.txt');
    expect(readdirSync(join(program, 'dist/elsewhere'))).toEqual(['program.js']);
  });
});

it('the built OpenAPI document matches the sources', () => {
  buildCatalog();
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  expect(JSON.parse(read('dist/rest/openapi.json'))).toEqual(parse(read('rest/openapi.yaml')));
});
