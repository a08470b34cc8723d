import { type Container, containers, csv, encode, type EncodingName, encodings, pack, workbook } from './make-files';
import { createTableReader } from './read-table';
import { fc } from '../support/properties';

const { read } = createTableReader();
const header = ['URL handle', 'Title', 'Price', 'Description'];

const isFilled = (cells: readonly string[]): boolean => cells.some((cell) => cell.trim() !== '');

const anyText = fc.string({ unit: 'binary', maxLength: 12 }).map((value) => value.replace(/[\0\p{Surrogate}]/gu, ''));
const signs = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', '\r\n', '\r', ' ', 'é', "'", '=', '1', '€', '–', '_x000D_'), maxLength: 8 }); // prettier-ignore
/** Text that Windows-1252 can represent and that looks like a language written in it. */
const western = fc
  .array(fc.constantFrom('Réunion', 'Größe 7', 'señal', '5 €', '“so”', 'l’été', 'à la carte', '½', 'naïve;', 'a,b', 'c\nd', 'über\t', 'bílaþvottur'), { maxLength: 3 })
  .map((words) => words.join(' ')); // prettier-ignore

const table = (cell: fc.Arbitrary<string>) =>
  fc
    .array(fc.array(cell, { minLength: header.length, maxLength: header.length }), { maxLength: 5 })
    .map((rows) => [header, ...rows]);

describe('a table is read unchanged', () => {
  const shapes = encodings.flatMap((encoding) => containers.map((container) => [encoding, container] as const));
  it.each<readonly [EncodingName, Container]>(shapes)('CSV: %s, container: %s', async (encoding, container) => {
    const cell = encoding === 'windows-1252' ? western : fc.oneof(anyText, signs);
    const shape = fc.record({
      rows: table(cell),
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      newline: fc.constantFrom('\n', '\r\n', '\r'),
      quotesAll: fc.boolean(),
      saysDelimiter: fc.boolean(),
      asPipe: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ rows, delimiter, newline, quotesAll, saysDelimiter, asPipe }) => {
        const text =
          (saysDelimiter && newline !== '\r' ? `sep=${delimiter}${newline}` : '') +
          csv(rows, delimiter, newline, quotesAll);
        const found = await read(pack(encode(text, encoding), container), {}, asPipe);
        expect(found.rows).toEqual(rows);
        expect(found.readingWarnings.length).toBe(found.encoding === 'Windows-1252' ? 1 : 0);
      }),
      { numRuns: 15 },
    );
  });

  it.each(['shared', 'inline'] as const)('workbook with %s texts', async (strings) => {
    const shape = fc.record({
      rows: table(fc.oneof(anyText, signs)),
      prefix: fc.constantFrom('', 'x'),
      hasReferences: fc.boolean(),
      isStored: fc.boolean(),
      asPipe: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ rows, asPipe, ...spec }) => {
        const found = await read(workbook({ ...spec, strings, sheets: [{ name: 'Blätter', rows }] }), {}, asPipe);
        expect(found.rows.filter(isFilled)).toEqual(rows.filter(isFilled));
        expect(found).toMatchObject({ container: 'xlsx', sheet: 'Blätter', readingWarnings: [] });
      }),
      { numRuns: 60 },
    );
  });

  it('every character of Windows-1252', async () => {
    const all = Array.from({ length: 224 }, (_, index) => index + 32).filter((code) => ![0x81, 0x8d, 0x8f, 0x90, 0x9d, 0x22].includes(code)); // prettier-ignore
    const bytes = Buffer.concat([Buffer.from('URL handle,Title,Price\na,"'), Buffer.from(all), Buffer.from('",1\n')]);
    const { rows } = await read(bytes, { encoding: 'windows-1252' });
    const title = rows[1]?.[1] ?? '';
    expect(title).toHaveLength(all.length);
    expect(encode(title, 'windows-1252')).toEqual(Buffer.from(all));
    expect(title).toContain('€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ\u00a0¡');
  });

  it('in pieces that end anywhere, even within a character', async () => {
    const rows = [header, ...Array.from({ length: 4000 }, (_, row) => [`h${row}`, '🏺 Krüge'.repeat(3), '1', 'é'])];
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
      for (const asPipe of [true, false]) {
        expect((await read(encode(csv(rows, ';', '\r\n'), encoding), {}, asPipe)).rows).toEqual(rows);
      }
    }
  });
});
