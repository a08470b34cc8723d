// Adds package-lock.json to what `npm pack` packs, under the only name that npm includes, and removes it again. `npm ci
// --omit=dev` in an unpacked release installs the versions that were tested (Dockerfile). `node scripts/release.mjs
// before` and `after` are the scripts prepack and postpack.
import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = join(root, 'npm-shrinkwrap.json');
if (process.argv[2] === 'before') copyFileSync(join(root, 'package-lock.json'), target);
else rmSync(target);
