import { buildCatalog, createCatalog } from '../cli/run-catalog';
import { lines, order, product, useImportHarness } from './import-harness';

const harness = useImportHarness();
beforeAll(buildCatalog);

const deepArray = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const deepObject = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);

describe('a malicious value in a snapshot', () => {
  it('may be nested a hundred levels deep, the line included', async () => {
    const shop = await harness.createShop();
    const { dropped } = await shop.import(lines(product({ extra: '?' })).replace('"?"', deepArray(99)));
    expect(dropped.ignoredMembers).toEqual({ extra: 1 });
  });

  it('quotes a number as it was written in the error about it', async () => {
    const shop = await harness.createShop();
    const refusal = (member: string, number: string) =>
      shop.refusal(lines(order({ [member]: '?' })).replace('"?"', number));
    expect(await refusal('total_price', '1e999999999')).toBe(
      'file, line 1, total_price: expected a decimal number of at most 1000 digits, got "1e999999999"',
    );
    expect(await refusal('order_number', '1e999')).toBe('file, line 1, order_number: expected text, got 1e999');
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
        ? /, line \d+, .*is longer than|, line 18: expected at most 16777216 characters in all rows of a product/
        : /, line 18: expected at most 16777216 characters in all rows of a product, got more for "handle:one"; give/,
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
