import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const readText = (name: string): string => readFileSync(join(__dirname, '../..', name), 'utf8');
const read = (name: string): unknown => JSON.parse(readText(name));

interface LockedPackage {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly devOptional?: boolean;
  readonly peer?: boolean;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const manifest = read('package.json') as Record<
  'dependencies' | 'devDependencies' | 'allowScripts' | 'engines',
  Record<string, string>
>;
const { packages } = read('package-lock.json') as { packages: Record<string, LockedPackage> };
const locked = Object.entries(packages).filter(([path]) => path !== '');

describe('the packages that are installed', () => {
  it('are of one version each', () => {
    const large = read('test/clients/large/package.json') as typeof manifest;
    const bench = read('bench/package.json') as typeof manifest;
    const versions = [manifest.dependencies, manifest.devDependencies, large.dependencies, bench.dependencies].flatMap(
      (one) => Object.entries(one),
    );
    expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('stay behind their newest major only as docs/decisions.md says', () => {
    const [, text = ''] = /^## Packages$([^]*?)^\|/m.exec(readText('docs/decisions.md')) ?? [];
    const listed = [...text.matchAll(/`([@\w/-]+)` (\d+)/g)].map(([, name = '', major]) => [name, major] as const);
    expect(listed.length).toBeGreaterThan(10);
    const installed = { ...manifest.dependencies, ...manifest.devDependencies };
    expect(listed.filter(([name, major]) => installed[name]?.split('.')[0] !== major)).toEqual([]);
    // The reasons, where the installed packages show them.
    const peersOf = (name: string) => packages[`node_modules/${name}`]?.peerDependencies ?? {};
    expect(peersOf('@apollo/server')['graphql']).toMatch(/^\^16\.\d+\.\d+$/);
    expect(peersOf('typescript-eslint')['typescript']).toMatch(/<6\.1\.0$/);
    expect(manifest.engines['node']).toMatch(/^\^20\.19 /);
    expect(installed['@prisma/schema-engine-wasm']).toMatch(new RegExp(`^${installed['prisma']}-`));
    const { dependencies } = packages['node_modules/openapi-typescript'] ?? {};
    expect(dependencies?.['@redocly/openapi-core']).toMatch(/^\^1\./);
  });

  it('of the running service each have a reason in docs/decisions.md, and there are no other reasons', () => {
    const [, table = ''] = /^\| package +\| reason +\|\n([^]*?)\n\n/m.exec(readText('docs/decisions.md')) ?? [];
    const named = [...table.matchAll(/`([@\w./-]+)`/g)].map(([, name]) => name);
    expect(named.sort()).toEqual(Object.keys(manifest.dependencies).sort());
  });

  it('are at most 850, so that a checkout is light', () => {
    const here = locked.filter(([, { os, cpu, libc }]) =>
      [os?.includes('linux'), cpu?.includes('x64'), libc?.includes('glibc')].every((fits) => fits !== false),
    );
    expect(here.length).toBeGreaterThan(600);
    expect(here.length).toBeLessThanOrEqual(850);
  });

  it('come from the registry, with the bytes that were reviewed', () => {
    expect(locked.length).toBeGreaterThan(100);
    expect(locked.filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)).toEqual([]);
    expect(locked.filter(([, { resolved = '' }]) => !/^(https:\/\/registry\.npmjs\.org\/.*)?$/.test(resolved))).toEqual(
      [],
    );
  });

  it('run install scripts only if that was decided', () => {
    const names = locked
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(names.filter((name) => !(name in manifest.allowScripts))).toEqual([]);
  });

  it('leave the Prisma CLI, its Studio and elkjs out of production (docs/decisions.md 12)', () => {
    const kept = locked
      .filter(([, { dev, optional, devOptional, peer }]) => !(dev || optional || devOptional || peer))
      .map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
    expect(kept).toContain('@prisma/client');
    expect(kept.filter((name) => /^(prisma|elkjs|@prisma\/(studio.*|dev|engines|streams-local))$/.test(name))).toEqual(
      [],
    );
  });
});
