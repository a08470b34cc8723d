import { Argument, Option } from 'commander';
import { parseAllowance, type Allowance } from '../../ingest/allowance';
import { descriptions, formatNames, shippedMapNames, type FormatName } from '../../ingest/formats/descriptions';
import type { ReadingOptions } from '../../ingest/source/reading-options';
import { parseDateFormat, type LocalDateFormat } from '../../ingest/values/local-date';
import type { CliCommand } from '../command';
import { addJsonOption } from '../json-option';
import { parseDelimiter, parseCount, parseDomain, parsedOption, parseEncoding, parseName } from '../option-values';
import { untilStopped } from '../until-stopped';
import { UsageError } from '../usage-error';

interface Options {
  readonly shop?: string;
  readonly explain?: boolean;
  readonly suggestMap?: boolean;
  readonly format: 'auto' | FormatName;
  readonly map?: string;
  readonly replace?: boolean;
  readonly allowRemoving?: Allowance;
  readonly keepIds?: boolean;
  readonly dateFormat?: LocalDateFormat;
  readonly skipInvalid?: number;
  readonly dryRun?: boolean;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly decimal?: 'point' | 'comma';
  readonly sheet?: string;
}

export const importCommand: CliCommand = {
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
  define(command, perform, performAlone) {
    command
      .addArgument(new Argument('<files...>', 'files to read, in this order'))
      .option('--shop <domain>', "the shop's domain (required, except with --explain and --suggest-map)", parseDomain)
      .option('--explain', 'show how each column would be read, and read nothing: needs no shop and no database')
      .option(
        '--suggest-map',
        'print a map for the table, from the names of its columns and its first rows, and read nothing',
      )
      .addOption(
        new Option('--format <format>', 'format of all files').choices(['auto', ...formatNames]).default('auto'),
      )
      .option('--map <map>', `of other tables: ${shippedMapNames.join(', ')}, or the path of a map file`, parseName)
      .option('--replace', 'delete what the files do not contain: products softly, collections and orders permanently')
      .option(
        '--allow-removing <n>',
        'how much of each kind --replace may delete: a number, or a percentage such as 35%',
        parsedOption(parseAllowance),
      )
      .option('--keep-ids', 'give new objects the ids of a snapshot; for an export, and a shop that is empty')
      .option(
        '--date-format <format>',
        'how dates such as 03/04/2026 are meant: DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD, with a time zone if not UTC ("DD/MM/YYYY +02:00")',
        parsedOption(parseDateFormat),
      )
      .option(
        '--skip-invalid <n>',
        'leave out up to this many objects that have problems, and name them; without it, none',
        parseCount,
      )
      .option('--dry-run', 'read, check and report everything, write nothing')
      .option('--delimiter <delimiter>', 'of CSV: comma, semicolon, tab, pipe or a character', parseDelimiter)
      .option('--encoding <encoding>', 'of texts, such as windows-1252', parseEncoding)
      .addOption(new Option('--decimal <sign>', 'the decimal sign of numbers').choices(['point', 'comma']))
      .option('--sheet <sheet>', 'of a workbook: name or number, from 1', parseName);
    addJsonOption(command, 'the report').action((files: readonly string[], options: Options) => {
      checkTogether(files, options);
      const { shop, format, map } = options;
      const reading = readingOf(options);
      if (options.suggestMap === true) {
        return performAlone(async () => {
          const { suggestMap } = await import('../../ingest/suggest-map.js');
          const map = await suggestMap(files[0] ?? '', reading);
          return { json: { map }, text: map.trimEnd() };
        });
      }
      if (options.explain === true || shop === undefined) {
        return performAlone(async () => {
          const [{ explainFiles }, { explainResult }] = await Promise.all([
            import('../../ingest/explain-files.js'),
            import('../explain-result.js'),
          ]);
          return explainResult(await explainFiles({ files, format, map, reading }));
        });
      }
      return perform(async ({ database, clock, interactive, log, lockTimeoutMilliseconds }) => {
        const [{ importFiles }, { importResult }, { createProgressLine }] = await Promise.all([
          import('../../ingest/import-files.js'),
          import('../import-result.js'),
          import('../progress-line.js'),
        ]);
        const line = createProgressLine(interactive);
        try {
          return await untilStopped({ log, database }, async ({ openDatabase, onCommit }) =>
            importResult(
              await importFiles(openDatabase, {
                files,
                shopDomain: shop,
                format,
                map,
                replace: options.replace ?? false,
                allowRemoving: options.allowRemoving,
                keepIds: options.keepIds ?? false,
                dateFormat: options.dateFormat,
                skipInvalid: options.skipInvalid ?? 0,
                dryRun: options.dryRun ?? false,
                reading,
                clock,
                onProgress: ({ bytesRead, bytesTotal, records }) =>
                  line.update({ done: bytesRead, total: bytesTotal, records }),
                onWait: log,
                lockTimeoutMilliseconds,
                onCommit,
              }),
            ),
          );
        } finally {
          line.clear();
        }
      });
    });
  },
};

/** @throws UsageError for options that contradict each other */
function checkTogether(files: readonly string[], options: Options): void {
  const { explain, suggestMap, shop, format, map, replace, allowRemoving, skipInvalid } = options;
  if (suggestMap === true) {
    if (files.length === 1 && map === undefined && format === 'auto') return;
    throw new UsageError(
      '--suggest-map takes one file, and neither --map nor --format: it describes a table in no known format',
    );
  }
  if (map !== undefined && format !== 'auto') {
    throw new UsageError('--map and --format exclude each other: a map is a format');
  }
  if (replace === true && (skipInvalid ?? 0) > 0) {
    throw new UsageError('--skip-invalid and --replace exclude each other: skipped objects would be removed');
  }
  if (allowRemoving !== undefined && replace !== true) {
    throw new UsageError('--allow-removing requires --replace; nothing is removed without it');
  }
  if (explain !== true && shop === undefined) throw new UsageError("required option '--shop <domain>' not specified");
}

/** The user's settings for the files. Options that are not given are undefined, as the reader expects. */
const readingOf = ({ delimiter, encoding, decimal, sheet }: Options): ReadingOptions => ({
  delimiter,
  encoding,
  decimal,
  sheet,
  standardInput: () => process.stdin,
});
