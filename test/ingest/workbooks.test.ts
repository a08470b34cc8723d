import { type CellSpec, workbook, type WorkbookSpec } from './make-files';
import { createTableReader } from './read-table';

const { read, refusal } = createTableReader();

const header = ['URL handle', 'Title', 'Price'];
const sheet = (...rows: (readonly CellSpec[])[]) => ({ name: 'Products', rows: [header, ...rows] });
const number = (stored: string, style = 0): CellSpec => ({ raw: `s="${style}"><v>${stored}</v>` });

/** What the third cell of a workbook's only row is read as. */
async function readCell(cell: CellSpec, spec: Partial<WorkbookSpec> = {}, options = {}) {
  const { rows, readingWarnings: warnings } = await read(
    workbook({ ...spec, sheets: [sheet(['a', 'A', cell])] }),
    options,
  );
  return { text: rows[1]?.[2], warnings };
}

describe('a cell of a workbook', () => {
  it.each<[stored: string, text: string]>([
    ['19.989999999999998', '19.99'],
    ['19.99', '19.99'],
    ['0.1', '0.1'],
    ['0.30000000000000004', '0.3'],
    ['20', '20'],
    ['-4.5', '-4.5'],
    ['4006381333931', '4006381333931'],
    ['4.0063813339310002E+12', '4006381333931'],
    ['4.00638E+12', '4006380000000'],
    ['1.2345678901234568E+17', '123456789012346000'],
    ['1E-3', '0.001'],
    ['1.5000000000000001E-7', '0.00000015'],
    ['-1.2E+2', '-120'],
    ['123456789.12345679', '123456789.123457'],
    ['0', '0'],
    ['0.0', '0.0'],
    ['0E+00', '0'],
  ])('that is the number %s is %s', async (stored, text) => {
    expect(await readCell(number(stored))).toEqual({ text, warnings: [] });
  });

  it.each<[format: string, stored: string, text: string]>([
    ['yyyy-mm-dd', '45291', '2023-12-31'],
    ['dd/mm/yyyy hh:mm', '45291.941666666666', '2023-12-31 22:36:00'],
    ['[$-407]d. mmmm yyyy;@', '45291', '2023-12-31'],
    ['mmm', '45291', '2023-12-31'],
    ['m/d/yy', '1', '1900-01-01'],
    ['m/d/yy', '61', '1900-03-01'],
    ['h:mm', '0.75', '18:00:00'],
    ['[h]:mm', '1.5', '1.5'],
    ['0.00" days"', '12.5', '12.50'],
    ['0.000', '90.75', '90.750'],
    ['0.000', '91', '91.000'],
    ['0.000', '1.23456', '1.23456'],
    ['0.00', '5001', '5001'],
    ['#,##0.00 [$€-407]', '1234.5', '1234.5'],
    ['[Red]0.00', '1.25', '1.25'],
    ['0.00E+00', '125', '125'],
    ['0000000000000', '12345', '0000000012345'],
    ['00000', '123456', '123456'],
    ['General', '45291', '45291'],
    ['0%', '0.07', '7%'],
    ['"SKU-"0000', '12', 'SKU-0012'],
    ['\\A\\-000', '7', 'A-007'],
    ['"2024-"0000', '12', '2024-0012'],
    ['"Stock: "0', '7', '7'],
    ['00" pcs"', '7', '07'],
    ['@', '45291', '45291'],
  ])('of the format %s: %s is %s', async (format, stored, text) => {
    expect((await readCell(number(stored, 1), { formats: [format] })).text).toBe(text);
  });

  it('that is a date counts from 1904 if the workbook does, and gets a warning', async () => {
    const cell = number('43829', 1);
    expect(await readCell(cell, { formats: ['yyyy-mm-dd'], isFrom1904: true })).toEqual({
      text: '2023-12-31',
      warnings: ['1 cell holds a date or time, on line 2, column C: read as text such as 2023-12-31 22:36:00'],
    });
  });

  it.each(['e', 'str'])('that is an error gets a warning, of type %s', async (type) => {
    const { warnings } = await readCell({ raw: `t="${type}"><v>#REF!</v>` });
    expect(warnings).toEqual(['1 cell holds an error such as #N/A, on line 2: read as text']);
  });

  it.each<[what: string, raw: string, text: string]>([
    ['a boolean', 't="b"><v>1</v>', 'TRUE'],
    ['another', 't="b"><v>0</v>', 'FALSE'],
    ['a formula', '><f>1+1</f><v>2</v>', '2'],
    ['a formula that makes a text', 't="str"><f>"a"</f><v>a</v>', 'a'],
    ['a formula that makes an empty text', 't="str"><f>""</f><v></v>', ''],
    ['an error', 't="e"><v>#N/A</v>', '#N/A'],
    ['a text with runs, without its phonetic guide', 't="inlineStr"><is><r><t>Mu</t></r><r><t xml:space="preserve">g </t></r><rPh><t>x</t></rPh></is>', 'Mug '],
    ['a date as text', 't="d"><v>2023-12-31T00:00:00</v>', '2023-12-31T00:00:00'],
    ['only a format', 's="0">', ''],
    ['line ends of XML', 't="str"><v>a\r\nb\rc&#13;d</v>', 'a\nb\nc\rd'],
    ['CDATA', 't="str"><v><![CDATA[<b>]]></v>', '<b>'],
  ])('is passed on: %s', async (_, raw, text) => {
    expect((await readCell({ raw })).text).toBe(text);
  }); // prettier-ignore

  it.each<[what: string, raw: string, problem: RegExp]>([
    ['a formula without a result', '><f>1+1</f>', /^table, line 2, column C: the formula has no stored result; open/],
    [
      'a formula with an empty result',
      '><f>1+1</f><v/>',
      /^table, line 2, column C: the formula has no stored result; open/,
    ],
    ['a missing text', 't="s"><v>99</v>', /^table, line 2, column C: the workbook is damaged/],
    ['not a number', '><v>1,5</v>', /^table, line 2, column C: expected a number, got "1,5"/],
    ['a NUL character', 't="str"><v>a_x0000_</v>', /^table, line 2, column C: contains a NUL character/],
    ['half a character', 't="str"><v>_xD83D_</v>', /^table, line 2, column C: contains an unpaired surrogate/],
  ])('is rejected when it is %s', async (_, raw, problem) => {
    expect(await refusal(workbook({ sheets: [sheet(['a', 'A', { raw }])] }))).toMatch(problem);
  });

  it('that is a number has a decimal comma when the user sets it for texts', async () => {
    expect((await readCell(number('12.5'), {}, { decimal: 'comma' })).text).toBe('12,5');
    expect((await readCell(number('12', 1), { formats: ['"EL."00'] }, { decimal: 'comma' })).text).toBe('EL.12');
  });
});

describe('the rows of a workbook', () => {
  it('have their numbers, without blank rows, and with missing cells as blank', async () => {
    const xml = `<worksheet xmlns="x"><sheetData><row r="3"><c r="B3" t="str"><v>URL handle</v></c><c r="C3" t="str"><v>Title</v></c>
      <c r="D3" t="str"><v>Price</v></c></row><row r="5"/><row r="900"><c r="C900" t="str"><v>A</v></c></row></sheetData></worksheet>`;
    const { rows, readingWarnings: warnings } = await read(workbook({ sheets: [{ name: 'S', rows: [], xml }] }));
    expect({ rows, warnings }).toEqual({ rows: [['', 'URL handle', 'Title', 'Price'], ['', '', 'A', '']], warnings: [] }); // prettier-ignore
  });

  it('is reported if it is hidden, as by a filter', async () => {
    const row = (line: number, attributes: string): string =>
      `<row r="${line}"${attributes}>${header.map((name) => `<c t="inlineStr"><is><t>${line === 1 ? name : line}</t></is></c>`).join('')}</row>`;
    const hidden = ['', ' hidden="false"', ' hidden="1"', ' hidden="true"', ' hidden="0"'];
    const xml = `<worksheet><sheetData>${hidden.map((attributes, at) => row(at + 1, attributes)).join('')}</sheetData></worksheet>`;
    const found = await read(workbook({ sheets: [{ name: 'Products', rows: [], xml }] }));
    expect(found.rows.map(([cell]) => cell)).toEqual([header[0], '2', '3', '4', '5']);
    expect(found.readingWarnings).toEqual([
      expect.stringContaining('2 rows are hidden in the sheet, the first on line 3: imported like any other row'),
    ]);
  });

  it('may not be longer than the header', async () => {
    expect(await refusal(workbook({ sheets: [sheet(['a', 'A', '1', 'note'])] }))).toBe(
      'table, line 2: expected as many cells as the header (3), got 4 (give each column a name)',
    );
  });
});

describe('the sheet of a workbook', () => {
  const blank = { name: 'Blank', rows: [['', ' ']] };
  const other = { name: 'Other', rows: [['URL handle', 'Title', 'Price'], ['b', 'B', '2']] }; // prettier-ignore
  const first = sheet(['a', 'A', '1']);

  it('is the only visible one with cells', async () => {
    const found = await read(workbook({ sheets: [blank, { ...other, state: 'hidden' }, { ...other, state: 'veryHidden' }, first] })); // prettier-ignore
    expect(found).toMatchObject({ sheet: 'Products', rows: [header, ['a', 'A', '1']] });
  });

  it.each([
    ['Other', 'b'],
    ['3', 'b'],
    ['2', 'a'],
    ['Products', 'a'],
  ])('is the one that the user selects: %s', async (wanted, handle) => {
    const { rows } = await read(workbook({ sheets: [blank, first, { ...other, state: 'hidden' }] }), { sheet: wanted });
    expect(rows[1]?.[0]).toBe(handle);
  });

  it('must be selected when there are several, and must exist', async () => {
    const both = workbook({ sheets: [blank, first, other] });
    expect(await refusal(both)).toBe(
      'table: the workbook has several sheets; choose one with --sheet: "Products", "Other"',
    );
    expect(await refusal(both, { sheet: 'Nowhere' })).toBe(
      'table: sheet "Nowhere" not found; available: "Blank", "Products", "Other"',
    );
    expect(await refusal(both, { sheet: 'Blank' })).toBe('table: the sheet "Blank" is blank');
    expect(await refusal(workbook({ sheets: [blank] }))).toBe('table: every visible sheet in the workbook is empty');
  });
});
