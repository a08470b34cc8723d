import { gzipSync } from 'node:zlib';
import { maxSharedBytes } from '../../src/ingest/source/workbook/shared-strings';
import { useImportHarness } from './import-harness';
import { type SheetSpec, workbook, zip } from './make-files';

const harness = useImportHarness();

const table = 'URL handle,Title,Price\n' + 'a,A,1\n'.repeat(10);
const header: SheetSpec['rows'] = [['URL handle', 'Title', 'Price']];
const sheet = (body: string, start = '<worksheet>'): Buffer =>
  workbook({ strings: 'inline', sheets: [{ name: 'S', rows: [], xml: `${start}<sheetData>${body}</sheetData></worksheet>` }] }); // prettier-ignore
const headerXml = '<row><c t="str"><v>URL handle</v></c><c t="str"><v>Title</v></c><c t="str"><v>Price</v></c></row>';
const megabyte = 1024 * 1024;
const longRow = `,${' '.repeat(1000)},\n`;

const cutShort = (what: string): string => `file: the ${what} is truncated or corrupt; export or download it again`;
const longMarkup = (part: string): string =>
  `file: the workbook is damaged: its XML has a tag, a comment or an entity of more than 65536 characters (in ${part})`;
const damagedXml = (part: string): string => `file: the workbook is damaged: its XML cannot be read (in ${part})`;
const comment = `<!--${'x'.repeat(megabyte)}-->`;
/** The last cell of a row, in the last column of a sheet. */
const lastCell = '<c r="XFD1" t="str"><v>a</v></c></row>';

/** Created lazily, because some are large. */
const files: readonly (readonly [what: string, make: () => Buffer, problem: string | RegExp])[] = [
  ['a gzip file cut short', () => gzipSync(table).subarray(0, -9), cutShort('gzip file')],
  ['a gzip file with a wrong checksum', () => flip(gzipSync(table), -6), cutShort('gzip file')],
  ['a gzip bomb of blank lines', () => gzipSync(Buffer.alloc(100 * megabyte, '\n')), /^file: (?:the gzip file expands to more than 200 times its size, which is unlikely for a catalog|the first \d+ bytes contain only blanks and line breaks)/],
  ['a gzip bomb of blank lines after a header', () => gzipSync(Buffer.concat([Buffer.from('URL handle,Title,Price\na,A,1\n'), Buffer.alloc(100 * megabyte, '\n')])), /^file: the gzip file expands to more than 200 times its size/],
  ['a gzip bomb before what does not compress', () => gzipSync(`URL handle,Title,Price\n${longRow.repeat(20_000)}${randomText(400_000)}`), /^file: the gzip file expands to more than 200 times its size/],
  ['a gzip bomb of one line', () => gzipSync(Buffer.alloc(100 * megabyte, 'x')), /^file: the gzip file expands to more than 200 times its size/],
  ['a gzip bomb of rows', () => gzipSync(`URL handle,Title,Price\n${longRow.repeat(30_000)}`), /^file: the gzip file expands to more than 200 times its size/],
  ['a zip archive cut short', () => zip([{ name: 'a.csv', content: table }]).subarray(0, -30), cutShort('zip archive')],
  ['a zip archive with a wrong checksum', () => zip([{ name: 'a.csv', content: table, isStored: true, claims: { checksum: 1 } }]), cutShort('zip archive')],
  ['a zip archive that claims to be smaller', () => zip([{ name: 'a.csv', content: table, claims: { size: 10 } }]), cutShort('zip archive')],
  ['a zip archive that claims to be larger', () => zip([{ name: 'a.csv', content: table, claims: { size: 1e9 } }]), cutShort('zip archive')],
  ['a zip bomb', () => zip([{ name: 'a.csv', content: `URL handle,Title,Price\n${longRow.repeat(30_000)}` }]), /^file: "a\.csv" expands to more than 200 times its size/],
  ['a protected zip archive', () => zip([{ name: 'a.csv', content: table, claims: { flags: 0x801 } }]), 'file: the zip archive is password-protected; unzip it and import the file'],
  ['another compression', () => zip([{ name: 'a.csv', content: table, claims: { method: 9 } }]), 'file: the zip archive is compressed by a method other than DEFLATE; unpack it and import the file'],
  ['a path out of the archive', () => zip([{ name: '../../etc/passwd', content: table }]), cutShort('zip archive')],
  ['an absolute path', () => zip([{ name: '/etc/passwd', content: table }]), cutShort('zip archive')],
  ['two files of one name', () => zip([{ name: 'a.csv', content: table }, { name: 'A.csv', content: table }]), 'file: two files of the zip archive have the same name'],
  ['too many files', () => zip(Array.from({ length: 20_001 }, (_, n) => ({ name: `${n}`, content: '', isStored: true }))), 'file: expected a zip archive with a single file, or a workbook with at most 20000 entries and 8388608 bytes of file names'],
  ['nothing but a signature', () => Buffer.from('PK\x03\x04'), cutShort('zip archive')],
  ['a workbook cut short', () => workbook({ sheets: [{ name: 'S', rows: header }] }).subarray(0, -50), cutShort('zip archive')],
  ['a workbook without its sheet', () => zip([{ name: 'xl/workbook.xml', content: '<workbook/>' }]), 'file: every visible sheet in the workbook is empty'],
  ['a workbook that is not XML', () => sheet('', 'x'), damagedXml('the sheet "S", before its first row')],
  ['XML that ends early', () => workbook({ sheets: [{ name: 'S', rows: [], xml: `<worksheet><sheetData>${headerXml}` }] }), damagedXml('the sheet "S", in or after row 1')],
  ['XML that is not UTF-8', () => sheet(`${headerXml}<row><c t="str"><v>\ud800</v></c></row>`.replace('\ud800', '&#xD800;')), /^file(?:, line 2, column A: contains an unpaired surrogate|: the workbook is damaged)/],
  ['entities that expand', () => sheet(`${headerXml}<row><c t="str"><v>&b;</v></c></row>`, `<!DOCTYPE x [<!ENTITY a "${'a'.repeat(1000)}"><!ENTITY b "${'&a;'.repeat(1000)}">]><worksheet>`), 'file: the workbook contains a DOCTYPE, which is not allowed (in the sheet "S", before its first row)'],
  ['an entity of a file', () => sheet('', '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><worksheet>'), 'file: the workbook contains a DOCTYPE, which is not allowed (in the sheet "S", before its first row)'],
  ['an unknown entity', () => sheet(`${headerXml}<row><c t="str"><v>&nbsp;</v></c></row>`), damagedXml('the sheet "S", in or after row 2')],
  ['deep elements', () => sheet('<a>'.repeat(megabyte)), 'file: the workbook is damaged: its XML is nested deeper than 100 levels (in the sheet "S", before its first row)'],
  ['too many attributes', () => sheet(`<row ${Array.from({ length: megabyte }, (_, n) => `a${n}=""`).join(' ')}/>`), longMarkup('the sheet "S", before its first row')],
  ['a long attribute', () => sheet(`${headerXml}<row a="${'x'.repeat(megabyte)}"/>`), longMarkup('the sheet "S", in or after row 1')],
  ['a long comment', () => sheet(headerXml + comment), longMarkup('the sheet "S", in or after row 1')],
  ['a long comment in the shared texts', () => workbook({ sheets: [{ name: 'S', rows: header }], sharedStringsXml: `<sst><si><t>a</t></si><si><t>b</t></si>${comment}</sst>` }), longMarkup('the shared strings, after string 2')],
  ['a long comment in the list of sheets', () => zip([{ name: 'xl/workbook.xml', content: `<workbook>${comment}</workbook>` }]), longMarkup('the list of its sheets')],
  ['a long comment in the relations', () => zip([{ name: 'xl/workbook.xml', content: '<workbook/>' }, { name: 'xl/_rels/workbook.xml.rels', content: `<Relationships>${comment}</Relationships>` }]), longMarkup('the relations of its parts')],
  ['rows of which each has a last cell far to the right', () => sheet(headerXml.replace('</row>', lastCell) + `<row><c t="str"><v>a</v></c>${lastCell}`.repeat(1_200)), /line 1025: up to this row there are more than 200 blank cells per filled cell; delete unused columns on the right/],
  ['a long text in a cell', () => sheet(`${headerXml}<row><c t="str"><v>${'x'.repeat(5 * megabyte)}</v></c></row>`), 'file, line 2: the row that starts here is longer than 4194304 bytes'],
  ['a row of too many cells', () => sheet(`${headerXml}<row>${'<c/>'.repeat(100_000)}</row>`), 'file: the workbook is damaged: a row or cell has an invalid position'],
  ['rows out of order', () => sheet('<row r="2"><c t="str"><v>a</v></c></row><row r="2"/>'), 'file: the workbook is damaged: a row or cell has an invalid position'],
  ['cells out of order', () => sheet('<row><c r="B1"/><c r="A1"/></row>'), 'file: the workbook is damaged: a row or cell has an invalid position'],
  ['a cell without a place', () => sheet('<row><c r="XFE1" t="str"><v>a</v></c></row>'), 'file: the workbook is damaged: a row or cell has an invalid position'],
  ['a bomb of blank rows', () => sheet('<row/>'.repeat(4 * megabyte)), /^file: "xl\/worksheets\/sheet1\.xml" expands to more than 200 times its size, .* \(or, for a workbook, save it as CSV\)/],
  ['too many shared texts', () => workbook({ sheets: [{ name: 'S', rows: header }], sharedStringsXml: `<sst>${`<si><t>${randomText(1000)}</t></si>`.repeat(70_000)}</sst>` }), /^file: (?:"xl\/sharedStrings\.xml" expands to more than 200|the workbook contains more than 67108864 bytes of text or 4000000 strings; save it as CSV)/],
  ['half a character in the shared texts', () => workbook({ sheets: [{ name: 'S', rows: header }], sharedStringsXml: '<sst><si><t>a</t></si><si><t>_xD83D_</t></si></sst>' }), 'file: string 2 of the workbook contains a NUL character or an unpaired surrogate, which the database cannot store'],
  ['one long text referenced a thousand times', () => workbook({ sheets: [{ name: 'S', rows: [], xml: `<worksheet><sheetData>${headerXml}<row>${'<c t="s"><v>0</v></c>'.repeat(3)}</row></sheetData></worksheet>` }], sharedStringsXml: `<sst><si><t>${'x'.repeat(2 * megabyte)}</t></si></sst>` }), /^file, line 2: the row that starts here is longer than 4194304 bytes/],
]; // prettier-ignore

describe('a malicious file', () => {
  it.each(files)('is rejected with a sentence, and nothing is written: %s', async (_, make, problem) => {
    const shop = await harness.createShop();
    const before = await shop.fingerprint();
    const refused = await shop.refusal(make());
    if (typeof problem === 'string') expect(refused).toBe(problem);
    else expect(refused).toMatch(problem);
    expect(await shop.fingerprint()).toEqual(before);
  });

  it('is rejected wherever an archive is truncated or changed, or read as before', async () => {
    const shop = await harness.createShop();
    const rows = [...header, ...Array.from({ length: 5 }, (_, n) => [`h${n}`, `T${n}`, '1'])];
    for (const good of [
      gzipSync(table),
      zip([{ name: 'a.csv', content: table }]),
      workbook({ sheets: [{ name: 'S', rows }] }),
    ]) {
      for (let at = 0; at < good.length; at += Math.ceil(good.length / 60)) {
        for (const bytes of [good.subarray(0, at), flip(good, at)]) {
          const message = await shop.import(bytes, { dryRun: true }).then(() => '', String);
          expect(message).toMatch(/^$|^ImportError: /);
        }
      }
    }
  });
});

it('holds the texts of a workbook up to their limit', () => {
  expect(maxSharedBytes).toBe(67_108_864);
});

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = at < 0 ? copy.length + at : at;
  copy[index] = (copy[index] ?? 0) ^ 0xff;
  return copy;
}

/** The same in each run, and compressed by no more than half. */
function randomText(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647;
    return String.fromCharCode(97 + (state % 26));
  }).join('');
}
