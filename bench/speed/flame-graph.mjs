/**
 * `npm run trial -- flame-graph`: shows where the time of an uncached page is spent. Samples the service
 * under load and draws docs/hot-path.svg: width is time, callees are drawn on top of their callers. Waiting for work is
 * left out.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createKey, provideBenchDatabase } from './database.mjs';
import { applyLoad } from './load.mjs';
import { openOracle } from './oracle.mjs';
import { installPackages } from './packages.mjs';
import { startServer } from './process.mjs';
import { serviceSettings } from './service-settings.mjs';
import { shuffled } from './statistics.mjs';
import { walkProducts } from './walk.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const log = (line) => process.stderr.write(`${line}\n`);

export const trial = {
  what: 'a flame graph of the CPU time of uncached pages',
  parts: [],
  isBenchmark: true,
  async run(_options, report) {
    installPackages(log);
    const scratch = mkdtempSync(join(tmpdir(), 'catalog-flame-'));
    const database = await provideBenchDatabase(['100k'], log);
    const oracle = await openOracle(database.url);
    const shopId = database.shopIds['100k'];
    const { apiKey } = await createKey(oracle.query, shopId);
    const env = serviceSettings(database.url, scratch);
    const start = (options = []) =>
      startServer(process.execPath, [...options, join(root, 'dist/src/main.js')], { env });

    // Pagination and warm-up run in another process, so that the samples contain only the load.
    const guide = await start();
    const { positions } = await walkProducts(guide.origin, apiKey, oracle, shopId, 3);
    await guide.stop();
    const service = await start(['--cpu-prof', `--cpu-prof-dir=${scratch}`, '--cpu-prof-interval=500']);
    const requests = shuffled(positions).map(({ cursor }) => ({ path: `/v1/products?cursor=${cursor}` }));
    const { rate } = await applyLoad(
      { origin: service.origin, requests, headers: { authorization: `Bearer ${apiKey}` } },
      { seconds: 30 },
    );
    await service.stop();
    await oracle.close();
    await database.stop();

    const profile = readdirSync(scratch).find((name) => name.endsWith('.cpuprofile'));
    writeFileSync(join(root, 'docs/hot-path.svg'), draw(JSON.parse(readFileSync(join(scratch, profile), 'utf8'))));
    rmSync(scratch, { recursive: true, force: true });
    report({ what: 'docs/hot-path.svg', measured: `${rate.toFixed(0)} pages a second while sampled`, isKept: true });
  },
};

/** The tree of calls, equal calls under the same caller merged, without waiting and without startup. */
function toTree({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const own = new Map();
  samples.forEach((id, index) => own.set(id, (own.get(id) ?? 0) + timeDeltas[index]));
  const left = new Set(['(idle)', '(program)']);
  const isStart = ({ functionName, url }) => url.startsWith('node:internal/main/') || functionName === 'require';
  const merge = (into, node) => {
    const { callFrame } = node;
    if (left.has(callFrame.functionName) || isStart(callFrame)) return 0;
    const name = nameOf(callFrame);
    const target = into.get(name) ?? { name, time: 0, children: new Map() };
    into.set(name, target);
    let time = own.get(node.id) ?? 0;
    for (const child of node.children ?? []) time += merge(target.children, byId.get(child));
    target.time += time;
    return time;
  };
  const roots = new Map();
  merge(roots, nodes[0]);
  return [...roots.values()][0];
}

function nameOf({ functionName, url, lineNumber }) {
  const name = functionName === '' ? '(anonymous)' : functionName;
  const path = url
    .replace('file://', '')
    .replace(join(root, 'dist/'), '')
    .replace(/^.*node_modules\//, '');
  return path === '' ? name : `${name} ${path}:${lineNumber + 1}`;
}

function draw(profile) {
  const tree = toTree(profile);
  const [width, row] = [1200, 17];
  const escape = (text) => text.replace(/[<>&"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const color = (name) =>
    / (?:src|rest)\//.test(name)
      ? '#e8743b'
      : / node:/.test(name)
        ? '#9bb8cc'
        : name.includes('/')
          ? '#f2c14e'
          : '#c9c9c9';
  const boxes = [];
  let depth = 0;
  const place = (node, x, level) => {
    const size = (node.time / tree.time) * width;
    if (size < 3) return;
    depth = Math.max(depth, level + 1);
    boxes.push({ ...node, x, level, size });
    let next = x;
    for (const child of [...node.children.values()].sort((a, b) => b.time - a.time)) {
      place(child, next, level + 1);
      next += (child.time / tree.time) * width;
    }
  };
  place(tree, 0, 0);
  const height = depth * row + 4;
  const shapes = boxes.map(({ name, time, x, level, size }) => {
    const y = height - (level + 1) * row;
    const label = escape(name.slice(0, Math.floor(size / 6.2)));
    const text = size < 30 ? '' : `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${label}</text>`;
    const title = `<title>${escape(name)}: ${((100 * time) / tree.time).toFixed(1)} %</title>`;
    const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(size - 0.5, 0.5).toFixed(1)}" height="${row - 1}" fill="${color(name)}"/>`;
    return `<g>${title}${box}${text}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="10">
<rect width="${width}" height="${height}" fill="#fff"/>
${shapes.join('\n')}
</svg>
`;
}
