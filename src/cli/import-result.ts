import type { FileReport, ImportReport, KindReport } from '../ingest/import-report';
import type { CliResult } from './command';
import { textTable } from './text-table';

const kinds = ['shops', 'products', 'variants', 'collections', 'orders'] as const;

/** The report of an import: as a document in the spelling of every other one, and as a table for people. */
export function importResult(report: ImportReport): CliResult {
  return { json: toJson(report), text: toText(report) };
}

const toJson = ({ dryRun, dropped, lastSyncAt, durationMilliseconds, ...rest }: ImportReport) => ({
  ...rest,
  dry_run: dryRun,
  dropped: { emails: dropped.emails, ignored_members: dropped.ignoredMembers },
  last_sync_at: lastSyncAt,
  duration_ms: durationMilliseconds,
});

function toText(report: ImportReport): string {
  const { dropped } = report;
  const ignored = Object.entries(dropped.ignoredMembers).map(([name, count]) => `${name} (${count})`);
  const lines = [
    ...report.files.flatMap(toFileLines),
    '',
    textTable(
      ['', 'READ', 'CREATED', 'UPDATED', 'UNCHANGED', 'DELETED', 'REMOVED', 'SKIPPED'],
      kinds.filter((kind) => isTouched(report[kind])).map((kind) => [kind, ...toCells(report[kind])]),
    ),
    '',
    ...report.files
      .filter(({ records }) => records === 0)
      .map(({ file }) => `Warning: ${file} holds no record, at most a header: nothing was imported from it.`),
    ...(dropped.emails > 0 ? [`E-mail addresses dropped: ${dropped.emails}`] : []),
    ...(ignored.length > 0 ? [`Members without a meaning here: ${ignored.join(', ')}`] : []),
    report.dryRun
      ? 'Dry run: everything was read and checked, nothing was written.'
      : `${report.shop} is up to date as of ${report.lastSyncAt} (${(report.durationMilliseconds / 1000).toFixed(1)} s).`,
  ];
  return lines.join('\n');
}

function toFileLines({ file, format, records, container, sheet, encoding, delimiter, warnings }: FileReport): string[] {
  const how = [
    container,
    sheet === undefined ? undefined : `sheet ${JSON.stringify(sheet)}`,
    encoding === 'UTF-8' ? undefined : encoding,
    delimiter === 'comma' ? undefined : delimiter && `separated by ${delimiter}`,
  ].filter((word) => word !== undefined);
  return [
    `${file}: ${records} records, ${[format, ...how].join(', ')}`,
    ...warnings.map((warning) => `  Warning: ${warning}`),
  ];
}

const isTouched = (kind: KindReport): boolean => Object.values(kind).some((count) => count > 0);

const toCells = (kind: KindReport): string[] =>
  [kind.read, kind.created, kind.updated, kind.unchanged, kind.deleted, kind.removed, kind.skipped].map(String);
