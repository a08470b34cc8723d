import { useImportHarness } from './import-harness';

const harness = useImportHarness();

it('a file that does not exist, and a directory, are refused', async () => {
  const shop = await harness.createShop();
  await expect(shop.importFiles(['/nowhere/x.csv'])).rejects.toThrow('/nowhere/x.csv: no such file');
  await expect(shop.importFiles([harness.directory])).rejects.toThrow('expected a file, got a directory');
});

it('a table of objects is refused with a member that appears later', async () => {
  const shop = await harness.createShop();
  const content = `{"handle":"mug","title":"Mug","variant price":5}\n${'\n'.repeat(600_000)}{"titel":"Cup"}\n`;
  expect(await shop.refusal(content)).toContain('titel: this field is missing from the first objects');
});

it('a file may be one of several of different formats, imported in order, with progress to the last byte', async () => {
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
