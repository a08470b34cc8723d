import { descriptions, formatNames, shippedMapNames } from '../../ingest/formats/descriptions';
import type { ReadingOptions } from '../../ingest/source/reading-options';
import { parseDateFormat } from '../../ingest/values/local-date';
import { argument, choice, command, flag, given, usual, UsageError, type ValuesOf } from '../command';
import {
  allowRemoving,
  parseCount,
  parseDelimiter,
  parseDomain,
  parsedOption,
  parseEncoding,
  parseName,
} from '../option-values';

const options = {
  shop: given('<domain>', "the shop's domain (required, except with --explain and --suggest-map)", parseDomain),
  explain: flag('show how each column would be imported, without importing; requires no shop and no database'),
  suggestMap: flag('print a mapping file for the table, based on its column names and first rows, without importing'),
  format: choice('<format>', 'format of all files; auto detects it', ['auto', ...formatNames], 'auto'),
  map: given('<map>', `mapping file for other tables: ${shippedMapNames.join(', ')}, or a path`, parseName),
  replace: flag(
    'delete objects that are not in the files: products are soft-deleted, collections and orders are deleted permanently',
  ),
  allowRemoving,
  keepIds: flag(
    'give new objects the IDs in the files, which `catalog export` must have written; for restoring an export into an empty shop',
  ),
  dateFormat: given(
    '<format>',
    'format of dates such as 03/04/2026: DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, with a time zone if not UTC ("DD/MM/YYYY +02:00")',
    parsedOption(parseDateFormat),
  ),
  skipInvalid: usual('<n>', 'skip up to this many invalid objects and list them', parseCount, 0),
  dryRun: flag('validate and report without writing anything'),
  delimiter: given('<delimiter>', 'CSV delimiter: comma, semicolon, tab, pipe or a symbol', parseDelimiter),
  encoding: given('<encoding>', 'text encoding, such as windows-1252', parseEncoding),
  decimal: choice('<sign>', 'decimal separator of numbers', ['point', 'comma'], undefined),
  sheet: given('<sheet>', 'sheet of a workbook, by name or by number from 1', parseName),
};
type Options = ValuesOf<typeof options>;

export const importCommand = command({
  name: 'import',
  login: 'catalog_writer or catalog_admin',
  summary: 'import catalog or order files into a shop',
  details: `Imports in one transaction: readers see all changes or none. If there are problems, nothing is written and the first 50 are
listed with file, line and field; --skip-invalid <n> skips up to n invalid objects. Objects are matched by their platform ID or, in files without it, by handle, SKU or order number, so importing the same file again changes nothing.
If a CSV has no column for a field, the stored value is kept; the report lists the missing columns.
--replace affects only the kinds that the formats of the files contain. It is rejected if the files contain nothing of such a kind,
or if more than 20% of a kind would be removed; --allow-removing replaces both rules with a limit.
E-mail addresses in orders are removed and counted in the report.

Files can be CSV with any delimiter and encoding, JSON or NDJSON, also compressed with gzip or zip, or Excel workbooks (.xlsx); - reads
standard input. If a file is ambiguous, the error names the option to set.

Other tables need a mapping file that assigns their columns: a shipped one (${shippedMapNames.join(', ')}), or your own.
--suggest-map prints a first draft. --explain shows how each column would be imported.

Formats (auto detects them):
${formatNames.map((name) => `  ${name}: ${descriptions[name]}`).join('\n')}`,
  examples: [
    'catalog import products_export.csv orders_export.csv --shop shop.example',
    'catalog import snapshot.ndjson --shop shop.example --dry-run',
    'catalog import products_export.csv inventory_export.csv --shop shop.example',
    'catalog import --explain products_export.csv',
    'catalog import stock.csv --suggest-map > stock-map.yaml',
    'catalog import stock.csv --map stock-map.yaml --shop shop.example',
    'catalog import products.xlsx --sheet Products --shop shop.example',
    'catalog import - --shop shop.example --dry-run < snapshot.ndjson.gz',
    'catalog import snapshot.ndjson --shop shop.example --replace --json',
    'catalog import export.ndjson --shop new.example --keep-ids',
    'catalog import s.ndjson --shop s.example --replace --allow-removing 35%',
  ],
  argument: argument<readonly string[]>('<files...>', 'files to import, in this order'),
  options,
  json: 'the report',
  async alone(given, files) {
    checkTogether(files, given);
    const { shop, format, map } = given;
    const reading = readingOf(given);
    if (given.suggestMap) {
      const { suggestMap } = await import('../../ingest/suggest-map.js');
      const suggested = await suggestMap(files[0] ?? '', reading);
      return { json: { map: suggested }, text: suggested.trimEnd() };
    }
    if (!given.explain && shop !== undefined) return undefined;
    const [{ explainFiles }, { explainResult }] = await Promise.all([
      import('../../ingest/explain-files.js'),
      import('../import-result.js'),
    ]);
    return explainResult(await explainFiles({ files, format, map, reading }));
  },
  async run(
    { database, clock, interactive, log, lockTimeoutMilliseconds, untilStopped },
    { shop = '', ...given },
    files,
  ) {
    const [{ importFiles }, { importResult }, { createProgressLine }] = await Promise.all([
      import('../../ingest/import-files.js'),
      import('../import-result.js'),
      import('../progress-line.js'),
    ]);
    const line = createProgressLine(interactive);
    try {
      const report = await untilStopped((onCommit) =>
        importFiles(database, {
          ...given,
          files,
          shopDomain: shop,
          reading: readingOf(given),
          clock,
          onProgress: ({ bytesRead, bytesTotal, records }) =>
            line.update({ done: bytesRead, total: bytesTotal, records }),
          onWait: log,
          lockTimeoutMilliseconds,
          onCommit,
        }),
      );
      return importResult(report);
    } finally {
      line.clear();
    }
  },
});

/** @throws UsageError for options that contradict each other */
function checkTogether(files: readonly string[], given: Options): void {
  const { explain, suggestMap, shop, format, map, replace, allowRemoving: allowed, skipInvalid } = given;
  if (suggestMap) {
    if (files.length === 1 && map === undefined && format === 'auto') return;
    throw new UsageError('--suggest-map takes one file and cannot be combined with --map or --format');
  }
  if (map !== undefined && format !== 'auto') {
    throw new UsageError('--map and --format are mutually exclusive');
  }
  if (replace && skipInvalid > 0) {
    throw new UsageError('--skip-invalid and --replace are mutually exclusive: skipped objects would be deleted');
  }
  if (allowed !== undefined && !replace) {
    throw new UsageError('--allow-removing requires --replace');
  }
  if (!explain && shop === undefined) throw new UsageError("required option '--shop <domain>' not specified");
}

/** The user's settings for the files. Omitted options are undefined, as the reader expects. */
const readingOf = ({ delimiter, encoding, decimal, sheet }: Omit<Options, 'shop'>): ReadingOptions => ({
  delimiter,
  encoding,
  decimal,
  sheet,
  standardInput: () => process.stdin,
});
