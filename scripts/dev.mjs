// `npm run dev`: serves, and restarts when a source, a schema or a migration changes. Type `rs` and Enter to restart
// it.
import { spawn } from 'node:child_process';
import { watch } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const program = [join(import.meta.dirname, 'build.mjs'), '--if-needed', '--run', 'dist/src/cli/main.js', 'serve'];
const written = ['schema.graphql', 'prisma/schema.prisma', 'prisma/migrations', 'prisma/functions', 'rest', 'src'];
/** What the build itself writes. */
const generated = /^(database\/generated|http\/vendor|catalog\/schema-\w+\.ts|operations\/generated\.ts)/;

let server;
let timer;
function start() {
  server = spawn(process.execPath, program, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, SHUTDOWN_DELAY_MS: '0' },
  }).once('exit', (code, signal) => {
    server = undefined;
    if (signal === null && code !== 0)
      console.log(`The service exited with code ${code}. It restarts on the next change.`);
  });
}
function restart() {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (server === undefined) start();
    else server.once('exit', start).kill('SIGTERM');
  }, 100);
}
for (const path of written) {
  watch(join(root, path), { recursive: true }, (_event, name) => {
    if (name === null || !generated.test(name.replaceAll('\\', '/'))) restart();
  });
}
process.stdin.on('data', (text) => String(text).trim() === 'rs' && restart());
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () =>
    server === undefined ? process.exit() : server.once('exit', () => process.exit()).kill(signal),
  );
}
start();
