import type { FileReport, ImportReport, KindReport, Removal, ValueChanges } from '../ingest/write/import-report';
import type { FileExplanation } from '../ingest/explain-files';
import type { ReadAs } from '../ingest/source/source-file';
import { inSnakeCase, type CliResult } from './command';
import { textTable } from './text-table';

const kinds = ['shops', 'products', 'variants', 'collections', 'orders'] as const;

/** The report of an import: as a JSON document, and as a table for people. */
export function importResult(report: ImportReport): CliResult {
  return { json: toJson(report), text: toText(report) };
}

const toJson = ({ files, dropped, leftOut, durationMilliseconds, ...rest }: ImportReport) => ({
  ...inSnakeCase(rest),
  files: files.map(inSnakeCase),
  left_out: leftOut.map(({ file, line, field = null, message }) => ({ file, line, field, message })),
  dropped: inSnakeCase(dropped),
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
      .map(({ file }) => `Warning: ${file}: no records, nothing to import.`),
    ...toChangeLines(report),
    ...report.removals.filter(({ count }) => count > 0).map((removal) => toRemovalLine(removal, report.dryRun)),
    ...report.leftOut.map(({ message }) => `Skipped as invalid: ${message}`),
    ...report.warnings.map((warning) => `Warning: ${warning}`),
    ...(dropped.emails > 0 ? [`E-mail addresses removed: ${dropped.emails}`] : []),
    ...(ignored.length > 0 ? [`Ignored fields: ${ignored.join(', ')}`] : []),
    report.dryRun
      ? 'Dry run: everything was checked, nothing was written.'
      : `${report.shop} is up to date as of ${report.lastSyncAt} (${(report.durationMilliseconds / 1000).toFixed(1)} s).`,
  ];
  return lines.join('\n');
}

/** Columns beyond this number are only counted. */
const maxColumns = 12;

function toFileLines(report: FileReport): string[] {
  const { file, format, records, missingColumns, unreadColumns, readingWarnings } = report;
  const what = isTable(report) ? 'columns' : 'fields';
  return [
    `${file}: ${records} ${records === 1 ? 'record' : 'records'}, ${[format, ...describeReading(report).filter((word) => !usualReading.includes(word))].join(', ')}`,
    ...(missingColumns.length > 0
      ? [`  missing ${what} (fields only they would provide keep stored values): ${toList(missingColumns)}`]
      : []),
    ...(missingColumns.some((name) => stockColumns.has(name))
      ? [
          "  no stock in this file: import Shopify's inventory export (Products, Inventory, Export) with this file or separately",
        ]
      : []),
    ...(unreadColumns.length > 0 ? [`  ignored ${what}: ${toList(unreadColumns)}`] : []),
    ...readingWarnings.map((warning) => `  Warning: ${warning}`),
  ];
}

/** JSON has neither. */
const isTable = ({ sheet, delimiter }: Pick<ReadAs, 'sheet' | 'delimiter'>): boolean =>
  (sheet ?? delimiter) !== undefined;

/** How the file was read. */
const describeReading = ({ container, sheet, encoding, delimiter }: Omit<ReadAs, 'readingWarnings'>): string[] =>
  [
    container,
    sheet === undefined ? undefined : `sheet ${JSON.stringify(sheet)}`,
    encoding,
    delimiter && `delimiter: ${delimiter}`,
  ].filter((word) => word !== undefined);

const usualReading = ['UTF-8', 'delimiter: comma'];

const stockColumns: ReadonlySet<string> = new Set([
  'Variant Inventory Qty',
  'Inventory quantity',
  'variants.inventory_quantity',
  'variants.inventoryQuantity',
]);

const toList = (names: readonly string[]): string =>
  names.slice(0, maxColumns).join(', ') + (names.length > maxColumns ? ` and ${names.length - maxColumns} more` : '');

function toChangeLines({ changes: { memberships, ...changes }, inventory, products }: ImportReport): string[] {
  const { stock, images, descriptions } = changes;
  const parts = [
    `stock ${stock.change < 0 ? '−' : '+'}${Math.abs(stock.change)}${stock.variants > 0 ? ` (existing variants changed: ${stock.variants})` : ''}`,
    toChangePart('images', images),
    toChangePart('descriptions', descriptions),
  ];
  const { variants = 0, updated = 0, unchanged = 0, unknown = 0, examples = [], locations = [] } = inventory ?? {};
  const missing =
    unknown > 0 ? `, ${unknown} not in the shop (${toList(examples)}${unknown > examples.length ? ', …' : ''})` : '';
  return [
    ...(isTouched(products) || inventory ? [`Changes: ${parts.join('; ')}`] : []),
    ...(memberships > 0 ? [`Products added to, moved in or removed from collections: ${memberships}`] : []),
    ...(inventory
      ? [
          `Inventory (variants): ${variants} read, ${updated} updated, ${unchanged} unchanged${missing}; locations: ${toList(locations)}`,
        ]
      : []),
  ];
}

const toChangePart = (name: string, { added, removed, replaced }: ValueChanges): string =>
  `${name} +${added} −${removed}${replaced > 0 ? `, ${replaced} replaced` : ''}`;

const toRemovalLine = ({ kind, count, of, examples }: Removal, dryRun: boolean): string =>
  `${dryRun ? 'Would remove' : 'Removed'} ${count} of ${of} ${kind}s: ${examples.join(', ')}` +
  (count > examples.length ? `, and ${count - examples.length} more` : '');

const isTouched = (kind: KindReport): boolean => Object.values(kind).some((count) => count > 0);

const toCells = (kind: KindReport): string[] =>
  [kind.read, kind.created, kind.updated, kind.unchanged, kind.deleted, kind.removed, kind.skipped].map(String);

/** How files would be read: as a JSON document, and as readable tables. */
export const explainResult = (files: readonly FileExplanation[]): CliResult => ({
  json: { files: files.map(inSnakeCase) },
  text: files.map(toExplained).join('\n\n'),
});

const ways = {
  content: 'detected from its content',
  format: 'set by --format',
  map: 'read with the mapping file',
} as const;

function toExplained({
  file,
  format,
  description,
  recognizedBy,
  columns,
  missing,
  readingWarnings,
  ...readAs
}: FileExplanation): string {
  return [
    `${file}: ${format}, ${ways[recognizedBy]}`,
    `  ${description}`,
    `  ${describeReading(readAs).join(', ')}`,
    '',
    textTable(
      [isTable(readAs) ? 'COLUMN' : 'FIELD', 'BECOMES', 'FIRST VALUE'],
      columns.map(({ name, becomes, example }) => [name, becomes ?? '(not read)', example ?? '(blank)']),
    ),
    ...(missing.length > 0
      ? [
          '',
          `Expected, but missing: ${missing.join(', ')}.`,
          format === 'snapshot'
            ? 'In a snapshot, a missing field is an error if it is required; otherwise a status becomes ACTIVE, a list empty, a count 0 and any other field null. Only a shop keeps its stored values.'
            : 'Fields only they would provide keep stored values. With your own mapping file, the import fails unless it lists them as optional.',
        ]
      : []),
    ...readingWarnings.map((warning) => `Warning: ${warning}`),
  ].join('\n');
}
