import { createRandom } from '../support/random';
import { runSeed } from '../support/run-seed';
import { formatNames } from '../../src/ingest/formats/descriptions';
import {
  containerShapes,
  csvShapes,
  jsonShapes,
  workbookMarkup,
  workbookShapes,
  type GrowingFile,
} from './file-costs/growing-files';
import { mapShapes, tableShapes } from './file-costs/growing-maps';
import { formatShapes } from './file-costs/growing-samples';
import { startReader, type Way } from './file-costs/start-reader';

/**
 * Trying everything takes a quarter of an hour: FILE_COSTS=all npx jest test/ingest/file-costs. By default a sample,
 * chosen by the seed; `npm run attack` tries larger files.
 */
const triesAll = process.env['FILE_COSTS'] === 'all';

/** What any file may use in addition to the program itself. */
const maxMegabytes = 200;

/** At the limits: a row may have 4 MiB. */
const fileBytes = triesAll ? 4_500_000 : 1_000_000;
/** Rows of configurable products, each with a variant. */
const listingRows = 'magento: numbered rows of one object';
const manyRowsBytes = 20_000_000;
/** 80 are enough for these. If the lists of variants were kept in memory, even 130 would not be. */
const manyRowsHeap = '--max-old-space-size=110';
/** The largest size of a map. */
const mapBytes = 64_000;

/** How many times the CPU time of an ordinary table of its size a file may take. */
const maxTimes = 5;

/** Less than this share of an ordinary table's CPU time says nothing about growth. */
const enoughTimes = 0.25;

/** How many times the CPU time four times the bytes may take: sixteen would be quadratic. */
const maxGrowth = 10;

/** The file, and the line, part or container. For a map that is too large, the file is enough. */
const place =
  /\/file(?:, line \d+|: .*\b(?:\(in |text \d+ of the workbook|zip|gzip|workbook|expands|at most|first \d+))/;
/** A problem with a file's content, whatever its size, has no number. */
const bound = /\d{2,}/;

const random = createRandom(runSeed);
const some = <Item>(items: readonly Item[], count: number): readonly Item[] =>
  triesAll ? items : random.shuffled(items).slice(0, count);

const reader = startReader();
afterAll(() => reader.close());

/** CPU seconds for an ordinary table. */
let ordinary: number;
beforeAll(async () => {
  const rows = csvShapes.find(({ name }) => name === 'CSV: rows') as GrowingFile;
  await reader.read('import', rows.make(fileBytes / 4, 'x'), maxMegabytes);
  ordinary = (await reader.read('import', rows.make(fileBytes, 'x'), maxMegabytes)).cpuSeconds;
});

async function check(shape: GrowingFile, way: Way, size = fileBytes): Promise<void> {
  const unit = random.pick(['x', ' ', 'é', '漢', '😀', '&#38;']);
  const { megabytes, cpuSeconds, refusal } = await reader.read(way, shape.make(size, unit), maxMegabytes);
  expect({ unit, megabytes: megabytes < maxMegabytes || megabytes }).toEqual({ unit, megabytes: true });
  const times = cpuSeconds / ordinary;
  expect({ unit, times: times < maxTimes || times }).toEqual({ unit, times: true });
  if (refusal !== null) await checkRefusal(refusal, shape, way, unit);
  if (times < enoughTimes || (await grows(shape, way, size / 4)) < maxGrowth) return;
  // What is read up to a limit, or compiled in between, grows in steps that come to an end.
  const growth = await grows(shape, way, size);
  expect({ unit, growth: growth < maxGrowth || growth }).toEqual({ unit, growth: true });
}

/** How many times the CPU time four times the size takes. */
async function grows(shape: GrowingFile, way: Way, size: number): Promise<number> {
  const [less, more] = [await reader.read(way, shape.make(size, 'x'), Infinity), await reader.read(way, shape.make(4 * size, 'x'), Infinity)]; // prettier-ignore
  // A refusal may have another reason, after more or less of the file.
  return less.refusal === more.refusal ? more.cpuSeconds / less.cpuSeconds : 0;
}

/** If a small file of the same shape is not refused, the refusal is because of size. */
async function checkRefusal(refusal: string, shape: GrowingFile, way: Way, unit: string): Promise<void> {
  expect(refusal.length).toBeLessThan(20_000);
  const [first = ''] = refusal.split('\n');
  const small = await reader.read(way, shape.make(300, unit), maxMegabytes);
  if (small.refusal !== null) return;
  expect(first).toMatch(place);
  expect(first.replace(/line \d+/g, '')).toMatch(bound);
}

const named = (shapes: readonly GrowingFile[]): readonly (readonly [string, GrowingFile])[] =>
  shapes.map((shape) => [shape.name, shape]);

/** Each kind of workbook markup in one of its places. */
const markupKinds = [...new Set(workbookMarkup.map(kindOf))].map((kind) =>
  random.pick(workbookMarkup.filter((shape) => kindOf(shape) === kind)),
);

function kindOf({ name }: GrowingFile): string {
  return name.replace(/ (?:before the rows|in |behind the|between ).*$/, '');
}

const files = [
  ...formatShapes.flatMap(({ counts: [objects, ...others] }) => [...(objects ? [objects] : []), ...some(others, 1)]),
  ...formatShapes.flatMap(({ values }) => some(values, 3)),
  ...csvShapes,
  ...jsonShapes,
  ...Object.values(containerShapes).flat(),
  ...(triesAll ? workbookMarkup : markupKinds),
];

/** Magento's rows are independent: each is another product. */
const partsOfOne = formatShapes
  .flatMap(({ counts }) => counts)
  .filter(({ name }) => / of one object$/.test(name) && name !== listingRows);
const lists = formatShapes
  .flatMap(({ values }) => values)
  .filter(({ name }) => /a list of numbers as .*(?:image|categor|tags|option|value|configurable)/i.test(name));

describe('a file that grows in one dimension', () => {
  it('exists for every format', () => {
    const tried = formatShapes.filter(({ counts, values }) => counts.length > 2 && values.length > 0);
    expect(tried.map(({ format }) => format)).toEqual(formatNames);
  });

  it.each(named(files))(
    'takes at most 200 MB, and CPU time in proportion, or is refused with location and limit: %s',
    (_, shape) => check(shape, 'import'),
    120_000,
  );

  it('keeps in memory no list of the variants of each object', async () => {
    const shape = formatShapes.flatMap(({ counts }) => counts).find(({ name }) => name === listingRows) as GrowingFile;
    const small = startReader(manyRowsHeap);
    try {
      const { records, refusal } = await small.read('import', shape.make(manyRowsBytes, 'x'), Infinity);
      expect(refusal).toBeNull();
      expect(records).toBeGreaterThan(100_000);
    } finally {
      small.close();
    }
  }, 120_000);

  it.each(named(some(partsOfOne, 12)))(
    'takes at most 200 MB for 40 MB that belong to one object, 300 MB if they wait for it: %s',
    async (_, shape) => {
      // WooCommerce's variations wait for their product (docs/import.md, Limits).
      const most = shape.name.startsWith('woocommerce-products-json') ? 300 : maxMegabytes;
      const { megabytes } = await reader.read('import', shape.make(2 * manyRowsBytes, 'x'), most);
      expect(megabytes).toBeLessThan(most);
    },
    120_000,
  );

  it('takes at most 200 MB for orders with ambiguous dates', async () => {
    const header = 'Name,Created at,Lineitem quantity,Lineitem name,Financial Status,Total,Id\n';
    const items = Array.from({ length: 40 }, (_, item) => `#N,01/02/2026 09:00,1,Mug ${item},,,\n`).join('');
    const orders = Array.from({ length: 15_000 }, (_, order) =>
      (`#N,01/02/2026 09:00,1,Mug,paid,16,${order}\n` + items).replaceAll('#N', `#${order}`),
    );
    const { megabytes, refusal } = await reader.read('import', Buffer.from(header + orders.join('')), maxMegabytes);
    expect(refusal).toContain('--date-format');
    expect(megabytes).toBeLessThan(maxMegabytes);
  }, 120_000);

  it.each(named(some(lists, 12)))(
    'takes at most 200 MB for a cell of 4 MB that lists: %s',
    async (_, shape) => {
      const { megabytes } = await reader.read('import', shape.make(4_000_000, 'x'), maxMegabytes);
      expect(megabytes).toBeLessThan(maxMegabytes);
    },
    120_000,
  );

  it.each(named(some(files, 6)))('takes as little with --explain: %s', (_, shape) => check(shape, 'explain'), 120_000);

  it.each(named([...tableShapes, ...some([...csvShapes, ...workbookShapes], 6)]))(
    'takes as little when a map is suggested for it: %s',
    (_, shape) => check(shape, 'suggest'),
    120_000,
  );

  it.each(named(some(mapShapes, 12)))(
    'takes as little as a map: %s',
    (_, shape) => check(shape, 'map', mapBytes),
    120_000,
  );
});
