import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import ciPackages from './ci-packages.json';

const documented = readFileSync(join(__dirname, '../../docs/clients.md'), 'utf8');
const rows = [...documented.matchAll(/^\| `([^`]+)` +\| ([0-9.]+) +\|/gm)].map(([, name = '', version = '']) => [
  name,
  version,
]);
const versions: Readonly<Record<string, string>> = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...ciPackages,
};

const tests = ['.', '../auth', '../graph', '../mcp'].flatMap((folder) =>
  readdirSync(join(__dirname, folder))
    .filter((name) => /\.(test\.ts|mjs)$/.test(name))
    .map((name) => readFileSync(join(__dirname, folder, name), 'utf8')),
);

it('lists packages', () => expect(rows.length).toBeGreaterThan(10));

it.each(rows)('docs/clients.md lists %s in the version that is tested, %s', (name, version) => {
  expect(versions[name]).toBe(version);
  const use = new RegExp(`'${name}['/]|node_modules/${name}/`);
  expect(tests.some((text) => use.test(text))).toBe(true);
});

it('docs/clients.md lists every package that CI installs beside', () => {
  const others = Object.keys(ciPackages).filter((name) => !['node', 'afdocs', 'lighthouse'].includes(name));
  expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining(others));
});
