// Every installed package must have a permissive license. Run by `npm run licenses`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const permissive = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'BlueOak-1.0.0',
  'Python-2.0',
  'Unlicense',
  'CC0-1.0',
  'CC-BY-4.0',
  'CC-BY-3.0',
  'WTFPL',
  'OFL-1.1',
  'PostgreSQL',
  'Zlib',
]);

/** Packages without a license in package.json; the license in their LICENSE file, read by a person. */
const readByHand = new Map([['seq-queue@0.0.5', 'MIT']]);

/** An expression is permissive if one branch of its OR is, and all parts of an AND. */
const isPermissive = (expression) =>
  expression
    .replace(/[()]/g, '')
    .split(/ OR /i)
    .some((branch) => branch.split(/ AND /i).every((name) => permissive.has(name.trim())));

const root = join(import.meta.dirname, '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const offenders = [];
let checked = 0;
for (const [path, entry] of Object.entries(packages)) {
  if (path === '') continue;
  checked += 1;
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const license = entry.license ?? readByHand.get(`${name}@${entry.version}`) ?? installedLicense(path);
  if (!isPermissive(license)) offenders.push(`${name} ${entry.version}: ${license}`);
}

/** Some old packages name their license in a form that the lockfile does not contain. */
function installedLicense(path) {
  try {
    const { license, licenses } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
    return license?.type ?? license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'none given';
  } catch {
    return 'none given, and not installed here';
  }
}

if (offenders.length > 0) {
  console.error(`Not on the list of permissive licenses:\n  ${offenders.join('\n  ')}`);
  process.exit(1);
}
console.log(`${checked} packages, all under permissive licenses`);
