import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Trial, TrialRow } from './trial';

const root = join(__dirname, '../..');

/** The cells of a row as documents have them; a trial without loads, or without promises, has no column for them. */
export const toCells = ({ what, load, promise, measured, isKept }: TrialRow): string[] =>
  [what, load, promise, measured, isKept ? 'kept' : '**broken**']
    .filter((cell) => cell !== undefined)
    .map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));

/** Replaces the table between `<!-- NAME: … -->` and `<!-- /NAME -->`. @throws Error if the document has no place for it */
export async function writeResultTable(
  name: string,
  { document, header }: NonNullable<Trial['table']>,
  rows: readonly TrialRow[],
): Promise<void> {
  const path = join(root, document);
  const lines = [header, header.map(() => '---'), ...rows.map(toCells)].map((cells) => `| ${cells.join(' | ')} |`);
  const text = readFileSync(path, 'utf8');
  const place = new RegExp(`<!-- ${name}:[\\s\\S]*<!-- /${name} -->`);
  if (!place.test(text)) throw new Error(`${document} has no <!-- ${name}: … --> to write a table into.`);
  const table = `<!-- ${name}: written by npm run ${name} -->\n\n${lines.join('\n')}\n\n<!-- /${name} -->`;
  const { format, resolveConfig } = await import('prettier');
  const filled = text.replace(place, () => table);
  writeFileSync(path, await format(filled, { ...(await resolveConfig(path)), filepath: path }));
}
