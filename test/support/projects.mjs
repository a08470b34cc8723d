// Sorts test files into the projects of jest.config.mjs by what they import, so that no list has to be maintained: a
// file that imports test/support/service needs a service. The first matching project of the table is used.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Modules that give a test what it needs, by project; files of this repository without their extension. */
const needs = [
  ['process', ['node:child_process', 'playwright-core', 'src/database/embedded-postgres']],
  ['service', ['test/support/service', 'test/support/app', 'node:http', 'node:net']],
  ['database', ['test/support/test-database', 'test/support/sql-pool']],
];

/** Their tests find a migrated PostgreSQL; those of `unit` find nothing. */
export const projectsWithDatabase = needs.map(([name]) => name);

/**
 * Files that need nothing either, and each take more than some three seconds of CPU time: random inputs by the
 * thousand, and the worst ones. They have a separate project, so that `npm run test:unit` stays quick.
 */
const long = [
  'test/federation-product/catalog-part',
  'test/federation-product/hostile-sdl',
  'test/graph-limits/hostile-documents',
  'test/graph-limits/validation-cost',
  'test/ingest/round-trip',
  'test/privacy/addresses',
  'test/privacy/expensive-texts',
  'test/privacy/every-character',
  'test/security/regular-expressions',
];

/** Absolute paths of all test files, by project. */
export function sortTestFiles() {
  const files = { unit: [], long: [], database: [], service: [], process: [] };
  for (const entry of readdirSync(join(root, 'test'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.test.ts')) continue;
    const file = join(entry.parentPath, entry.name);
    files[findProject(file)].push(file);
  }
  return files;
}

/** The project of one test file. */
export function findProject(file) {
  const modules = new Set();
  collectImports(file, modules, new Set());
  const needed = needs.find(([, names]) => names.some((name) => modules.has(name)))?.[0];
  return needed ?? (long.includes(nameOf(file)) ? 'long' : 'unit');
}

/** Follows imports within test/ only: the sources are the same for every importer. */
function collectImports(file, modules, seen) {
  if (seen.has(file)) return;
  seen.add(file);
  for (const name of importsOf(readFileSync(file, 'utf8'))) {
    if (!name.startsWith('.')) {
      modules.add(name);
      continue;
    }
    const target = resolve(dirname(file), name).replace(/\.(ts|mjs|cjs|js)$/, '');
    modules.add(nameOf(target));
    const source = [`${target}.ts`, `${target}.cjs`, `${target}/index.ts`].find((path) => existsSync(path));
    if (source !== undefined && source.startsWith(join(root, 'test'))) collectImports(source, modules, seen);
  }
}

const nameOf = (path) =>
  relative(root, path)
    .replaceAll('\\', '/')
    .replace(/(\.test)?\.ts$/, '');

/** Types do not exist when a test runs. */
const importsOf = (text) =>
  [
    ...text.matchAll(
      /^(?:import|export)(?! type\b)[^'";]*?['"]([^'"]+)['"]|\b(?:require|import)\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map(([, statement, call]) => statement ?? call);
