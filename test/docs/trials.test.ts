import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const { rows } = JSON.parse(read('bench/results/bench.json')) as {
  readonly rows: readonly {
    readonly what: string;
    readonly promise: string;
    readonly measured: string;
    readonly isKept: boolean;
  }[];
};

it('the figures of docs/performance.md are those of the last benchmark', () => {
  const known = rows.map((row) => [row.what, row.promise, row.measured, row.isKept ? 'met' : '**missed**'].join(' | '));
  const table = /^\| metric {2}[\s\S]*?\n\n/m.exec(read('docs/performance.md'))?.[0] ?? '';
  const shown = [...table.matchAll(/^\| (.+) \|$/gm)].slice(2).map(([, cells = '']) =>
    cells
      .split('|')
      .map((cell) => cell.trim())
      .join(' | '),
  );
  expect(shown.length).toBeGreaterThan(3);
  expect(shown.filter((row) => !known.includes(row))).toEqual([]);
});
