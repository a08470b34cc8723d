// Draws the imports between the folders of src/ and rest/ into src/README.md. Arrows that others imply are left out.
// `npm run imports` enforces the order. `node docs/architecture.mjs --check` writes nothing and fails if the picture is
// out of date.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** The folder or entry point that a file belongs to. Other files directly in src/ belong to none. */
const partOf = (path) => /^(rest)\//.exec(path)?.[1] ?? /^src\/([\w-]+)\//.exec(path)?.[1] ?? entryOf(path);
const entryOf = (path) => /^src\/((?:app|main)\.ts)$/.exec(path)?.[1];

function findArrows() {
  const dependencyCruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const report = execFileSync(
    process.execPath,
    [dependencyCruiser, '--config', 'scripts/import-order.cjs', 'src', 'rest', '--output-type', 'json'],
    {
      cwd: root,
      maxBuffer: 256 * 1024 * 1024,
    },
  );
  const arrows = new Map();
  for (const { source, dependencies } of JSON.parse(report).modules) {
    const from = partOf(source);
    if (from === undefined) continue;
    for (const { resolved } of dependencies) {
      const to = partOf(resolved);
      if (to === undefined || to === from) continue;
      if (!arrows.has(from)) arrows.set(from, new Set());
      arrows.get(from).add(to);
    }
  }
  return arrows;
}

/** Transitive reduction: drops arrows that a longer path implies. The graph has no cycles. */
function reduce(arrows) {
  const reached = (from, seen = new Set()) => {
    for (const to of arrows.get(from) ?? []) if (!seen.has(to)) reached(to, seen.add(to));
    return seen;
  };
  return [...arrows]
    .flatMap(([from, targets]) =>
      [...targets]
        .filter((to) => ![...targets].some((other) => other !== to && reached(other).has(to)))
        .map((to) => [from, to]),
    )
    .sort(([a, b], [c, d]) => (`${a} ${b}` < `${c} ${d}` ? -1 : 1));
}

const arrows = reduce(findArrows());
// Ids differ from labels, because some names are keywords of Mermaid.
const named = new Set();
const nodeOf = (part) => {
  const id = `part_${part.replaceAll(/\W/g, '_')}`;
  if (named.has(part)) return id;
  named.add(part);
  return `${id}["${part.endsWith('.ts') ? part : `${part}/`}"]`;
};
const lines = arrows.map(([from, to]) => `  ${nodeOf(from)} --> ${nodeOf(to)}`);
const picture = ['```mermaid', 'flowchart TD', ...lines, '```'].join('\n');

const document = join(root, 'src/README.md');
const before = readFileSync(document, 'utf8');
const after = before.replace(/```mermaid\n[\s\S]*?```/, picture);
if (!process.argv.includes('--check')) writeFileSync(document, after);
else if (after !== before) {
  console.error('The picture in src/README.md is out of date: run `node docs/architecture.mjs`.');
  process.exit(1);
}
if (!after.includes(picture)) throw new Error('src/README.md has no ```mermaid block to draw into.');
