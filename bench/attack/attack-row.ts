import { guards } from './guards';
import type { TrialRow } from '../trial';
import type { Seen } from './bystander';

/** What one class of attack did. */
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

export const toTrialRow = (row: AttackRow): TrialRow => ({
  what: `${row.name}: ${row.what}`,
  load: `${toCost(row)}; answers: ${toStatuses(row)}`,
  promise: guards[row.name] ?? '',
  measured: [
    `p95 ${row.during.p95} ms (calm: ${row.calm.p95}${row.slowdown < 2 ? '' : `; machine shared: × ${row.slowdown.toFixed(1)}`})`,
    toMemory(row),
    ...row.broken,
  ].join('; '),
  isKept: row.broken.length === 0,
  details: [
    `${toCost(row)}; answers: ${toStatuses(row)}`,
    `another shop: slowest ${row.during.slowest} ms of ${row.during.requests} (calm: ${row.calm.slowest} ms); ` +
      `slowest /livez ${row.during.slowestProbe} ms`,
    `processor ${row.cpuSeconds?.toFixed(1) ?? '–'} s, longest block ${row.longestBlock ?? '–'} ms, ` +
      `${row.slowdown.toFixed(1)} times slower by other programs`,
    ...row.notes,
  ],
});

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
