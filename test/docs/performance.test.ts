import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/project-root';

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

  it('are those of the last benchmark: README.md, which takes filters and terms together', () => {
    const rows = rowsOf('README.md');
    const together = rows.filter(([name]) => name?.endsWith('the worst'));
    const alone = rows.filter((row) => !together.includes(row));
    const known = targets.map(toRow);
    expect(alone.filter((row) => !known.some((each) => each.join() === row.join()))).toEqual([]);
    expect(together).toHaveLength(2);
    for (const [name, target, value] of together) {
      const group = targets.filter(
        (each) =>
          each.target === target &&
          each.name.startsWith(name?.slice(0, 8) === '1,000,00' ? '1,000,000' : 'q') &&
          !alone.some(([own]) => own === each.name),
      );
      expect(value).toBe(
        toRow(group.reduce((worst, each) => (each.value > worst.value ? each : worst), group[0] as never))[2],
      );
    }
    // Nothing that was missed is left out.
    const missed = targets.filter(({ met }) => !met).map(({ name }) => name);
    expect(rows.filter((row) => row[3] === '**missed**').map(([name]) => name)).toEqual(missed);
  });
});
