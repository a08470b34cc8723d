// Compiles src/ and rest/ to dist/ with swc (types are checked by `npm run types`), and generates the Prisma client.
// `node build.mjs --if-needed` does nothing when dist/ is newer than every source.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

const root = import.meta.dirname;
const stamp = join(root, 'dist/.built');
const generated = join(root, 'src/database/generated/client.ts');

const sourcesUnder = (directory) =>
  readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name));

const isNewer = (file, than) => statSync(file).mtimeMs > than;

function isBuildNeeded() {
  if (!existsSync(stamp) || !existsSync(generated)) return true;
  const builtAt = statSync(stamp).mtimeMs;
  const inputs = [
    ...sourcesUnder('src'),
    ...sourcesUnder('rest'),
    join(root, 'prisma/schema.prisma'),
    join(root, '.swcrc'),
  ];
  return inputs.some((file) => isNewer(file, builtAt));
}

function generatePrismaClient() {
  // `prisma generate` insists on a schema-engine binary that it does not use; any existing file will do, and nothing is downloaded.
  execFileSync(process.execPath, [join(root, 'node_modules/prisma/build/index.js'), 'generate'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  });
}

if (!process.argv.includes('--if-needed') || isBuildNeeded()) {
  if (!existsSync(generated) || isNewer(join(root, 'prisma/schema.prisma'), statSync(generated).mtimeMs))
    generatePrismaClient();
  for (const source of [...sourcesUnder('src'), ...sourcesUnder('rest')]) {
    const target = join(root, 'dist', source.slice(root.length)).replace(/\.ts$/, '.js');
    const { code, map } = transformFileSync(source, { swcrc: true, configFile: join(root, '.swcrc') });
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${target.split('/').at(-1)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }
  writeFileSync(stamp, '');
}
