import { parse } from 'csv-parse/sync';
import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { exchange } from '../support/rest-client';
import { seedApiKey, seedProduct, seedShop, seedVariant } from '../support/seed';
import { useService } from '../support/service';

let apiKey: string;
let catalog: ReturnType<typeof createCatalog>;
const ids: Record<string, string> = {};

const service = useService({ rateLimit: 100_000 });
beforeAll(async () => {
  buildCatalog();
  const { sql } = service;
  const shop = await seedShop(sql, { domain: 'feed.example', currency: 'EUR' });
  ({ apiKey } = await seedApiKey(sql, shop, { scopes: ['catalog:read'] }));
  const secret = { CURSOR_SECRET: 'a secret of the tests and for nothing else' };
  catalog = createCatalog(service.database.url, secret);
  const common = {
    description_html: '<p>A “fine” &amp; "quoted"\tmug.</p>',
    image_url: 'https://images.example/m.jpg',
  };
  const add = async (name: string, product: object, variants: readonly object[]) => {
    const id = await seedProduct(sql, shop, { ...common, title: name, handle: name, ...product });
    for (const variant of variants) ids[name] = await seedVariant(sql, shop, id, variant);
  };
  await add('whole', { url: 'https://feed.example/whole' }, [{ position: 1 }, { position: 2, compare_at_price: '25' }]);
  await add('draft', { status: 'DRAFT' }, [{}]);
  await add('priceless', {}, [{ price: null }]);
  await add('plain', { description_html: null, image_url: null }, [{}]);
  await add('deleted', { deleted_at: '2026-02-01T00:00:00Z' }, [{}]);
});

const get = (query: string) =>
  exchange(service.origin, `/export?format=google${query}`, { headers: { Authorization: `Bearer ${apiKey}` } });
const link = `&link=${encodeURIComponent('https://feed.example/{handle}')}`;
const readTable = (tsv: string): Record<string, string>[] => parse(tsv, { delimiter: '\t', columns: true });

describe('a feed for shopping services', () => {
  it('has the active variants with all required values, in columns that another reader reads', async () => {
    const { status, headers, text } = await get(link);
    expect([status, headers['content-type']]).toEqual([200, 'text/tab-separated-values; charset=utf-8']);
    const rows = readTable(text);
    expect(rows.map(({ link: each, price, sale_price }) => [each, price, sale_price])).toEqual([
      ['https://feed.example/whole', '19.90 EUR', ''],
      ['https://feed.example/whole', '25.00 EUR', '19.90 EUR'],
    ]);
    expect(new Set(rows.map(({ description }) => description))).toEqual(new Set(['A “fine” & "quoted" mug.']));
    expect(rows[1]?.['id']).toBe(ids['whole']);
    const own = readTable((await get('')).text);
    expect(own.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
  });

  it('reports what it leaves out, and why', async () => {
    const lines = (await get(`${link}&report=true`)).text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { type: 'left_out', variant: ids['priceless'], title: 'priceless', lacking: ['price'] },
      { type: 'left_out', variant: ids['plain'], title: 'plain', lacking: ['description', 'image_link'] },
      { type: 'complete', rows: 2, left_out: 2, lacking: { price: 1, description: 1, image_link: 1 } },
    ]);
  });

  it('is the same by command, which reports to standard error', async () => {
    const options = [
      'export',
      '--shop',
      'feed.example',
      '--format',
      'google',
      '--link',
      'https://feed.example/{handle}',
    ];
    const { exitCode, stdout, stderr } = await catalog(...options);
    expect([exitCode, stdout]).toEqual([0, (await get(link)).text]);
    expect(stderr).toContain('Variants in the feed: 2; left out: 2.');
    expect(stderr).toContain(`plain (${ids['plain']}): no description, image_link`);
    const report = await catalog(...options, '--report');
    expect(report.stdout).toBe((await get(`${link}&report=true`)).text);
  });

  it.each(['&link=https://feed.example/', '&link=x', '&report=1'])('refuses %s', async (query) => {
    const { status, text } = await get(query);
    expect([status, text]).toEqual([400, expect.stringContaining('BAD_USER_INPUT')]);
  });
});
