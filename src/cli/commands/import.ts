import { Argument, Option } from 'commander';
import type { FormatName } from '../../ingest/formats';
import { formatNames, formats } from '../../ingest/formats';
import { importFiles } from '../../ingest/import-files';
import type { CliCommand } from '../command';
import { importResult } from '../import-result';
import { addJsonOption } from '../json-option';
import { parseDomain } from '../option-values';
import { createProgressBar } from '../progress-bar';

interface Options {
  readonly shop: string;
  readonly format: 'auto' | FormatName;
  readonly replace?: boolean;
  readonly dryRun?: boolean;
}

export const importCommand: CliCommand = {
  name: 'import',
  summary: 'read a catalog or orders from files into a shop',
  details: `One transaction: readers see all of it or nothing, and a bad line stops it, named with its file, line and field.
Objects are matched by their id in the shop's platform, so importing the same file again changes nothing.
E-mail addresses are dropped while reading and counted in the report.

Formats (auto looks into the file):
${formats.map(({ name, description }) => `  ${name}: ${description}`).join('\n')}`,
  examples: [
    'catalog import products_export.csv orders_export.csv --shop shop.example',
    'catalog import snapshot.ndjson --shop shop.example --dry-run',
    'catalog import snapshot.ndjson --shop shop.example --replace --json',
  ],
  define(command, perform) {
    command
      .addArgument(new Argument('<files...>', 'files to read, in this order'))
      .requiredOption('--shop <domain>', "the shop's domain", parseDomain)
      .addOption(
        new Option('--format <format>', 'format of all files').choices(['auto', ...formatNames]).default('auto'),
      )
      .option('--replace', 'what the files do not name is deleted: products softly, collections and orders for good')
      .option('--dry-run', 'read, check and report everything, write nothing');
    addJsonOption(command, 'the report').action((files: readonly string[], options: Options) =>
      perform(async ({ database, clock, interactive }) => {
        const bar = createProgressBar(interactive);
        try {
          const report = await importFiles(await database(), {
            files,
            shopDomain: options.shop,
            format: options.format,
            replace: options.replace ?? false,
            dryRun: options.dryRun ?? false,
            clock,
            onProgress: bar.update,
          });
          return importResult(report);
        } finally {
          bar.stop();
        }
      }),
    );
  },
};
