import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { csvColumnsOf, csvTypes, fromCell, toCell, toRow } from '../../src/catalog/export/csv-table';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { fc } from '../support/properties';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedCollection, seedOrder, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

/** The rows of a table, read by a third-party parser. */
const openSheet = (csv: string): string[][] => parse(csv);

const service = useService({ rateLimit: 100_000 });
beforeAll(buildCatalog);

const trying = [
  '=1+1',
  '+1',
  '-x',
  '@a',
  "'=1",
  "''",
  '""',
  '"',
  ' a ',
  'a\r\nb',
  'a,b',
  'a;b',
  'a: b',
  '[1]',
  '',
  'é',
  '\tx',
  '0012',
  'null',
  '\'""',
  '\n=1',
  '＝1+1',
  'a;=1',
  'a|+1',
  'a\t-1',
  'a\n@1',
  'a;"=1;b',
  "a; '＠1",
];
const text = fc.oneof(
  fc.constantFrom(...trying),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom(...'=+-@＝＋－＠;|\t\r\n\'" a,'), maxLength: 8 }),
);

/** Lines as programs of different countries split them, none of which handles our quotes. */
const pieces = (csv: string): string[] => csv.split(/[;|\t\r\n]/);
const formula = /^[" ]*[=+\-@＝＋－＠]/;

describe('cells', () => {
  const valueOf = (kind: string): fc.Arbitrary<unknown> => {
    switch (kind) {
      case 'tags':
        return fc.array(text, { maxLength: 3 });
      case 'options':
        return fc.array(fc.record({ name: text, value: text }), { maxLength: 3 });
      case 'list':
        return fc.array(fc.record({ url: text, position: fc.oneof(fc.constant(null), fc.integer()) }), {
          maxLength: 3,
        });
      case 'flag':
        return fc.boolean();
      case 'count':
      case 'quantity':
      case 'position':
        return fc.oneof(fc.constant(null), fc.integer());
      default:
        return fc.oneof(fc.constant(null), text);
    }
  };

  it.each(csvTypes)('of %s become the value that they were made from, with and without escapes', (type) => {
    for (const column of csvColumnsOf(type)) {
      fc.assert(
        fc.property(valueOf(column.kind), fc.boolean(), (value, escapes) => {
          const cell = toCell(column, value, escapes);
          const isNumber = typeof value === 'number';
          expect(fromCell(column, cell, JSON.parse)).toEqual(isNumber ? String(value) : value);
          if (!escapes || /^-?[0-9.]+$/.test(cell)) return;
          expect(cell).not.toMatch(/^[=+\-@＝＋－＠\t\r\n]/);
          for (const row of [
            ['a', cell, 'b'],
            [cell, 'b'],
          ])
            expect(pieces(toRow(row)).filter((piece) => formula.test(piece))).toEqual([]);
        }),
        { numRuns: 400 },
      );
    }
  });
});

async function seedCatalog() {
  const shopId = await seedShop(service.sql);
  const { apiKey } = await seedApiKey(service.sql, shopId);
  for (const [index, title] of trying.entries()) {
    const product = await seedProduct(service.sql, shopId, {
      title,
      vendor: index % 2 ? title : null,
      tags: [title, 'b'],
    });
    for (let position = 1; position <= index % 3; position += 1) {
      const options = [
        { name: 'Size', value: `S${position}` },
        { name: title, value: title },
      ];
      await seedVariant(service.sql, shopId, product, { title, sku: title, position, price: '-1.50', options });
    }
    await seedCollection(service.sql, shopId, { title });
    await seedOrder(service.sql, shopId, { customer_name: title, tags: [title], items_count: index });
  }
  return { shopId, apiKey };
}

const headersOf = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });

/** Everything that REST shows, except what an import generates. */
async function readShop(apiKey: string): Promise<unknown> {
  const { text: lines } = await exchange(service.origin, '/export', { headers: headersOf(apiKey) });
  return lines
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line, (name, value: unknown) => (name === 'id' ? undefined : value)) as unknown);
}

describe('GET /export?format=csv', () => {
  it('has every object of a table, as a reader of spreadsheets reads it', async () => {
    const { apiKey } = await seedCatalog();
    for (const type of csvTypes) {
      const {
        status,
        headers,
        text: csv,
      } = await exchange(service.origin, `/export?format=csv&type=${type}`, {
        headers: headersOf(apiKey),
      });
      expect([status, headers['content-type'], headers['content-disposition']]).toEqual([
        200,
        'text/csv; charset=utf-8; header=present',
        `attachment; filename="${type}.csv"`,
      ]);
      const rows = openSheet(csv);
      expect(rows[0]).toEqual(csvColumnsOf(type).map(({ name }) => name));
      if (type !== 'variants') expect(rows).toHaveLength(trying.length + 1);
      for (const row of rows) expect(row).toHaveLength(rows[0]?.length ?? 0);
    }
  });

  it('begins with a byte order mark, and escapes formulas, on request', async () => {
    const { apiKey } = await seedCatalog();
    const read = async (more: string) =>
      (await exchange(service.origin, `/export?format=csv&type=products${more}`, { headers: headersOf(apiKey) })).text;
    const [plain, safe] = [await read(''), await read('&bom=true&escape_formulas=true')];
    expect([plain.startsWith('id,'), safe.startsWith('\ufeffid,')]).toEqual([true, true]);
    const cells = openSheet(safe.slice(1)).slice(1).flat();
    expect(cells.flatMap(pieces).filter((piece) => formula.test(piece) && !/^-?[0-9.]+$/.test(piece))).toEqual([]);
    expect(openSheet(plain).flat()).toContain('=1+1');
  });

  it.each([
    ['', 'type: expected one of products, variants, collections, orders with format=csv, got none.'],
    ['&type=', 'type: expected one of products, variants, collections, orders, got \\"\\".'],
    ['&type=shops', 'type: expected one of products'],
    ['&type=products&bom=1', 'bom: expected one of true, false, got \\"1\\".'],
    ['&type=products&type=orders', 'type: expected at most one value, got 2.'],
  ])('refuses %j', async (query, message) => {
    const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql));
    const { status, text: body } = await exchange(service.origin, `/export?format=csv${query}`, {
      headers: headersOf(apiKey),
    });
    expect([status, body]).toEqual([400, expect.stringContaining(message)]);
  });

  it('needs the scope of its table', async () => {
    const { apiKey } = await seedApiKey(service.sql, await seedShop(service.sql), { scopes: ['catalog:read'] });
    for (const [type, expected] of [
      ['orders', 403],
      ['variants', 200],
    ] as const) {
      const { status } = await exchange(service.origin, `/export?format=csv&type=${type}`, {
        headers: headersOf(apiKey),
      });
      expect(status).toBe(expected);
    }
  });
});

it.each([[], ['--bom', '--escape-formulas']])(
  'an import of what `catalog export --format csv %s` wrote gives an equal shop',
  async (...words) => {
    const catalog = createCatalog(service.database.url, {
      CURSOR_SECRET: 'a secret of the tests and for nothing else',
    });
    const { shopId, apiKey } = await seedCatalog();
    const [shop] = await service.sql<{ domain: string }>('SELECT domain FROM shops WHERE shop_id = $1', [shopId]);
    const directory = mkdtempSync(join(tmpdir(), 'csv-'));
    const files: string[] = [];
    for (const type of csvTypes) {
      const { exitCode, stdout, stderr } = await catalog(
        'export',
        '--shop',
        shop?.domain ?? '',
        '--format',
        'csv',
        '--type',
        type,
        ...words,
      );
      expect([exitCode, stderr]).toEqual([0, '']);
      files.push(join(directory, `${type}.csv`));
      writeFileSync(files.at(-1) ?? '', stdout);
    }
    const other = await seedShop(service.sql, { domain: `copy-${words.length}.example` });
    const { apiKey: otherKey } = await seedApiKey(service.sql, other);
    const imported = await catalog('import', ...files, '--shop', `copy-${words.length}.example`);
    expect([imported.exitCode, imported.stderr]).toEqual([0, expect.anything()]);
    expect(await readShop(otherKey)).toEqual(await readShop(apiKey));
    // A second import changes nothing.
    const again = await catalog('import', ...files, '--shop', `copy-${words.length}.example`, '--json');
    expect(JSON.stringify(JSON.parse(again.stdout))).not.toMatch(/"(?:created|updated|removed)":[1-9]/);
  },
);

it.each([
  [['--type', 'products', '--types', 'products', '--format', 'csv'], '--types: use --type'],
  [['--format', 'csv'], '--type: expected one of products'],
  [['--type', 'products'], 'require --format csv'],
])('catalog export %j is wrong usage', async (words, message) => {
  const catalog = createCatalog(service.database.url, { CURSOR_SECRET: 'a secret of the tests and for nothing else' });
  const { exitCode, stderr } = await catalog('export', '--shop', 'copy-0.example', ...words);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});
