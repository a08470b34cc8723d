import type { TrialRow } from './trial';

const columns: readonly (readonly [header: string, cell: (row: TrialRow) => string | undefined])[] = [
  ['what', ({ what }) => what],
  ['load', ({ load }) => load],
  ['promise', ({ promise }) => promise],
  ['measured', ({ measured }) => measured],
  ['verdict', ({ isKept }) => (isKept ? 'kept' : '**broken**')],
];

/** The cells of a row; a trial without loads, or without promises, has no column for them. */
export const toCells = (row: TrialRow): string[] =>
  columns
    .map(([, cell]) => cell(row))
    .filter((cell) => cell !== undefined)
    .map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));

/** What a whole run measured, as a page to read. */
export function toResultPage(
  name: string,
  {
    measuredAt,
    node,
    rows,
  }: { readonly measuredAt: string; readonly node?: string; readonly rows: readonly TrialRow[] },
): string {
  const header = columns.filter(([, cell]) => rows[0] && cell(rows[0]) !== undefined).map(([title]) => title);
  const lines = [header, header.map(() => '---'), ...rows.map(toCells)].map((cells) => `| ${cells.join(' | ')} |`);
  const when = `${measuredAt.slice(0, 10)}${node === undefined ? '' : `, Node ${node}`}`;
  return `# The last whole run of \`npm run trial -- ${name}\`\n\n${when}\n\n${lines.join('\n')}\n`;
}
