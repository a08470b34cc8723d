import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/common/project-root';
import type { TrialResult } from '../trials/result-table';
import { toCells, toResultPage } from '../trials/result-table';

const read = (path: string): string => readFileSync(join(projectRoot, path), 'utf8');
const resultOf = (name: string): TrialResult => JSON.parse(read(`test/trials/results/${name}.json`)) as TrialResult;

/** The rows of a table of a document, without its header. */
const tableOf = (text: string): string[][] =>
  [...text.matchAll(/^\| (.+) \|$/gm)]
    .slice(2)
    .map(([, cells = '']) => cells.split(/(?<!\\)\|/).map((cell) => cell.trim()));

describe('figures', () => {
  it.each(['faults', 'attack', 'bench'])('to read are those of the last whole run: %s', (name) => {
    const result = resultOf(name);
    expect(result.rows.length).toBeGreaterThan(30);
    expect(read(`test/trials/results/${name}.md`)).toBe(toResultPage(name, result));
  });

  it('of the README are those of the last benchmark', () => {
    const known = new Set(resultOf('bench').rows.map((row) => String(toCells(row))));
    const rows = tableOf(/^\| figure [\s\S]*?\n\n/m.exec(read('README.md'))?.[0] ?? '');
    expect(rows.length).toBeGreaterThan(3);
    expect(rows.filter((row) => !known.has(String(row)))).toEqual([]);
  });
});
