import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { projectRoot } from './project-root';

/**
 * A digest of everything that determines a response: the program's own files, the versions of its dependencies, the
 * schema, and the migrations and functions, which write rows in their final form (docs/decisions.md 1, 8). Two
 * processes of one build have the same digest. Any change of the program changes it, with or without a new version in
 * package.json. Read at startup, from the files that run.
 */
export function readBuildDigest(): string {
  const hash = createHash('sha256');
  for (const file of [...programFiles(), ...otherFiles()]) {
    const content = readFileSync(file.path);
    hash.update(`${file.name}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

interface NamedFile {
  /** The same on every machine. */
  readonly name: string;
  readonly path: string;
}

/**
 * Files in dist/ when that runs; under the tests, which run unbuilt, the sources. Source maps and types do not affect
 * responses.
 */
function programFiles(): NamedFile[] {
  const running = join(__dirname, '../..');
  return ['src', 'rest'].flatMap((folder) =>
    filesUnder(running, folder, (name) => /\.[cm]?[jt]s$/.test(name) && !name.endsWith('.d.ts')),
  );
}

function otherFiles(): NamedFile[] {
  const scripts = filesUnder(projectRoot, 'prisma', (name) => name.endsWith('.sql'));
  // npm writes the second one into node_modules, so images without the first still have it.
  const lockfile = ['package-lock.json', join('node_modules', '.package-lock.json')].find((name) =>
    existsSync(join(projectRoot, name)),
  );
  const single = ['schema.graphql', ...(lockfile === undefined ? [] : [lockfile])];
  return [...scripts, ...single.map((name) => ({ name, path: join(projectRoot, name) }))];
}

function filesUnder(root: string, folder: string, isWanted: (name: string) => boolean): NamedFile[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isWanted(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: relative(root, path).split(sep).join('/'), path }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
