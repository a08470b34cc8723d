// Draws the folders of src/ and rest/ and what they import into src/README.md, from the code's own imports. An arrow is
// left out where others lead the same way: the picture shows the order, `npm run imports` holds it.
// `node docs/architecture.mjs --check` writes nothing and fails when the picture is not what it would draw.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = dirname(import.meta.dirname);

/** The part of the house that a file belongs to; files beside the folders of src/ are used by all, and are no part. */
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

/** Only the arrows without which something could not be reached; there are no circles. */
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
// A label for each: some names are words of Mermaid.
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
  console.error('The picture in src/README.md is not what the imports say; run `node docs/architecture.mjs`.');
  process.exit(1);
}
if (!after.includes(picture)) throw new Error('src/README.md has no ```mermaid block to draw into.');
