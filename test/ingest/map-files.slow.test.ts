import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ImportError } from '../../src/ingest/values/import-error';
import { openMap } from '../../src/ingest/open-map';
import { readMap } from '../../src/ingest/maps/read-map';
import { fc } from '../support/properties';

const shipped = join(__dirname, '../../src/ingest/maps/shipped');
const texts = readdirSync(shipped).map((name) => readFileSync(join(shipped, name), 'utf8'));

/** The message that rejects a map; undefined for a valid map. Anything else is thrown. */
function refusal(text: string): string | undefined {
  try {
    readMap(text, 'map');
    return undefined;
  } catch (error) {
    if (error instanceof ImportError) return error.message;
    throw error;
  }
}

const base = 'product: { external_id: ID, title: Name }\n';

describe('a map file', () => {
  it.each(texts.map((text) => [/^# (\S+)/.exec(text)?.[1], text]))('of %s is read', (_name, text) => {
    expect(refusal(text)).toBeUndefined();
  });

  it.each([
    ['', 'map, line 1: expected a mapping file with keys such as "product:", got nothing'],
    ['- a\n', 'map, line 1: expected a mapping file with keys such as "product:", got a list'],
    [`${base}order: { external_id: A }\n`, 'map, line 2, order: remove the key "product": a mapping file describes products, orders or collections'],
    ['order: { total_price: A }\n', 'map, line 1, order: expected a key "external_id": every order has one'],
    ['collection: { external_id: A }\n', 'map, line 1, collection: expected a key "title": every collection has one'],
    ['order: { external_id: A, email: B }\n', 'map, line 1, order.email: unknown key; expected one of external_id, order_number,'],
    ['order: { external_id: A, currency: { value: euro } }\n', 'map, line 1, order.currency.value: expected a three-letter uppercase currency code such as EUR, got "euro"'],
    ['order: { external_id: A }\nrows: { parent: { column: A, names: B } }\n', 'map, line 2, rows: expected only "same" and "skip_when" in a mapping file for orders'],
    [base + '? '.repeat(150), 'map, line 2: expected a key, got a mapping'],
    ['? '.repeat(150), 'map, line 1: expected a key, got a mapping'],
    ['product: [\n', 'is not valid YAML'],
    ['product: { external_id: ID }\n', 'map, line 1, product: expected a key "title": every product has one'],
    ['variant: { sku: SKU }\n', 'map, line 1: expected a key "product" with the columns of products'],
    [`${base}prodcut: {}\n`, 'map, line 2, prodcut: unknown key; expected one of name, delimiter, decimal,'],
    [`${base}product: { external_id: A, title: B }\n`, 'map, line 2: is not valid YAML: Map keys must be unique'],
    ['product:\n  external_id: ID\n  title: Name\n  colour: Red\n', 'map, line 4, product.colour: unknown key; expected one of external_id, title, handle,'],
    ['product:\n  external_id: ID\n  title: { colum: Name }\n', 'map, line 3, product.title.colum: unknown key; expected one of column, join,'],
    ['product:\n  external_id: ID\n  title: { words: { A: B } }\n', 'map, line 3, product.title: expected exactly one of the keys "column", "join" and "value"'],
    ['product:\n  external_id: ID\n  title: Name\n  status: { column: S, words: { Yes: ON } }\n', 'map, line 4, product.status.words.Yes: expected ACTIVE or DRAFT or ARCHIVED, got "ON"'],
    ['product:\n  external_id: ID\n  title: Name\n  status: { column: S, words: { Yes: ACTIVE, yes: DRAFT } }\n', 'map, line 4, product.status.words.yes: "yes" appears twice: case is ignored'],
    [`${base}variant: { sku: { column: S, sale: T } }\n`, 'map, line 2, variant.sku.sale: is not a key of sku, only of price'],
    ['product: { external_id: ID, title: { column: Name, create: true } }\n', 'map, line 1, product.title.create: is not a key of title, only of collections'],
    ['product: { external_id: ID, title: { join: [] } }\n', 'map, line 1, product.title.join: expected a list of columns, got an empty list'],
    ['order: { external_id: ID, created_at: { value: soon } }\n', 'map, line 1, order.created_at.value: expected a timestamp such as 2026-01-31T12:00:00Z, got "soon"'],
    [`${base}variant: { price: { add: S } }\n`, 'map, line 2, variant.price: expected exactly one of the keys "column", "join" and "value"'],
    [`${base}variant: { price: { column: P, sale_when: { column: S, filled: true } } }\n`, 'expected "sale" together with "sale_when"'],
    [`${base}variant: { price: { column: P, tax_percent: much } }\n`, 'variant.price.tax_percent: expected a percentage below 1000 with at most 4 decimals, such as 20, got "much"'],
    [`${base}variant: { price: { value: cheap } }\n`, 'variant.price.value: expected a decimal number such as 19.90, got "cheap"'],
    [`${base}variant: { options: { values: A } }\n`, 'variant.options: expected "{n}" in the column names (for numbered columns) or a "separator" (for lists)'],
    [`${base}delimiter: and\n`, 'map, line 2, delimiter: expected comma, semicolon, tab, pipe or one ASCII symbol such as ~, but not ", . or _, got "and"'],
    [`${base}optional: some\n`, 'map, line 2, optional: expected true or a list of columns, such as [Weight], got "some"'],
    [`${base}decimal: dot\n`, 'map, line 2, decimal: expected point or comma, got "dot"'],
    [`${base}date_format: soon\n`, 'map, line 2, date_format: expected a date format such as DD/MM/YYYY, MM/DD/YYYY or YYYY-MM-DD'],
    [`${base}rows: { same: A, parent: { column: B, names: C } }\n`, 'map, line 2, rows: expected only one of same and parent: each is a different way to group rows'],
    [`${base}rows: { first_is_variant: true }\n`, 'map, line 2, rows: expected "product_when" together with "first_is_variant"'],
    [`${base}rows: { product_when: { column: A } }\n`, 'map, line 2, rows.product_when: expected either "is" or "filled"'],
    [`${base}rows: { product_when: { column: A, filled: maybe } }\n`, 'rows.product_when.filled: expected true or false, got "maybe"'],
    [`${base}rows: { same: A }\nvariants_file: { product: A, variant: { sku: S } }\n`, 'variants_file: remove the keys of "rows" that group variants'],
    ['product: &a { external_id: ID, title: Name }\n', 'map, line 1: YAML anchors (&name) are not supported: write the value where it is used'],
    ['product: { external_id: !!js/function x, title: Name }\n', 'map, line 1'],
    ['product: { external_id: ID, title: *a }\n', 'map, line 1: '],
    [`${base}# ${'x'.repeat(70_000)}\n`, 'map: expected a mapping file of at most 65536 bytes, got more'],
    ['['.repeat(30_000), 'map, line 1: values are nested too deeply'],
    ['[\n'.repeat(15_000), ': values are nested too deeply'],
    [`${base}name: ${'{a: '.repeat(300)}x${'}'.repeat(300)}\n`, 'map, line 2, name: expected a name, got a mapping'],
    ['- '.repeat(30_000), 'map, line 1: values are nested too deeply'],
    ['? '.repeat(30_000), 'map, line 1: values are nested too deeply'],
    [`${base}name: !tag x\n`, 'map, line 2: is not valid YAML: Unresolved tag: !tag'],
    [`a: &a [x]\n${Array.from({ length: 20 }, (_, at) => `b${at}: [${'*a,'.repeat(9)}]\n`).join('')}`, 'map, line '],
  ])('rejects what is not a map (%#)', (text, message) => {
    expect(refusal(text)).toContain(message);
  }); // prettier-ignore

  it.each(['/dev/zero', '/dev/urandom'])('is not read beyond its limit, of a device: %s', async (device) => {
    await expect(openMap(device)).rejects.toThrow(
      `${device}: expected a mapping file of at most 65536 bytes, got more`,
    );
  });

  it('is UTF-8', async () => {
    const map = join(mkdtempSync(join(tmpdir(), 'map-files-')), 'map.yaml');
    writeFileSync(map, Buffer.from('product: { external_id: ID, title: Größe }\n', 'latin1'));
    await expect(openMap(map)).rejects.toThrow(`${map}: expected UTF-8`);
    rmSync(dirname(map), { recursive: true });
  });

  it('is read or rejected, whatever it contains', () => {
    const piece = fc.constantFrom('product', 'variant', 'rows', ':', ' ', '\n', '  ', '- ', '{', '}', '[', ']', ',', '"', "'", '&a', '*a', '!x', '|', '>', '#', '\t', '? ', '%YAML 1.1\n', '---\n', '...', '<<', 'é', '\0', '{n}', 'column', 'words'); // prettier-ignore
    const soup = fc.array(piece, { maxLength: 80 }).map((parts) => parts.join(''));
    const damaged = fc
      .tuple(fc.constantFrom(...texts), fc.array(fc.tuple(fc.nat(), fc.nat(20), soup), { minLength: 1, maxLength: 4 }))
      .map(([text, changes]) =>
        changes.reduce((all, [at, length, put]) => {
          const start = at % all.length;
          return all.slice(0, start) + put.slice(0, 12) + all.slice(start + length);
        }, text),
      );
    fc.assert(
      fc.property(fc.oneof(soup, damaged), (text) => void refusal(text)),
      { numRuns: 1500 },
    );
  });
});

const documented = [...readFileSync(join(__dirname, '../../docs/maps.md'), 'utf8').matchAll(/```yaml\n(.*?)```/gs)].map(
  ([, text]) => text ?? '',
);

it('of each kind in the documentation is valid', () => {
  const maps = documented.map((text) => readMap(text, 'docs/maps.md'));
  const sizeOf = ({ product, variant, order, collection }: (typeof maps)[number]) =>
    [product, variant?.members, order, collection].map((members) => members?.size);
  expect(maps.map((map) => [Object.keys(map.rows ?? {}), ...sizeOf(map)])).toEqual([
    [['skip_when', 'same'], 10, 6, undefined, undefined],
    [['same'], undefined, undefined, 7, undefined],
    [[], undefined, undefined, undefined, 3],
  ]);
}); // prettier-ignore
