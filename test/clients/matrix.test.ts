import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json';
import large from './large/package.json';

const documented = readFileSync(join(__dirname, '../../docs/clients.md'), 'utf8');
const rows = [...documented.matchAll(/^\| `([^`]+)` +\| ([0-9.]+) +\|/gm)].map(([, name = '', version = '']) => [
  name,
  version,
]);
const versions: Readonly<Record<string, string>> = {
  ...manifest.dependencies,
  ...manifest.devDependencies,
  ...large.dependencies,
};

const tests = ['.', 'large', '../auth', '../graph', '../mcp'].flatMap((folder) =>
  readdirSync(join(__dirname, folder))
    .filter((name) => /\.(test\.ts|mjs)$/.test(name))
    .map((name) => readFileSync(join(__dirname, folder, name), 'utf8')),
);

it('lists packages', () => expect(rows.length).toBeGreaterThan(10));

it.each(rows)('docs/clients.md lists %s in the version that is tested, %s', (name, version) => {
  expect(versions[name]).toBe(version);
  const use = new RegExp(`'${name}['/]`);
  expect(tests.some((text) => use.test(text))).toBe(true);
});

/** Audits, lint rules, and schemas of the deployment files. */
const noClients = [
  '@stoplight/spectral-rulesets',
  'accessibility-checker-engine',
  'afdocs',
  'lighthouse',
  '@grafana/schema',
  'dclint',
  'kubernetes-types',
];

it('docs/clients.md lists every client that only the nightly run installs', () => {
  const clients = Object.keys(large.dependencies).filter((name) => !noClients.includes(name));
  expect(rows.map(([name]) => name)).toEqual(expect.arrayContaining(clients));
});
