import { join } from 'node:path';
import { guards } from '../guards';
import { writeTable } from '../../support/markdown-table';
import type { Seen } from './bystander';

/** A row of the table in SECURITY.md. */
export interface AttackRow {
  readonly name: string;
  readonly what: string;
  readonly requests: number;
  readonly bytesSent: number;
  readonly seconds: number;
  /** How often each status occurred. */
  readonly statuses: ReadonlyMap<string, number>;
  readonly calm: Seen;
  readonly during: Seen;
  /** Megabytes resident; undefined if the process has ended. */
  readonly residentBefore: number | undefined;
  readonly residentAfter: number | undefined;
  readonly peak: number | undefined;
  readonly heapAfter: number | undefined;
  readonly cpuSeconds: number | undefined;
  /** Milliseconds during which nothing else ran. */
  readonly longestBlock: number | undefined;
  /** By what factor other programs reduced the CPU time available. */
  readonly slowdown: number;
  readonly notes: readonly string[];
  /** Promises that were not kept. */
  readonly broken: readonly string[];
}

const document = join(__dirname, '../../../SECURITY.md');

/** Replaces the existing rows of the table. */
export const writeAttackTable = (rows: readonly AttackRow[]): Promise<void> =>
  writeTable({ document, name: 'attacks', command: 'npm run attack', header, rows: rows.map(toCells) });

const header = ['attack', 'cost to the attacker', 'another shop meanwhile', 'memory', 'verdict', 'guarded by'];

function toCells(row: AttackRow): string[] {
  return [
    `${row.name}: ${row.what}`,
    `${toCost(row)}; answers: ${toStatuses(row)}`,
    `p95 ${row.during.p95} ms (calm: ${row.calm.p95}${row.slowdown < 2 ? '' : `; machine shared: × ${row.slowdown.toFixed(1)}`})`,
    toMemory(row),
    row.broken.length === 0 ? 'kept' : `**broken**: ${row.broken.join('; ')}`,
    guards[row.name] ?? '',
  ].map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' '));
}

/** For the terminal. */
export function toText(row: AttackRow): string {
  const lines = [
    `${row.broken.length === 0 ? 'kept  ' : 'BROKEN'} ${row.name}: ${row.what}`,
    `       ${toCost(row)}; answers: ${toStatuses(row)}`,
    `       another shop: p95 ${row.during.p95} ms, slowest ${row.during.slowest} ms of ${row.during.requests} ` +
      `(calm: p95 ${row.calm.p95} ms, slowest ${row.calm.slowest} ms); slowest /livez ${row.during.slowestProbe} ms`,
    `       ${toMemory(row)}; processor ${row.cpuSeconds?.toFixed(1) ?? '–'} s, longest block ${row.longestBlock ?? '–'} ms, ` +
      `${row.slowdown.toFixed(1)} times slower by other programs`,
    ...row.notes.map((note) => `       ${note}`),
    ...row.broken.map((problem) => `       ! ${problem}`),
  ];
  return lines.join('\n');
}

const toCost = ({ requests, bytesSent, seconds }: AttackRow): string =>
  `${requests} requests, ${(bytesSent / 1_000_000).toFixed(1)} MB, ${Math.round(seconds)} s`;

const toStatuses = ({ statuses }: AttackRow): string =>
  [...statuses]
    .sort(([left], [right]) => left.localeCompare(right))
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ') || 'none';

const toMemory = ({ residentBefore, residentAfter, peak, heapAfter }: AttackRow): string =>
  residentAfter === undefined
    ? `${residentBefore ?? '–'} MB before, then the process died`
    : `${residentBefore ?? '–'} MB before, ${residentAfter} after, ${peak ?? '–'} at most (heap ${heapAfter ?? '–'} after)`;
