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

/** What one kind of work reached, as `npm run trial -- bench` measures it. */
interface Rate {
  /** Requests per second: the median of the rounds, the lowest and the highest. */
  readonly rate: number;
  readonly low: number;
  readonly high: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly processorMicroseconds: number;
}

/** The whole result of a trial, as it is in results/. */
export interface TrialResult {
  readonly measuredAt: string;
  readonly node?: string;
  readonly rows: readonly TrialRow[];
  readonly requestsPerSecond?: Readonly<Record<string, Rate>>;
}

/** What a whole run measured, as a page to read. */
export function toResultPage(name: string, { measuredAt, node, rows, requestsPerSecond }: TrialResult): string {
  const header = columns.filter(([, cell]) => rows[0] && cell(rows[0]) !== undefined).map(([title]) => title);
  const when = `${measuredAt.slice(0, 10)}${node === undefined ? '' : `, Node ${node}`}`;
  const rates =
    requestsPerSecond === undefined
      ? ''
      : `\n${toTable(rateColumns, Object.entries(requestsPerSecond).map(toRateCells))}`;
  return `# The last whole run of \`npm run trial -- ${name}\`\n\n${when}\n\n${toTable(header, rows.map(toCells))}${rates}`;
}

const rateColumns = ['work', 'requests/s (lowest–highest of the rounds)', 'p50', 'p99', 'processor time each'];

const toRateCells = ([work, { rate, low, high, p50, p99, processorMicroseconds }]: [string, Rate]): string[] => [
  work,
  `${Math.round(rate)} (${Math.round(low)}–${Math.round(high)})`,
  `${p50.toFixed(2)} ms`,
  `${p99.toFixed(1)} ms`,
  `${processorMicroseconds} µs`,
];

const toTable = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
