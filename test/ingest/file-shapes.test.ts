import { ImportHarness, lines, product } from './import-harness';

let harness: ImportHarness;
beforeAll(async () => {
  harness = await ImportHarness.create();
});
afterAll(() => harness.close());

describe('a file that cannot be imported is rejected with advice, and nothing is written', () => {
  it.each<[string, string | Buffer, RegExp]>([
    ['UTF-16 without a mark', Buffer.from('Handle,Title\n', 'utf16le'), /^file: looks like UTF-16 without a byte order mark/],
    ['a NUL character', 'URL handle,Title,Price\na,A,1\nb,\0,1\n', /^file, line 3: holds a NUL character/],
    ['other columns', 'slug,name\na,A\n', /its columns are slug, name\./],
    ['a JSON array', '[{"type":"product"}]\n', /it is JSON with \[\].type/],
    ['other JSON', '{"id":1}\n', /it is JSON with id/],
    ['plain text', 'hello\n', /it is not CSV, a workbook or JSON/],
  ])('%s', async (_, content, message) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(content)).toMatch(message);
  }); // prettier-ignore

  it.each(['', '\n\n', '\ufeff'])('an empty one (%j)', async (content) => {
    const shop = await harness.createShop();
    expect(await shop.refusal(content)).toBe('file: the file is empty');
  });

  it('one that does not exist, and a directory', async () => {
    const shop = await harness.createShop();
    await expect(shop.importFiles(['/nowhere/x.csv'])).rejects.toThrow('/nowhere/x.csv: there is no such file');
    await expect(shop.importFiles([harness.directory])).rejects.toThrow('expected a file, got a directory');
  });

  it('one that is not in the requested format', async () => {
    const shop = await harness.createShop();
    expect(await shop.refusal(lines(product()), { format: 'shopify-orders' })).toMatch(
      /^file: is not in the format shopify-orders/,
    );
  });

  it('the second of two: the first is not written either', async () => {
    const shop = await harness.createShop();
    const good = await harness.write(lines(product()), 'good');
    const bad = await harness.write('URL handle,Title,Price\na,A,x\n', 'bad');
    await expect(shop.importFiles([good, bad])).rejects.toThrow(/bad, line 2, column "Price"/);
    expect(await shop.rows('products')).toEqual([]);
  });
});

describe('a file that can be imported', () => {
  it.each([
    ['CRLF and a byte order mark', `\ufeff${lines(product()).replaceAll('\n', '\r\n')}`],
    ['no line end at the end', lines(product()).trimEnd()],
    ['blank lines', `\n\n${lines(product())}\n`],
    ['U+2028 inside of a line', lines(product({ seo_title: 'a\u2028b' }))],
  ])('may be a snapshot with %s', async (_, content) => {
    const shop = await harness.createShop();
    expect((await shop.import(content)).products.created).toBe(1);
  });

  it('may be one of several of different formats, imported in order, with progress to the last byte', async () => {
    const shop = await harness.createShop();
    const files = [
      await harness.write('URL handle,Title,Price\na,A,1\n', 'products.csv'),
      await harness.write('Name,Created at,Financial Status\n#1,,paid\n', 'orders.csv'),
    ];
    const seen: { bytesRead: number; bytesTotal: number; records: number }[] = [];
    const report = await shop.importFiles(files, { onProgress: (progress) => seen.push(progress) });
    expect(report.files.map(({ format, records, lines: count }) => [format, records, count])).toEqual([
      ['shopify-products', 1, 2],
      ['shopify-orders', 1, 2],
    ]);
    const bytesTotal = seen[0]?.bytesTotal;
    expect(seen.at(-1)).toEqual({ bytesRead: bytesTotal, bytesTotal, records: 2 });
  });
});
