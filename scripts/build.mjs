// Compiles src/ and rest/ to dist/ with swc (types are checked by `npm run types`), and generates the Prisma client.
// `node scripts/build.mjs --if-needed` does nothing when dist/ is newer than every source; `--run FILE …` then runs a
// file of dist/ in this process, so that a signal for `npm start` reaches the service and not a shell in front of it.
import '../src/require-node.cjs';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';

const root = join(import.meta.dirname, '..');
const stamp = join(root, 'dist/.built');
const generated = join(root, 'src/database/generated/client.ts');
const members = join(root, 'src/catalog/schema-members.ts');
const compilerOptions = join(root, 'scripts/swc.json');

/** The files that pages load from development dependencies. A release contains only these files of them. */
const vendored = {
  'react.js': 'react/umd/react.production.min.js',
  'react-dom.js': 'react-dom/umd/react-dom.production.min.js',
  'graphiql.js': 'graphiql/graphiql.min.js',
  'graphiql.css': 'graphiql/graphiql.min.css',
  'inter-latin.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'inter-latin-ext.woff2': '@fontsource-variable/inter/files/inter-latin-ext-wght-normal.woff2',
  'jetbrains-mono-latin.woff2': '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
};
const vendor = join(root, 'src/http/vendor');
const licenses = join(vendor, 'licenses.md');

const sourcesUnder = (directory, ending = '.ts') =>
  readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));

/** Copied unchanged: mapping files, and assets of pages. */
const copied = ['.yaml', '.md', '.css', '.js', '.cjs', '.graphql', '.json', '.svg', '.png', '.woff2'];
const isCopied = (source) => copied.some((ending) => source.endsWith(ending));

/** Everything that is compiled or copied: not READMEs, which are for readers of the sources. */
const allSources = () => [
  ...sourcesUnder('src'),
  ...copied.flatMap((ending) => sourcesUnder('src', ending)).filter((source) => !source.endsWith('README.md')),
  ...sourcesUnder('rest'),
  ...sourcesUnder('rest', '.yaml'),
];

/** The OpenAPI document becomes JSON: every start parses it, and YAML takes a hundred times as long. */
const becomesJson = (source) => source.startsWith(join(root, 'rest')) && source.endsWith('.yaml');

const targetOf = (source) =>
  join(root, 'dist', source.slice(root.length)).replace(
    ...(becomesJson(source) ? [/\.yaml$/, '.json'] : [/\.ts$/, '.js']),
  );

/** Outputs in dist/ whose sources no longer exist. */
function staleOutputs(sources) {
  const targets = new Set(sources.map(targetOf));
  return ['dist/src', 'dist/rest'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(({ name }) => /\.(js(\.map)?|json|yaml|md|css|graphql|svg|png|woff2)$/.test(name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !targets.has(path.replace(/\.map$/, ''))),
  );
}

const isNewer = (file, than) => statSync(file).mtimeMs > than;

function isBuildNeeded() {
  if (![stamp, generated, members, licenses].every((file) => existsSync(file))) return true;
  const builtAt = statSync(stamp).mtimeMs;
  const sources = allSources();
  const inputs = [...sources, join(root, 'prisma/schema.prisma'), join(root, 'schema.graphql'), compilerOptions];
  // Moved and deleted files do not show as newer ones.
  return (
    inputs.some((file) => isNewer(file, builtAt)) ||
    sources.some((source) => !existsSync(targetOf(source))) ||
    staleOutputs(sources).length > 0
  );
}

function generatePrismaClient() {
  execFileSync(process.execPath, [join(root, 'scripts/prisma.cjs'), 'generate'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Copies the vendored files, and the licenses that must accompany them. */
function copyVendored() {
  mkdirSync(vendor, { recursive: true });
  const packages = new Set();
  for (const [name, path] of Object.entries(vendored)) {
    copyFileSync(join(root, 'node_modules', path), join(vendor, name));
    packages.add(/^(@[^/]+\/)?[^/]+/.exec(path)[0]);
  }
  const texts = [...packages].map((name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'))}`);
  writeFileSync(licenses, texts.join('\n\n'));
}

/** Compilers are development dependencies; an installation without them runs what was built before. */
async function loadCompilers() {
  try {
    const { transformFileSync } = await import('@swc/core');
    return { transformFileSync, parseYaml: (await import('yaml')).parse };
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return undefined;
  }
}

const withoutCompiler = `dist/ is not built, and building requires the development dependencies. Run this instead:
  npm ci && npm prune --omit=dev
or install the release, which is built already (README.md).`;

function build({ transformFileSync, parseYaml }) {
  if (!existsSync(generated) || isNewer(join(root, 'prisma/schema.prisma'), statSync(generated).mtimeMs))
    generatePrismaClient();
  if (!existsSync(members) || isNewer(join(root, 'schema.graphql'), statSync(members).mtimeMs))
    execFileSync(process.execPath, [join(import.meta.dirname, 'codegen-types.mjs')], { stdio: 'inherit' });
  const versions = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(licenses) || (existsSync(versions) && isNewer(versions, statSync(licenses).mtimeMs))) copyVendored();
  const sources = allSources();
  for (const source of sources) {
    const target = targetOf(source);
    mkdirSync(dirname(target), { recursive: true });
    if (becomesJson(source)) {
      writeFileSync(target, JSON.stringify(parseYaml(readFileSync(source, 'utf8'))));
      continue;
    }
    if (isCopied(source)) {
      copyFileSync(source, target);
      continue;
    }
    const { code, map } = transformFileSync(source, { swcrc: true, configFile: compilerOptions });
    writeFileSync(target, `${code}\n//# sourceMappingURL=${target.split('/').at(-1)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }
  // `npx catalog` executes the file.
  chmodSync(join(root, 'dist/src/cli/main.js'), 0o755);
  // The same sources must give the same dist/ (src/common/build-digest.ts).
  for (const path of staleOutputs(sources)) rmSync(path);
  writeFileSync(stamp, '');
}

const [run, file, ...words] = process.argv.slice(process.argv.indexOf('--run'));
const isBuilt = existsSync(stamp);
if (!process.argv.includes('--if-needed') || isBuildNeeded()) {
  const compilers = await loadCompilers();
  if (compilers !== undefined) build(compilers);
  else if (isBuilt)
    process.stderr.write('dist/ was not rebuilt, because no compiler is installed; the existing files are used\n');
  else {
    process.stderr.write(`${withoutCompiler}\n`);
    // The installation is complete; there is just nothing to run yet.
    process.exit(process.argv.includes('--if-possible') ? 0 : 1);
  }
}
/**
 * npm runs scripts in a shell. A signal that npm forwards ends the shell, but not its child. Ending npm or the shell
 * must end this process, too.
 */
function endWithNpm() {
  const shell = process.ppid;
  const npm = parentOf(shell);
  const look = setInterval(() => {
    if (process.ppid === shell && (npm === undefined || parentOf(shell) === npm)) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, 100);
  look.unref();
}

/** Known only on Linux. Elsewhere, killing npm outright leaves the shell and this process running. */
function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}

if (run === '--run') {
  if (process.env.npm_lifecycle_event !== undefined) endWithNpm();
  process.argv = [process.execPath, join(root, file), ...words];
  createRequire(import.meta.url)(join(root, file));
}
