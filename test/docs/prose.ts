import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';

export interface Text {
  readonly path: string;
  readonly text: string;
}

/** Files that are checked in or would be. */
export const files: readonly string[] = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard'],
  {
    cwd: projectRoot,
  },
)
  .toString()
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(projectRoot, path)));

export const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');

export const isDocument = (path: string): boolean => path.endsWith('.md');

/** Documents, and code with comments. */
export const texts: readonly Text[] = files
  .filter(
    (path) =>
      isDocument(path) ||
      /^(src|rest|test|bench|client|prisma|docs|\.ci)\/.*(\.(ts|mjs|cjs|sql|sh|graphql|prisma|ya?ml)|run)$/.test(
        path,
      ) ||
      /^(Dockerfile|docker-compose\.yml|[\w.-]+\.(mjs|cjs))$/.test(path),
  )
  .map((path) => ({ path, text: read(path) }));

/** Migrations stay byte for byte as they were applied, and refer to files by the names of that time. */
export const isHistory = (path: string): boolean => path.startsWith('prisma/migrations/');

/** Documents without their examples, and the comments in code. */
export function proseOf({ path, text }: Text): readonly string[] {
  if (isDocument(path)) return [text.replace(/^```[\s\S]*?^```/gm, '')];
  return [...text.matchAll(/\/\*\*?[\s\S]*?\*\/|(?<=^|\s)\/\/ .*|^\s*(?:--|#) .*/gm)].map(([comment]) => comment);
}

/** Names of tests and of groups of tests. */
export function titlesOf({ path, text }: Text): readonly string[] {
  if (!path.endsWith('.test.ts')) return [];
  const titles = text.matchAll(
    /\b(?:it|describe|test)(?:\.\w+)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1|^\s*\]?\)\((['"`])((?:\\.|(?!\3).)*)\3/gm,
  );
  return [...titles].map(([, , title = '', , ofTable = '']) => title || ofTable);
}
