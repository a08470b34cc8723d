import type { ExportSource } from './export-shop';
import { exportLines } from './export-shop';
import type { Line } from './google-row';
import { columns, demanded, toValues } from './google-row';

export interface GoogleOptions {
  /** The URL of a product, with `{handle}` and optionally `{variant}`; by default each product's own. */
  readonly link: string | undefined;
  /** Whether to write the omitted variants, each as a line of JSON, instead of the feed. */
  readonly isReport: boolean;
  readonly onComplete?: ((report: FeedReport) => void) | undefined;
}

/** Counts of exported and omitted variants. */
export interface FeedReport {
  rows: number;
  left_out: number;
  /** Number of variants without each required column. */
  readonly lacking: Record<string, number>;
  /** Examples of omitted variants. */
  readonly examples: LeftOut[];
}

/** An omitted variant. */
interface LeftOut {
  readonly product: string;
  readonly variant: string;
  readonly title: string;
  readonly lacking: readonly string[];
}

const mostExamples = 10;

/**
 * The active products of a shop as a feed for shopping services, in the form of Google's product data specification:
 * one variant per line, values separated by tabs. Variants without a required value are omitted.
 */
export async function* exportGoogle(
  request: ExportSource,
  { link, isReport, onComplete }: GoogleOptions,
): AsyncGenerator<Buffer, void, void> {
  const report: FeedReport = { rows: 0, left_out: 0, lacking: {}, examples: [] };
  let product: Line | undefined;
  let currency: string | null | undefined;
  for await (const lines of exportLines({ ...request, describesShop: true, tables: ['products'], format: 'jsonl' })) {
    let text = '';
    for (const line of lines as readonly Line[]) {
      if (line.type === 'shop') {
        currency = line['currency'];
        if (!isReport) text += toRow(columns);
      } else if (line.type === 'product') product = line;
      if (line.type !== 'variant' || product?.['status'] !== 'ACTIVE') continue;
      const values = toValues(product, line, { currency, link });
      const lacking = demanded.filter((name) => !values[name]);
      if (lacking.length === 0) {
        report.rows += 1;
        if (!isReport) text += toRow(columns.map((name) => values[name] ?? ''));
        continue;
      }
      report.left_out += 1;
      for (const name of lacking) report.lacking[name] = (report.lacking[name] ?? 0) + 1;
      const leftOut = {
        product: String(product['id']),
        variant: String(line['id']),
        title: values['title'] ?? '',
        lacking,
      };
      if (report.examples.length < mostExamples) report.examples.push(leftOut);
      if (isReport) text += `${JSON.stringify({ type: 'left_out', ...leftOut })}\n`;
    }
    if (text !== '') yield Buffer.from(text);
  }
  const { examples: _, ...counts } = report;
  if (isReport) yield Buffer.from(`${JSON.stringify({ type: 'complete', ...counts })}\n`);
  onComplete?.(report);
}

/** Quotes values that contain quotes; `clean` has removed tabs and line breaks. */
const toRow = (cells: readonly string[]): string =>
  `${cells.map((cell) => (cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t')}\n`;
