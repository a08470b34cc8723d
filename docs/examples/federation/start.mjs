// `npm run example`: the catalog, the tests' reviews subgraph and delivery.mjs as one graph. Ctrl-C ends all three.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const children = [];
const start = (args, env = {}, stdio = 'inherit') => {
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env }, stdio });
  process.once('exit', () => child.kill());
  children.push(child);
  return child;
};

/** Starts a subgraph on a free port. @returns its URL, once it listens */
async function startSubgraph(file) {
  const child = start([file, '0'], {}, ['ignore', 'pipe', 'inherit']);
  for await (const line of createInterface(child.stdout)) {
    const [url] = /http:[^\s"]+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`${file} exited without printing a URL.`);
}

const [reviews, delivery] = await Promise.all(
  ['test/federation/reviews/main.mjs', 'docs/examples/federation/delivery.mjs'].map(startSubgraph),
);
const catalog = start(['scripts/build.mjs', '--if-needed', '--run', 'dist/src/cli/main.js', 'serve'], {
  SUBGRAPHS: `reviews=${reviews},delivery=${delivery}`,
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => catalog.kill(signal));
catalog.once('exit', async (code) => {
  const others = children.filter((child) => child.exitCode === null && child.signalCode === null);
  await Promise.all(others.map((child) => child.kill() && once(child, 'exit')));
  process.exit(code ?? 1);
});
