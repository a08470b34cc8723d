import { parse } from 'csv-parse/sync';
import { ImportError } from '../../src/ingest/values/import-error';
import type { FormatName } from '../../src/ingest/formats/descriptions';
import { samples } from './format-samples';
import { collection, lines, product, variant, type ShopUnderImport, useImportHarness } from './import-harness';
import { csv } from './make-files';
import { fc } from '../support/properties';

/** Longer searches: HOSTILE_VALUES=1000 npx jest test/ingest/hostile-values */
const numRuns = Number(process.env['HOSTILE_VALUES'] ?? 10);

const harness = useImportHarness();

/** Formats that need a companion file of another format. */
const companions: Readonly<Record<string, FormatName>> = {
  prestashop: 'prestashop-variants',
  'prestashop-variants': 'prestashop',
  'catalog-products': 'catalog-variants',
  'catalog-variants': 'catalog-products',
};

const texts: readonly string[] = [
  '', ' ', '0', '-0', '-1', '1e5', '1E+999999999', '1e-999999999', '9'.repeat(400), `0.${'1'.repeat(400)}`, '00007', '1,5', '1.234,56', "1'000", '٣', 'Infinity',
  '9223372036854775808', '-9223372036854775809', '9007199254740993', '0x10', 'true', 'false', 'null', 'WAHR', '1/2', '=1+1', '@SUM(A1)', '__proto__', 'constructor',
  '2026-02-30', '31/12/2023 22:36', '0000-00-00', '2026-01-31T12:00:00Z', '10000-01-01T00:00:00Z', 'infinity', '-infinity', 'now', 'bob@shop.example', '"', "'", '\\', '\\n', '\n', '\r',
  '\t', ';', ',', '|', ':', '=', '&amp;', '&#0;', '&#xD800;', '&#x110000;', '&'.repeat(300), '<', '\0', '\u0001', '\ufeff', '\ufffd', '\u2028', '\u200b', '💥', '\ud800', 'é'.normalize('NFD'),
  'x'.repeat(3_000), 'x'.repeat(300_000), ','.repeat(3_000), 'a=b,'.repeat(3_000), '[S]A=B,'.repeat(3_000), 'a > '.repeat(3_000), 'a|'.repeat(3_000), '['.repeat(200), '{"a":'.repeat(200), 'id:1', 'id:', 'sku=M,sku=M',
]; // prettier-ignore
const jsonTexts: readonly string[] = [
  ...texts.map((text) => JSON.stringify(text)), 'null', 'true', '[]', '{}', '[null]', '[[]]', '[{}]', '{"a":{}}', '-0', '1e400', '-1e-400', '9007199254740993', '1.5', '-1', '1e2',
  '{"__proto__":1}', '{"toString":1}', '{"toJSON":1}', '{"\\ud800":1}', '{"\\u0000":1}', '["\\u0000"]', '"a\\u0000b"', '"\\udc00x"', '"\\"', '"',
  '1e999999999', '-1e-999999999', '0e5000', '9'.repeat(5_000), '1.', '.5', '+1', '01', 'NaN', 'Infinity', '[1]', '[{"name":1}]',
  ...[120, 5_000, 200_000].flatMap((levels) => ['['.repeat(levels), '{"a":'.repeat(levels), '['.repeat(levels) + ']'.repeat(levels), `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`]),
]; // prettier-ignore

const contents = Object.entries({
  ...samples,
  snapshot:
    samples.snapshot +
    lines(
      { type: 'shop', name: 'N', platform: 'shopify', currency: 'EUR', plan_status: 'ok', created_at: null },
      collection({ handle: 'h', products_count: 1 }),
    ),
});

/** A table in which one cell (headers included) or one row is replaced. */
function changeTable(content: string): fc.Arbitrary<string> {
  const [header = ''] = content.split('\n');
  const delimiter = header.split(';').length > header.split(',').length ? ';' : ',';
  const rows = parse(content, { delimiter, relax_column_count: true });
  return fc
    .tuple(fc.nat(rows.length - 1), fc.nat((rows[0] ?? []).length - 1), fc.constantFrom(...texts), fc.nat(9))
    .map(([row, column, text, kind]) => {
      const changed = rows.map((cells) => [...cells]);
      if (kind === 0) changed.splice(row, 1);
      else if (kind === 1) changed.splice(row, 0, changed[row] ?? []);
      else if (kind === 2) changed.forEach((cells) => cells.splice(column, 1));
      else changed[row]?.splice(column, 1, text);
      return csv(changed, delimiter, '\n');
    });
}

/** JSON in which one value or one member name is replaced. */
function changeJson(content: string): fc.Arbitrary<string> {
  const places = [...content.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*|null|true|false|\[|\{/g)];
  return fc
    .tuple(fc.constantFrom(...places), fc.constantFrom(...jsonTexts), fc.boolean())
    .map(([location, text, wrap]) => {
      const [found] = location;
      const before = content.slice(0, location.index);
      const after = content.slice(location.index + found.length);
      // A bracket is followed by another value, or wraps the value.
      if (found === '[') return `${before}[${text}${/^\s*\]/.test(after) ? '' : ','}${after}`;
      if (found === '{') return `${before}{${wrap ? '"__proto__"' : '"added"'}:${text},${after}`;
      const isName = /^\s*:/.test(after);
      return `${before}${isName ? JSON.stringify(text) : text}${after}`;
    });
}

describe('a hostile value', () => {
  let shop: ShopUnderImport;
  let before: unknown;
  beforeAll(async () => {
    shop = await harness.createShop();
    await shop.import(lines(product({ external_id: 'kept', handle: 'kept', title: 'Kept', variants: [variant({ external_id: 'kept', options: [], position: 1 })] }))); // prettier-ignore
    before = await shop.fingerprint();
  });

  it.each(contents)('of %s is refused with its location, or read', async (format, content) => {
    const isTable = !/^[[{]/.test(content);
    await fc.assert(
      fc.asyncProperty(isTable ? changeTable(content) : changeJson(content), async (file) => {
        const problem: unknown = await readInto(shop, format, file).then(() => undefined, (error: unknown) => error); // prettier-ignore
        if (problem === undefined) return;
        expect({ file, problem }).toEqual({ file, problem: expect.any(ImportError) as unknown });
        const { message } = problem as ImportError;
        expect(message).not.toMatch(/went wrong|undefined|\[object |NaN|bob@shop/);
        // What only the database detects is reported for a batch.
        const location =
          format === 'snapshot' ? /^\S+\/file(?:, lines? \d+|: not in the format )/ : /^\S+\/(?:file|companion)\b/;
        expect({ file, message }).toEqual({ file, message: expect.stringMatching(location) as unknown });
      }),
      { numRuns: format === 'snapshot' ? 10 * numRuns : numRuns },
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each(contents)('is all that is refused in %s', async (format, content) => {
    await readInto(shop, format, content);
  });
});

/** Imports nothing in the end, but tries everything. */
async function readInto(shop: ShopUnderImport, format: string, content: string): Promise<void> {
  const files = [await harness.write(content)];
  const other = companions[format];
  if (other !== undefined) files.push(await harness.write(samples[other], 'companion'));
  await shop.importFiles(files, { format: format as FormatName, dryRun: true });
}
