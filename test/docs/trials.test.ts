import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';
import { trial as attack } from '../trials/attack/attack-trial';
import { trial as faults } from '../trials/faults/faults';
import { toCells } from '../trials/result-table';
import type { TrialRow } from '../trials/trial';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const rowsOf = (name: string): string[][] =>
  (JSON.parse(read(`test/trials/results/${name}.json`)) as { rows: TrialRow[] }).rows.map(toCells);

/** The rows of a table of a document, without its header. */
const tableOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .slice(2)
    .map(([, cells = '']) => cells.split(/(?<!\\)\|/).map((cell) => cell.trim()));

describe('figures in documents', () => {
  it.each([
    ['faults', faults.table?.document ?? ''],
    ['attack', attack.table?.document ?? ''],
    ['bench', 'docs/performance.md'],
  ])('are those of the last whole run, the broken ones among them: %s in %s', (name, document) => {
    const [, table = ''] = read(document).split(new RegExp(`<!-- /?${name}(?:: written by npm run ${name})? -->`));
    expect(tableOf(table)).toEqual(rowsOf(name));
  });

  it('are those of the last benchmark: README.md, which has some of them', () => {
    const known = new Set(rowsOf('bench').map(String));
    const rows = tableOf(/^\| figure [\s\S]*?\n\n/m.exec(read('README.md'))?.[0] ?? '');
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter((row) => !known.has(String(row)))).toEqual([]);
  });
});
