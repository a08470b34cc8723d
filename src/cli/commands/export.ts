import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import { csvTypes } from '../../catalog/export/csv-table';
import type { FeedReport } from '../../catalog/export/export-google';
import { isLinkTemplate, linkExample } from '../../catalog/export/google-row';
import type { ExportShape } from '../../catalog/export/export-csv';
import type { ExportProgress } from '../../catalog/export/export-shop';
import type { ExportFormat } from '../../catalog/rows/export-tables';
import { exportFormats, exportTables } from '../../catalog/rows/export-tables';
import { stderr, toTerminalLine, toTerminalText } from '../../common/terminal';
import { choice, command, flag, given, needed, UsageError, type ValuesOf } from '../command';
import { parseDomain, parseListOf } from '../option-values';
import { createProgressLine } from '../progress-line';

type Format = ExportFormat | 'csv' | 'google';

const options = {
  shop: needed('<domain>', "the shop's domain", parseDomain),
  format: choice<Format, 'snapshot'>('<format>', 'output format', [...exportFormats, 'csv', 'google'], 'snapshot'),
  types: given('<types>', `${exportTables.join(', ')}, separated by commas (default: all)`, parseListOf(exportTables)),
  type: choice('<type>', 'table for --format csv', csvTypes, undefined),
  bom: flag('start the CSV with a byte order mark, so that Excel recognizes UTF-8'),
  link: given(
    '<url>',
    "product URL for --format google, with {handle} and optionally {variant}, the variant's ID on the platform (default: Product.url)",
    parseLink,
  ),
  report: flag('list the variants that --format google leaves out, as NDJSON and instead of the feed'),
  escapeFormulas: flag('put an apostrophe before cells that a spreadsheet could run as formulas'),
};

export const exportCommand = command({
  name: 'export',
  login: 'catalog_reader',
  summary: 'write a shop to standard output: NDJSON, CSV or product feed',
  details: `Reads one database snapshot. Writers are not blocked; their later changes are not included. The first line of NDJSON
contains the shop, its data version, and the cursor for the change feed. Its last line has the type "complete" and counts; if it is
missing, the export is incomplete. The export contains what the API returns: visible products, orders without e-mail addresses.

Formats:
  snapshot: variants are nested in their products; \`catalog import\` accepts it (products up to 8 MiB)
  jsonl: each variant is on its own line, with a product_id
  csv: one table of the given --type; \`catalog import\` accepts it (products and variants together)
  google: active products as a feed for shopping services (Google's product data specification), one variant per row, tab-separated.
    Variants that lack a required value are left out. A summary is printed to standard error; --report lists them`,
  examples: [
    'catalog export --shop shop.example > shop.ndjson',
    'catalog export --shop shop.example --types products | gzip > shop.ndjson.gz',
    'catalog export --shop shop.example --format jsonl --types products,orders',
    'catalog export --shop shop.example --format csv --type products > products.csv',
    'catalog export --shop shop.example --format google > feed.tsv',
  ],
  options,
  async run({ config, database, interactive }, { shop, ...others }) {
    const shape = toShape(others);
    const [{ loadCursorSecrets }, { startExport }, { findShopId }, { createCursorCodec }] = await Promise.all([
      import('../../auth/development-secrets.js'),
      import('../../catalog/export/export-csv.js'),
      import('../../catalog/shop/shop-store.js'),
      import('../../relay/connection.js'),
    ]);
    const { prisma, url } = await database();
    const shopId = await findShopId(prisma, shop);
    const secrets = (await loadCursorSecrets(config)) as [string, ...string[]];
    const line = createProgressLine(interactive, 'exporting');
    const request = {
      url,
      shopId,
      cursors: createCursorCodec(secrets),
      describesShop: true,
      signal: new AbortController().signal,
      onProgress: interactive
        ? ({ rows, rowsTotal }: ExportProgress) => line.update({ done: rows, total: rowsTotal, records: rows })
        : undefined,
    };
    const lines = startExport(request, shape);
    let outputError: unknown;
    process.stdout.once('error', (error: Error) => (outputError = error));
    try {
      // Programs get the exact bytes. A terminal gets the same JSON with control characters escaped.
      const checked = others.format === 'snapshot' ? noteLargeLines(lines) : lines;
      const shown = process.stdout.isTTY ? asTerminalText(checked) : checked;
      await pipeline(Readable.from(shown, { objectMode: false }), process.stdout, { end: false });
    } catch (error) {
      // main.ts reports errors of standard output for all commands, and ignores readers such as head that stop early.
      if (error !== outputError) throw error;
    } finally {
      line.clear();
    }
    return undefined;
  },
});

function toShape({
  format,
  types,
  type,
  bom,
  escapeFormulas,
  link,
  report,
}: Omit<ValuesOf<typeof options>, 'shop'>): ExportShape {
  if (format === 'google') {
    if (types !== undefined || type !== undefined || bom || escapeFormulas) {
      throw new UsageError('--format google can only be combined with --link and --report');
    }
    return { google: { link, isReport: report, onComplete: reportFeed } };
  }
  if (link !== undefined || report) throw new UsageError('--link and --report require --format google');
  if (format === 'csv') {
    if (types !== undefined)
      throw new UsageError('--types: use --type with --format csv, because a CSV contains one table');
    if (type === undefined) throw new UsageError(`--type: expected one of ${csvTypes.join(', ')} with --format csv`);
    return { csv: { type, hasBom: bom, escapesFormulas: escapeFormulas } };
  }
  if (type !== undefined || bom || escapeFormulas) {
    throw new UsageError('--type, --bom and --escape-formulas require --format csv');
  }
  return { tables: types ?? exportTables, format };
}

function parseLink(text: string): string {
  if (!isLinkTemplate(text)) throw new InvalidArgumentError(`Expected ${linkExample}.`);
  return text;
}

function reportFeed({ rows, left_out, lacking, examples }: FeedReport): void {
  const lines = [`Variants in the feed: ${rows}; left out: ${left_out}.`];
  for (const [column, count] of Object.entries(lacking))
    lines.push(
      `  ${count} without ${column}${column === 'price' ? ' (requires a price above 0 and a shop currency)' : ''}`,
    );
  if (left_out > 0) lines.push(`Examples:`);
  for (const { title, variant, lacking: names } of examples)
    lines.push(`  ${toTerminalLine(title)} (${variant}): no ${names.join(', ')}`);
  stderr.write(`${lines.join('\n')}\n`);
}

/** Each chunk has whole lines. */
async function* asTerminalText(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of lines) yield Buffer.from(toTerminalText(chunk.toString()));
}

/** Writers of the tables can make a product larger than any that `catalog import` accepts. */
async function* noteLargeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const { maximumAnswerBytes } = await import('../../catalog/answer-size.js');
  const large: string[] = [];
  let beginning = '';
  let bytes = 0;
  for await (const chunk of chunks) {
    yield chunk;
    for (let from = 0; ;) {
      const end = chunk.indexOf('\n', from);
      if (bytes === 0) beginning = chunk.toString('latin1', from, from + 200);
      bytes += (end < 0 ? chunk.length : end) - from;
      if (end < 0) break;
      if (bytes > maximumAnswerBytes) large.push(/"id":"([^"]+)"/.exec(beginning)?.[1] ?? '');
      bytes = 0;
      from = end + 1;
    }
  }
  if (large.length > 0)
    stderr.write(
      `Products that \`catalog import\` will refuse, because they have more than ${maximumAnswerBytes} bytes with their variants: ${large.length}, the first is ${large[0]}.\n`,
    );
}
