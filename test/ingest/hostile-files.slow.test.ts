import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { collection, lines, order, product, variant, useImportHarness } from './import-harness';
import { fc } from '../support/properties';

const harness = useImportHarness();
beforeAll(buildCatalog);

const deepArray = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const deepObject = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

/** JSON texts on which a parser, printer or database may fail. */
const hostileValues: readonly string[] = [
  ...[99, 101, 5_000, 200_000].flatMap((levels) => [deepArray(levels), deepObject(levels), '['.repeat(levels), '{"a":'.repeat(levels)]),
  '1e999999999', '-1e-999999999', '1e1001', '0e5000', '9'.repeat(5_000), `0.${'1'.repeat(5_000)}`, '1e+0000000000000000001', '-0', '1.', '.5', '+1', '01',
  'NaN', 'Infinity', '"\\ud800"', '"\\udc00x"', '"\\ud83d\\ude00"', '"\\u0000"', '"\\u0001"', '"a\\u0000b"', '["\\u0000"]', '{"\\ud800":1}', '{"\\u0000":1}',
  '{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"toJSON":1}', '""', 'null', 'true', '[]', '{}', '[null]', '[[]]', '[1]', '[{}]', '[{"name":1}]',
  '"\\u2028"', '"\ufeff"', '"\ufffd"', '"\\"', '"', `"${'x'.repeat(3_000)}"`, '"2026-01-31T12:00:00Z"', '"infinity"', '"-infinity"', '"now"', '"EUR"',
]; // prettier-ignore

const records = [
  {
    type: 'shop',
    name: 'N',
    platform: 'shopify',
    currency: 'EUR',
    plan_status: 'ok',
    created_at: null,
    last_sync_at: null,
  },
  product({ handle: 'h', tags: [], variants: [], published_at: null, deleted: null, metafields: {} }),
  product({
    variants: [variant({ price: '1', options: [], position: 1, inventory_quantity: 1, weight: '1', extra: {} })],
  }),
  collection({ handle: 'h', products_count: 1 }),
  order({ total_price: '1', items_count: 1, tags: [], created_at: null, currency: null, email: 'x' }),
] as readonly Record<string, unknown>[];

/** A record as JSON in which one member of it or of its variant is the text. */
function withValue(record: Record<string, unknown>, member: string, json: string): string {
  const marked = (object: Record<string, unknown>) => ({ ...object, [member]: '\u0007' });
  const [child] = (record['variants'] ?? []) as Record<string, unknown>[];
  const text = JSON.stringify(
    child && member in child && !(member in record) ? { ...record, variants: [marked(child)] } : marked(record),
  );
  return text.replace('"\\u0007"', () => json);
}

const membersOf = (record: Record<string, unknown>): string[] => [
  ...Object.keys(record).filter((name) => name !== 'type'),
  ...((record['variants'] as Record<string, unknown>[] | undefined) ?? []).flatMap(Object.keys),
  '__proto__',
  'unknown',
];

describe('a malicious value in a snapshot', () => {
  it('is rejected with its line, or imported; the shop stays consistent', async () => {
    const shop = await harness.createShop();
    await shop.import(lines(product({ external_id: 'kept', title: 'Kept' })));
    const before = await shop.fingerprint();
    const place = fc
      .constantFrom(...records)
      .chain((record) => fc.tuple(fc.constant(record), fc.constantFrom(...membersOf(record))));
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...hostileValues), async ([record, member], json) => {
        const text = `${lines(product({ external_id: 'first' }))}\n${withValue(record, member, json)}\n`;
        try {
          await shop.import(text, { dryRun: true });
        } catch (error) {
          // Only problems that the database detects are reported by batch instead of by line.
          expect(String(error)).toMatch(/^ImportError: .*(?:line 3|lines \d+ to 3)\b/);
        }
      }),
      { numRuns: 150 },
    );
    expect(await shop.fingerprint()).toEqual(before);
  });

  it.each(records.flatMap((record) => membersOf(record).map((member) => [record['type'], member, record] as const)))(
    'that is too deep is reported: %s, %s',
    async (_, member, record) => {
      const shop = await harness.createShop();
      for (const json of [deepArray(50_000), deepObject(50_000), '['.repeat(50_000)]) {
        const problem = await shop.refusal(
          `${lines(product({ external_id: 'first' }))}${withValue(record, member, json)}\n`,
        );
        expect(problem).toMatch(/^file, line 2: is nested deeper than 100 levels \(at column \d+\)$/);
      }
      expect(await shop.rows('products')).toEqual([]);
    },
  );

  it('may be nested a hundred levels deep, the line included', async () => {
    const shop = await harness.createShop();
    const { dropped } = await shop.import(
      `${withValue(product() as Record<string, unknown>, 'extra', deepArray(99))}\n`,
    );
    expect(dropped.ignoredMembers).toEqual({ extra: 1 });
  });

  it('quotes a number as it was written in the error about it', async () => {
    const shop = await harness.createShop();
    expect(await shop.refusal(`${withValue(order() as Record<string, unknown>, 'total_price', '1e999999999')}\n`)).toBe(
      'file, line 1, total_price: expected a decimal number of at most 1000 digits, got "1e999999999"',
    );
    expect(await shop.refusal(`${withValue(order() as Record<string, unknown>, 'order_number', '1e999')}\n`)).toBe(
      'file, line 1, order_number: expected text, got 1e999',
    );
  });
});

const csvHeader = 'Handle,Title,Variant Price,Option1 Value\n';

describe('catalog import', () => {
  const good = lines(product({ external_id: 'first' }));
  /** Each takes a separate process. */
  const throughCommand = new Set([
    'a deep array in the first line',
    'a line of brackets',
    'an escaped NUL character',
    'a deep cell',
  ]);

  it.each<[what: string, content: string | Buffer, problem: RegExp]>([
    [
      'a deep array in the first line',
      `{"type":"product","x":${deepArray(200_000)}}\n`,
      /, line 1: is nested deeper than 100 levels/,
    ],
    [
      'a deep object in a later line',
      `${good}{"type":"order","external_id":${deepObject(200_000)}}\n`,
      /, line 2: is nested/,
    ],
    ['a line of brackets', `${good}${'['.repeat(8_000_000)}\n`, /, line 2: is nested deeper/],
    ['a file of brackets', `${'{"type":'.repeat(1_000_000)}\n`, /unrecognized format|is nested deeper/],
    ['half a surrogate pair', `${good}{"type":"order","tags":["\\ud800"]}\n`, /, line 2, .*an unpaired surrogate/],
    [
      'an escaped NUL character',
      `${good}{"type":"order","order_number":"\\u0000"}\n`,
      /, line 2, order_number: contains a NUL character/,
    ],
    ['a NUL character', `${good}{"type":"order","order_number":"\0"}\n`, /, line 2: contains a NUL character/],
    [
      'what is not UTF-8',
      Buffer.concat([Buffer.from(`${good}{"a":"`), Buffer.from([0xff, 0xc0]), Buffer.from('"}\n')]),
      /, line 2: is not UTF-8/,
    ],
    [
      'half a character at the end',
      Buffer.concat([Buffer.from(good), Buffer.from([0xe2, 0x82])]),
      /, line 2: is not UTF-8/,
    ],
    [
      'a surrogate pair in two sequences',
      Buffer.concat([Buffer.from(`${good}"`), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"\n')]),
      /, line 2: is not UTF-8/,
    ],
    ['a second byte order mark', `\ufeff${good}\ufeff${good}`, /, line 2: is not valid JSON/],
    [
      'a line of 17 MB',
      `${good}{"type":"order","x":"${'x'.repeat(17_000_000)}"}\n`,
      /, line 2: is longer than 16777216 bytes/,
    ],
    [
      'a million small values on a line',
      `${good}{"type":"product","tags":[${'1,'.repeat(1_000_000)}1]}\n`,
      /, line 2: contains more than 1000000 values/,
    ],
    [
      'a million objects on the first line',
      `{"type":"product","variants":[${'{},'.repeat(1_000_000)}{}]}\n`,
      /, line 1: contains more than 1000000 values/,
    ],
    [
      'a quoted cell without an end',
      `${csvHeader}one,"${'x\n'.repeat(2_200_000)}",1\n`,
      /, line 2: the row that starts here is longer than 4194304 bytes/,
    ],
    [
      'too many empty cells',
      `${csvHeader}${`"\n"${','.repeat(1000)}`.repeat(4_500)}\n`,
      /, line 2: the row that starts here is longer than 4194304 bytes/,
    ],
    [
      'a header of commas',
      `${csvHeader.trimEnd()}${','.repeat(5_000_000)}\n`,
      /, line 1: the row that starts here is longer than 4194304 bytes/,
    ],
    [
      'too many columns, and rows that leave them out',
      `${csvHeader.trimEnd()}${Array.from({ length: 20_000 }, (_, index) => `,c${index}`).join('')}\n${',\n'.repeat(50_000)}`,
      /, line 1: expected at most 16384 columns, got 2000\d/,
    ],
    ...['x', ' '].map((filler): [string, string, RegExp] => [
      `large rows of one product (${JSON.stringify(filler)})`,
      csvHeader +
        Array.from({ length: 30 }, (_, row) => `one,A,1.00,"v${row} that is long${filler.repeat(1_000_000)}"\n`).join(
          '',
        ),
      filler === 'x'
        ? /, line \d+, .*is longer than|, line 18: expected at most 16777216 characters in the rows of one product/
        : /, line 18: expected at most 16777216 characters in the rows per product, got more for "handle:one"; give/,
    ]),
    [
      'a deep cell',
      `Name,Created at,Financial Status,Total\n#1,2026-01-01 00:00:00 +0000,paid,${deepArray(100_000)}\n`,
      /, line 2, column "Total": expected a decimal number/,
    ],
  ])('reports the problem of %s, and writes nothing', async (what, content, problem) => {
    const shop = await harness.createShop();
    const before = await shop.fingerprint();
    if (throughCommand.has(what)) {
      const file = await harness.write(content, 'hostile');
      const { exitCode, stdout, stderr } = await createCatalog(harness.test.url)('import', file, '--shop', shop.domain);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(problem);
      expect(stderr).not.toMatch(/RangeError|went wrong|\n\s+at /);
    } else {
      expect(await shop.refusal(content)).toMatch(problem);
    }
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('accepts a row of the maximum length', async () => {
    const shop = await harness.createShop();
    const { products } = await shop.import(
      `Handle,Title,Variant Price,Body (HTML)\none,A,1.00,"${'""'.repeat(1_000_000)}"\n`,
    );
    expect(products.created).toBe(1);
  });

  it('keeps few of the unknown names', async () => {
    const shop = await harness.createShop();
    const name = 'n'.repeat(1_000_000);
    const { dropped } = await shop.import(lines(product({ [name]: 1, [`${name}2`]: 1, 'bob@shop.example': 1 })));
    expect(dropped.ignoredMembers).toEqual({ ['n'.repeat(100)]: 2, '[e-mail address]': 1 });
  });

  it('accepts members of any name, and the last of repeated ones', async () => {
    const shop = await harness.createShop();
    const file = await harness.write(
      '\ufeff{"type":"order","__proto__":{"external_id":"p"},"constructor":1,"external_id":"1","external_id":"2","order_number":"#1"}\n',
      'odd',
    );
    const { exitCode } = await createCatalog(harness.test.url)('import', file, '--shop', shop.domain);
    expect(exitCode).toBe(0);
    expect(await shop.values('orders', 'external_id', 'order_number')).toEqual([['2', '#1']]);
  });
});
