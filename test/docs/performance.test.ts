import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';

interface Results {
  readonly targets: readonly { name: string; target: string; value: number; unit: string; met: boolean }[];
}

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const { targets } = JSON.parse(read('bench/results.json')) as Results;

/** The rows `| figure | target | measured | met |` of a document. */
const rowsOf = (path: string): string[][] =>
  [...read(path).matchAll(/^\| (.+?) +\| ([≤≥].+?) +\| (.+?) +\| (met|\*\*missed\*\*) +\|$/gm)].map((row) =>
    row.slice(1).map((cell) => cell.trim()),
  );

const toRow = ({ name, target, value, unit, met }: Results['targets'][number]): string[] => [
  ...[name, target, `${Number(value.toPrecision(3))} ${unit}`, met ? 'met' : '**missed**'],
];

describe('figures in documents', () => {
  it('are those of the last benchmark, the missed ones among them: docs/performance.md', () => {
    expect(rowsOf('docs/performance.md')).toEqual(targets.map(toRow));
  });

  it('are those of the last benchmark: README.md, which has some of them', () => {
    const known = targets.map(toRow);
    const rows = rowsOf('README.md');
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter((row) => !known.some((each) => each.join() === row.join()))).toEqual([]);
  });
});
