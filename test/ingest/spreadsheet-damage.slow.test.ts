import { decodeWindows1252 } from '../../src/ingest/source/windows-1252';
import { parseDateFormat } from '../../src/ingest/values/local-date';
import { ImportHarness } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

it('a text that fills a cell of a spreadsheet gets a warning, and is imported', async () => {
  const shop = await harness.createShop();
  const rows = [32_767, 32_768].map((length, at) => `p${at},P,1,${'x'.repeat(length)}\n`);
  expect((await shop.import(`Handle,Title,Variant Price,Body (HTML)\n${rows.join('')}`)).warnings.join('\n')).toMatch(
    /^\S+\/file, line 2, description_html: the text is cut off at 32767 characters, the limit of a spreadsheet cell$/m,
  );
  expect(await shop.rows('products')).toHaveLength(2);
});

describe('dates in local form', () => {
  it('wait for the date that shows how they are meant, in file order', async () => {
    const shop = await harness.createShop();
    const dates = [...Array.from({ length: 1_200 }, (_, at) => `0${(at % 9) + 1}/10/2026`), '13/10/2026'];
    const report = await shop.import(
      `Name,Created at,Financial Status\n${dates.map((date, at) => `#${at},${date},paid\n`).join('')}`,
    );
    expect(report.orders.created).toBe(1_201);
    expect((await shop.values('orders', 'created_at')).every(([at]) => String(at).startsWith('2026-10'))).toBe(true);
  });

  it('are in a given format', () => {
    const formats = ['MM/DD/YYYY', 'DD.MM.YYYY HH:mm +02:00', 'YYYY-MM-DD -05:00'].map(parseDateFormat);
    expect(formats.map(({ first, offsetMinutes }) => `${first} ${offsetMinutes}`).join()).toBe(
      'month 0,day 120,year -300',
    );
    for (const text of ['', 'DD/MM', 'YYYY/DD/MM', 'dd/mm/yyyy', 'DD/MM/YYYY +99:00', 'tomorrow'])
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

describe('damage that no number shows', () => {
  const importOne = async (row: string) => {
    const shop = await harness.createShop();
    return shop.import(`Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n${row}\n`);
  };

  it.each(['#N/A', '#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NV', '#¡VALOR!', '########', 'NaN', 'nan', '<NA>'])(
    '%s is no SKU and no handle',
    async (error) => {
      await expect(importOne(`a,A,,,${error},1`)).rejects.toThrow(
        `line 2, variants[0].sku: expected a code (a spreadsheet or script replaced it with an error; export the file again`,
      );
      await expect(importOne(`${error},A,,,s,1`)).rejects.toThrow('replaced it with an error');
    },
  );

  it.each([
    '1-Feb',
    '02-Jan',
    'Mar-10',
    'Jan-02',
    '01. Feb',
    '1. März',
    '02-janv.',
    '03-févr',
    '5-août',
    '2/Dez',
    '01. Mrz',
    '3-mrt',
    '4-ene',
    '1-gen',
    '2-Feb-01',
  ])('a size or a SKU of %s gets a warning', async (date) => {
    const { warnings } = await importOne(`a,A,Size,${date},${date},1`);
    const found = `"${date}": looks like a date that a spreadsheet made from another value, such as 1-2`;
    expect(warnings).toContainEqual(expect.stringContaining(`line 2, variants[0].options[0].value: ${found}`));
    expect(warnings).toContainEqual(expect.stringContaining(`line 2, variants[0].sku: ${found}`));
  });

  it.each(['Größe', 'Crème brûlée', '5 € – „neu“', 'Сайт', 'テスト', 'Señor’s', '👋'])(
    '%s read in another encoding and saved as UTF-8 gets a warning',
    async (text) => {
      for (const misread of [decodeWindows1252(Buffer.from(text)), Buffer.from(text).toString('latin1')]) {
        const { warnings } = await importOne(`a,${misread},,,s,1`);
        expect(warnings).toContainEqual(expect.stringContaining('is UTF-8 that a program read in another encoding'));
      }
      expect((await importOne(`a,${text},,,s,1`)).warnings.join('\n')).not.toContain('encoding');
    },
  );

  it.each(['NÃO', 'ÂGE', 'CAFÉ”', 'Ñandú', 'ESPAÑA', '10-Pack', '1-2', 'May', 'Mar', 'Dec-orative', '3-Sectional', '2-Decker', '12-Junior', '3-Marker', '1-Octave', 'nano'])(
    '%s is a title, a size and a SKU as any other',
    async (text) => {
      const { warnings } = await importOne(`a,${text},Size,${text},${text},1`);
      expect(warnings.filter((warning) => !warning.includes('status'))).toEqual([]);
    },
  ); // prettier-ignore
});
