import { parseDateFormat } from '../../src/ingest/values/local-date';
import { useImportHarness } from './import-harness';

const harness = useImportHarness();

it('a text that fills a cell of a spreadsheet gets a warning, and is imported', async () => {
  const shop = await harness.createShop();
  const rows = [32_767, 32_768].map((length, at) => `p${at},P,1,${'x'.repeat(length)}\n`);
  expect((await shop.import(`Handle,Title,Variant Price,Body (HTML)\n${rows.join('')}`)).warnings.join('\n')).toMatch(
    /^\S+\/file, line 2, description_html: the text is cut off at 32767 characters, the limit of a spreadsheet cell$/m,
  );
  expect(await shop.rows('products')).toHaveLength(2);
});

it('a number of an order is a code, as its ID is', async () => {
  const shop = await harness.createShop();
  const header = 'Name,Id,Created at,Financial Status\n';
  const { warnings } = await shop.import(`${header}1001.0,7,2026-01-02T00:00:00Z,paid\n`);
  expect(warnings.join('\n')).toMatch(/line 2, order_number: "1001\.0": was read without the zeros/);
  expect(await shop.values('orders', 'order_number')).toEqual([['1001']]);
  const content = `${header}1.0002E+17,7,2026-01-02T00:00:00Z,paid\n`;
  await expect(shop.import(content)).rejects.toThrow('line 2, order_number: expected all digits');
});

describe('dates in a local format', () => {
  it('wait for the date that shows their format, in file order', async () => {
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

it('products keep file order if the file has no dates, also in lists', async () => {
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
