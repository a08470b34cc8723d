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
  explain: flag('show how each column would be read, and read nothing: needs no shop and no database'),
  suggestMap: flag('print a map for the table, from the names of its columns and its first rows, and read nothing'),
  format: choice('<format>', 'format of all files', ['auto', ...formatNames], 'auto'),
  map: given('<map>', `of other tables: ${shippedMapNames.join(', ')}, or the path of a map file`, parseName),
  replace: flag('delete what the files do not contain: products softly, collections and orders permanently'),
  allowRemoving,
  keepIds: flag('give new objects the ids of a snapshot; for an export, and a shop that is empty'),
  dateFormat: given(
    '<format>',
    'how dates such as 03/04/2026 are meant: DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, with a time zone if not UTC ("DD/MM/YYYY +02:00")',
    parsedOption(parseDateFormat),
  ),
  skipInvalid: usual('<n>', 'leave out up to this many objects that have problems, and name them', parseCount, 0),
  dryRun: flag('read, check and report everything, write nothing'),
  delimiter: given('<delimiter>', 'of CSV: comma, semicolon, tab, pipe or a character', parseDelimiter),
  encoding: given('<encoding>', 'of texts, such as windows-1252', parseEncoding),
  decimal: choice('<sign>', 'the decimal sign of numbers', ['point', 'comma'], undefined),
  sheet: given('<sheet>', 'of a workbook: name or number, from 1', parseName),
};
type Options = ValuesOf<typeof options>;

export const importCommand = command({
  name: 'import',
  login: 'catalog_writer or catalog_admin',
  summary: 'read a catalog or orders from files into a shop',
  details: `One transaction: readers see all of it or nothing. Nothing is written when there are problems: all of them are listed, with file,
line and field; --skip-invalid leaves out that many objects with problems. Objects are matched by their id in the shop's platform, so importing the same file again changes nothing.
Fields without a column in a CSV keep their stored values; the report lists the missing columns.
--replace is rejected when the files contain nothing of a kind, or would remove more than 20 % of a kind; --allow-removing changes that.
E-mail addresses are dropped while reading and counted in the report.

Files are CSV with any delimiter and encoding, Excel workbooks (.xlsx) or NDJSON, also compressed by gzip or zip; - is standard input.
An error reports the option to set where a file is ambiguous.

Other tables are read by a map, which says what their columns become: a shipped one (${shippedMapNames.join(', ')}), or a
file of yours. --suggest-map writes a first one. --explain shows, before anything is read, what each column would become.

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
  argument: argument<readonly string[]>('<files...>', 'files to read, in this order'),
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
    throw new UsageError(
      '--suggest-map takes one file, and neither --map nor --format: it describes a table in no known format',
    );
  }
  if (map !== undefined && format !== 'auto') {
    throw new UsageError('--map and --format exclude each other: a map is a format');
  }
  if (replace && skipInvalid > 0) {
    throw new UsageError('--skip-invalid and --replace exclude each other: skipped objects would be removed');
  }
  if (allowed !== undefined && !replace) {
    throw new UsageError('--allow-removing requires --replace; nothing is removed without it');
  }
  if (!explain && shop === undefined) throw new UsageError("required option '--shop <domain>' not specified");
}

/** The user's settings for the files. Options that are not given are undefined, as the reader expects. */
const readingOf = ({ delimiter, encoding, decimal, sheet }: Omit<Options, 'shop'>): ReadingOptions => ({
  delimiter,
  encoding,
  decimal,
  sheet,
  standardInput: () => process.stdin,
});
