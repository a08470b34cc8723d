import { parseDateFormat } from '../../src/ingest/values/local-date';
import type { ImportReport } from '../../src/ingest/import-files';
import { ImportHarness, lines, product, variant } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

/** The warnings, without those of members that these short files lack. */
const warningsOf = ({ warnings }: ImportReport): string[] =>
  warnings
    .map((text) => text.replace(`${harness.directory}/`, ''))
    .filter((text) => !text.startsWith('file: the file does not say '));

const products = (column: string, ...cells: string[]): string =>
  `Handle,Title,Variant Price,${column}\n${cells.map((cell, index) => `p${index},P,1,${cell}\n`).join('')}`;

describe('damage by a spreadsheet or a data frame', () => {
  it.each<[what: string, file: string, warnings: string[]]>([
    ['leading zeros removed', products('Barcode', '36000291452', '36000291469', '4006381333931'), ['file, line 2, variants[0].barcode: "36000291452": its leading zeros seem to be gone, and 1 more']],
    ['numbers that are not barcodes', products('Barcode', '36000291452', '36000291453', '36000291454', '1234567'), []],
    ['similar SKUs', products('SKU', '1E5', '12E', 'E+12', '1.5', '1.00', '1.0a'), []],
    ['an error', products('Description', '#REF!', '#1 of all mugs', 'nan'), ['file, line 2, description_html: "#REF!": a spreadsheet or a data frame wrote an error instead of the value, and 1 more']],
    ['a text cut off', products('Body (HTML)', 'x'.repeat(32_767), 'x'.repeat(32_768)), ["file, line 2, description_html: a text ends at the 32767 characters that a spreadsheet's cell can hold"]],
    ['digits that may be rounded', products('SKU', '1234567890123450'), ['file, line 2, variants.sku: "1234567890123450": a spreadsheet may have replaced all digits after the first 15 by zeros']],
    ['long numbers of which some end in zeros', products('SKU', '12345678901234000', '12345678901234567'), []],
    ['nothing', products('Barcode', '00012345678905', '', "'0012"), []],
  ])('%s: gets a warning, and is imported', async (_, file, warnings) => {
    const shop = await harness.createShop();
    const report = await shop.import(file);
    expect(warningsOf(report)).toEqual(warnings);
    expect(report.products.created).toBeGreaterThan(0);
  }); // prettier-ignore

  const mapped = 'product: { external_id: id, title: name }\nvariant: { external_id: id, sku: code }\n';
  const own = (id: string, sku: string): string => lines(product({ external_id: id, variants: [variant({ sku })] }));

  it.each<[what: string, file: string, map?: string]>([
    ['an order id', 'Id,Name,Financial Status,Created at,Total\n8.41E+12,#1,paid,2026-01-01 10:00:00 +0000,1\n'],
    ['an order id, with a decimal comma', 'Id,Name,Financial Status,Created at,Total\n"8,41E+12",#1,paid,2026-01-01 10:00:00 +0000,1\n'],
    ['a handle', 'Handle,Title,Variant Price\n1E+12,P,1\n'],
    ['a barcode, in lower case', products('Variant Barcode', '4.00638e+12')],
    ['a SKU', products('SKU', '1.2E+15')],
    ['an order id, rounded', 'Id,Name,Financial Status,Created at,Total\n841234567890123000,#1,paid,2026-01-01 10:00:00 +0000,1\n'],
    ['an id of WooCommerce', 'ID,Type,SKU,Name,Regular price,Sale price\n1.23457E+13,simple,A,P,1,\n'],
    ['the SKU that is an id', 'Type,SKU,Name,Regular price,Sale price\nsimple,4.00638E+12,P,1,\n'],
    ['an id of a map', 'id,name,code\n8.41E+12,P,C\n', mapped],
    ['a code of a map', 'id,name,code\nA,P,8.41E+12\n', mapped],
    ['an id of a snapshot', own('8.41E+12', 'S')],
    ['a SKU of a snapshot', own('p', '8.41E+12')],
  ])('%s without its digits is refused', async (...[, file, map]) => {
    const shop = await harness.createShop();
    const refusal = await shop.refusal(file, map === undefined ? {} : { map: await harness.write(map, 'map.yaml') });
    expect(refusal).toMatch(/^file, line \d, [\w[\].]+: expected all digits: a spreadsheet.*; export the file again, and import it before/);
    expect(await shop.rows('products')).toEqual([]);
  }); // prettier-ignore

  it('a fraction of zero is removed from ids and codes, and from what is made of them', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(
      'Handle,Title,Option1 Name,Option1 Value,Variant Price,Variant SKU,Variant Barcode\n' +
        '12.0,P,Size,S,1,1001.0,4006381333931.0\n12.0,,,L,1,1002.0,\n',
    );
    await shop.import('Id,Name,Financial Status,Created at,Total\n5001.0,#1,paid,2026-01-01 10:00:00 +0000,1\n');
    expect(await shop.values('products', 'external_id', 'handle')).toEqual([['handle:12', '12']]);
    expect(await shop.values('variants', 'external_id', 'sku', 'barcode')).toEqual([
      ['handle:12/L', '1002', null],
      ['handle:12/S', '1001', '4006381333931'],
    ]);
    expect(await shop.values('orders', 'external_id')).toEqual([['5001']]);
    expect(warningsOf(report)).toContain(
      'file, line 2, variants[0].sku: "1001.0": was read without the .0 that a spreadsheet or a data frame has added, and 1 more',
    );
  });

  it('a fraction of zero stays in a file of ours, whose ids may be any text, with a warning', async () => {
    const shop = await harness.createShop();
    const report = await shop.import(own('1.0', '1001.0'));
    expect(await shop.values('products', 'external_id')).toEqual([['1.0']]);
    expect(warningsOf(report)).toHaveLength(2);
  });
});

describe('the dates of a file', () => {
  it.each<[what: string, file: string, warning: string, map?: string]>([
    ['that has none of its orders', 'Name,Financial Status,Created at,Total\n#1,paid,,1\n#2,paid,,1\n', 'file: none of the 2 orders has a created_at: filters by date, totals by day and the dashboard leave them out'],
    ['that lacks created_at', 'id,name,changed\n1,P,2024-01-01T00:00:00Z\n', 'file, line 2, updated_at: "2024-01-01T00:00:00.000Z": is before created_at, or before this import, which is created_at of a new object without one', 'product: { external_id: id, title: name, updated_at: changed }\n'],
  ])('%s: a warning says what follows', async (...[, file, warning, map]) => {
    const shop = await harness.createShop();
    const report = await shop.import(file, map === undefined ? {} : { map: await harness.write(map, 'map.yaml') });
    expect(warningsOf(report)).toEqual([warning]);
  }); // prettier-ignore
});

const orders = (...moments: string[]): string =>
  `Name,Created at,Financial Status\n${moments.map((moment, index) => `#${index},"${moment}",paid\n`).join('')}`;

describe('dates in local form', () => {
  it.each<[what: string, dates: string[], format: string | undefined, expected: string[]]>([
    ['day first, shown by a later one', ['03/04/2026 22:36', '31/12/2025 01:02:03', '05/05/2026'], undefined, ['2026-04-03T22:36:00+00:00', '2025-12-31T01:02:03+00:00', '2026-05-05T00:00:00+00:00']],
    ['month first', ['3/4/2026 10:36 PM', '12/31/2025 12:05 am'], undefined, ['2026-03-04T22:36:00+00:00', '2025-12-31T00:05:00+00:00']],
    ['with dots', ['31.12.2025 22:36', '01.02.2026, 08:00'], undefined, ['2025-12-31T22:36:00+00:00', '2026-02-01T08:00:00+00:00']],
    ['beside dates with a zone', ['2026-01-01 00:00:00 +0200', '01/31/2026', '02/01/2026'], undefined, ['2025-12-31T22:00:00+00:00', '2026-01-31T00:00:00+00:00', '2026-02-01T00:00:00+00:00']],
    ['in the given format', ['03/04/2026 22:36', '04/04/2026'], 'MM/DD/YYYY', ['2026-03-04T22:36:00+00:00', '2026-04-04T00:00:00+00:00']],
    ['in the given format, with a time zone', ['03/04/2026 22:36'], 'DD.MM.YYYY HH:mm +02:00', ['2026-04-03T20:36:00+00:00']],
    ['year first, in the given format', ['2026-01-31 22:36', '2026/02/01'], 'YYYY-MM-DD -05:00', ['2026-02-01T03:36:00+00:00', '2026-02-01T05:00:00+00:00']],
    ['in the given format, with years of two digits', ['10/25/20, 4:58 PM', '1/2/99'], 'MM/DD/YYYY', ['2020-10-25T16:58:00+00:00', '1999-01-02T00:00:00+00:00']],
    ['the same either way', ['05/05/2026', '06/06/2026'], undefined, ['2026-05-05T00:00:00+00:00', '2026-06-06T00:00:00+00:00']],
  ])('%s', async (_, dates, format, expected) => {
    const shop = await harness.createShop();
    const report = await shop.import(orders(...dates), { dateFormat: format === undefined ? undefined : parseDateFormat(format) });
    expect((await shop.values('orders', 'created_at')).flat()).toEqual(expected);
    expect(warningsOf(report)).toHaveLength(format === undefined ? 1 : 0);
    if (format === undefined) expect(warningsOf(report)[0]).toMatch(/^file: dates such as .* have no time zone and were read as .* in UTC; to change this, set --date-format/);
  }); // prettier-ignore

  it.each<[what: string, dates: string[], format: string | undefined, message: RegExp]>([
    ['that are ambiguous', ['03/04/2026', '05/06/2026'], undefined, /^file, line 2, column "Created at": .*--date-format DD\/MM\/YYYY, MM\/DD\/YYYY or .*, got "03\/04\/2026"$/],
    ['that contradict each other', ['31/12/2026', '12/31/2026'], undefined, /^file, line 3, column "Created at": expected a date that exists, read as DD\/MM\/YYYY, got "12\/31\/2026"$/],
    ['in another format than the given one', ['31/12/2026'], 'MM/DD/YYYY', /expected a date that exists, read as MM\/DD\/YYYY/],
    ['that do not exist', ['31/02/2026'], undefined, /expected a date that exists/],
    ['with a year of two digits, which may be any of them', ['31/12/26'], undefined, /expected a timestamp .*--date-format/],
    ['without a zone', ['2026-01-31 10:00:00'], undefined, /no time or no time zone: .*"YYYY-MM-DD \+02:00"/],
  ])('rejects those %s', async (_, dates, format, message) => {
    const shop = await harness.createShop();
    const dateFormat = format === undefined ? undefined : parseDateFormat(format);
    expect(await shop.refusal(orders(...dates), { dateFormat })).toMatch(message);
    expect(await shop.rows('orders')).toEqual([]);
  }); // prettier-ignore

  it('wait for the date that shows how they are meant, in file order', async () => {
    const shop = await harness.createShop();
    const dates = [...Array.from({ length: 1_200 }, (_, at) => `0${(at % 9) + 1}/10/2026`), '13/10/2026'];
    const report = await shop.import(orders(...dates));
    expect(report.orders.created).toBe(1_201);
    expect((await shop.values('orders', 'created_at')).every(([at]) => String(at).startsWith('2026-10'))).toBe(true);
  });

  it.each(['', 'DD/MM', 'YYYY/DD/MM', 'dd/mm/yyyy', 'DD/MM/YYYY +99:00', 'tomorrow'])('are in no format %j', (text) => {
    expect(() => parseDateFormat(text)).toThrow('expected a date format such as DD/MM/YYYY');
  });
});

it('products follow each other in file order where it has no dates, also in the lists', async () => {
  const shop = await harness.createShop();
  const handles = Array.from({ length: 1_203 }, (_, index) => `p${(index * 7919) % 1_203}`);
  await shop.import(`URL handle,Title,Published,Price\n${handles.map((handle) => `${handle},T,true,1\n`).join('')}`);
  const rows = await harness.test.sql<{ handle: string; created: string; same: boolean }>(
    `SELECT handle, to_char(created_at AT TIME ZONE 'UTC', 'HH24:MI:SS.MS') AS created,
            created_at = updated_at AND created_at = published_at AS same
       FROM products WHERE shop_id = $1 ORDER BY created_at, id`,
    [shop.id],
  );
  expect(rows.map(({ handle }) => handle)).toEqual(handles);
  expect(rows.every(({ same }) => same)).toBe(true);
  expect([rows[0]?.created, rows.at(-1)?.created]).toEqual(['12:00:00.000', '12:00:01.202']);
});
