import { gzipSync } from 'node:zlib';
import { csv, encode, workbook, zip } from './make-files';
import { createTableReader } from './read-table';

const { read, refusal } = createTableReader();

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const table = 'URL handle,Title,Price\na,A,1\n';
const saveAs = 'save or export it as .xlsx or CSV';

/** A container of older Microsoft programs whose directory, in the sector after the header, lists a stream. */
function ole(stream: string): Buffer {
  const header = Buffer.alloc(512);
  header.write('d0cf11e0a1b11ae1', 'hex');
  header.writeUInt16LE(9, 30);
  header.writeUInt32LE(20, 48);
  return Buffer.concat([header, Buffer.alloc(512 * 20), Buffer.from(stream, 'utf16le'), Buffer.alloc(512)]);
}

describe('a file that cannot be read is reported as what it is', () => {
  it.each<[what: string, content: Buffer | string, problem: string]>([
    ['.xls', ole('Workbook'), `this is an old Excel workbook (.xls); ${saveAs}`],
    ['older .xls', latin1('\x09\x08\x10\0\0\x06\x05\0'), `this is an old Excel workbook (.xls); ${saveAs}`],
    ['a protected workbook', ole('EncryptedPackage'), 'this is a password-protected Excel workbook; save it without one'],
    ['.doc', ole('WordDocument'), `this is a Word document; ${saveAs}`],
    ['another of these', ole('Other'), `this is an old Office file; ${saveAs}`],
    ['.ods', zip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', isStored: true }, { name: 'content.xml', content: '' }, { name: 'META-INF/manifest.xml', content: '' }]), `this is an OpenDocument file (.ods); ${saveAs}`],
    ['.xlsb', zip([{ name: 'xl/workbook.bin', content: 'x' }]), `this is a binary Excel workbook (.xlsb); ${saveAs}`],
    ['.numbers', zip([{ name: 'Index/Document.iwa', content: 'x' }]), `this is an Apple Numbers, Pages or Keynote document; ${saveAs}`],
    ['.docx', zip([{ name: 'word/document.xml', content: 'x' }]), `this is a Word document; ${saveAs}`],
    ['PDF', '%PDF-1.7\n', `this is a PDF document; ${saveAs}`],
    ['PNG', latin1('\x89PNG\r\n\x1a\n'), `this is an image; ${saveAs}`],
    ['JPEG', latin1('\xff\xd8\xff\xe0'), `this is an image; ${saveAs}`],
    ['WebP', latin1('RIFF\0\0\0\0WEBP'), `this is an image; ${saveAs}`],
    ['7z', latin1('7z\xbc\xaf\x27\x1c'), `this is a 7z archive; ${saveAs}`],
    ['xz', latin1('\xfd7zXZ\0'), `this is an xz file; ${saveAs}`],
    ['tar', latin1(`${'a'.repeat(257)}ustar`), `this is a tar archive; ${saveAs}`],
    ['SQLite', latin1('SQLite format 3\0'), `this is an SQLite database; ${saveAs}`],
    ['RTF', '{\\rtf1 x}', `this is an RTF document; ${saveAs}`],
    ['PDF in gzip', gzipSync('%PDF-1.7\n'), `this is a PDF document; ${saveAs}`],
    ['gzip in gzip', gzipSync(gzipSync(table)), 'it contains another compressed file or a workbook; unpack it and import that file'],
    ['a workbook in a zip archive', zip([{ name: 'a.xlsx', content: workbook({ sheets: [] }) }]), 'it contains another compressed file or a workbook; unpack it and import that file'],
    ['a zip archive of two files', zip([{ name: 'a.csv', content: table }, { name: 'bob@shop.example.csv', content: table }]), 'expected a zip archive with one file, got 2 ("a.csv", "[e-mail address]"); unpack it and import the files'],
    ['a zip archive of none', zip([]), 'the zip archive is empty'],
    ['nothing in gzip', gzipSync(''), 'the file is empty'],
    ['UTF-32', Buffer.from('fffe000048000000', 'hex'), 'is UTF-32; save it as UTF-8'],
    ['UTF-16 without a mark', Buffer.from(table, 'utf16le'), 'looks like UTF-16 without a byte order mark; if it is, set --encoding utf-16le, or save the file as UTF-8'],
    ['UTF-16 without a mark, the other way round', Buffer.from(table, 'utf16le').swap16(), 'looks like UTF-16 without a byte order mark; if it is, set --encoding utf-16be, or save the file as UTF-8'],
  ])('%s', async (_, content, problem) => {
    expect(await refusal(content)).toBe(`table: ${problem}`);
  }); // prettier-ignore

  it.each<[what: string, content: string, problem: string]>([
    ['a page', '<!DOCTYPE html>\n<html><table><tr><td>Handle</table>', 'it is an HTML page, regardless of its extension'],
    ['XML of Excel 2003', '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>', 'it is an Excel 2003 XML file'],
    ['a feed', '<?xml version="1.0"?>\n<rss xmlns:g="http://base.google.com/ns/1.0" version="2.0">\n', 'it is a product feed for Google Merchant or Facebook (XML)'],
    ['WordPress', '<?xml version="1.0"?>\n<rss xmlns:wp="http://wordpress.org/export/1.2/">\n', 'it is an export of WordPress (WXR)'],
    ['other XML', '<?xml version="1.0"?>\n<a/>', 'it is XML'],
    ['a feed of products', 'id\ttitle\tdescription\tlink\tprice\tbrand\tavailability\timage link\n', 'its columns are id, title, description, link, price, brand, availability, image link.\nOther tables need a mapping file'],
    ['a broken CSV', '"URL handle,Title,Price"\n"a,A,1"\n', 'every line is a single quoted cell'],
    ['a JSON array', '[{"id":1}]\n', 'it is JSON with [].id'],
    ['other columns, of which it shows the first', 'a;b;c@d.example;d;e;f;g;h;i\n', 'its columns are a, b, [e-mail address], d, e, f, g, h, …'],
  ])('as no known format: %s', async (_, content, problem) => {
    expect(await refusal(content)).toContain(`table: unrecognized format: ${problem}`);
  }); // prettier-ignore
});

describe('an encoding', () => {
  const euro = 'URL handle,Title,Price\na,Réunion,5\n';

  it('is reported when it is not UTF-8, with a word to check', async () => {
    expect(await read(encode(euro, 'windows-1252'))).toMatchObject({
      encoding: 'Windows-1252',
      rows: [['URL handle', 'Title', 'Price'], ['a', 'Réunion', '5']],
      readingWarnings: ['the file is not UTF-8 and was read as Windows-1252: check "Réunion" on line 2, or set another encoding with --encoding'],
    }); // prettier-ignore
    expect(await read(encode(euro, 'utf-16le'))).toMatchObject({ encoding: 'UTF-16LE', readingWarnings: [] });
    expect(await read(euro)).toMatchObject({ encoding: 'UTF-8', delimiter: 'comma', readingWarnings: [] });
  });

  const cannotTell = /^table, line \d: is not UTF-8, and its encoding cannot be determined; .* --encoding, for example/;

  it.each<[what: string, bytes: string, encoding: string, title: string]>([
    ['Mac Roman', 'R\x8eunion', 'macintosh', 'Réunion'],
    ['Mac Roman, German', 'f\x9fr Kr\x8age', 'macintosh', 'für Kräge'],
    ['Cyrillic', '\xca\xf0\xe0\xf1\xed\xfb\xe9', 'windows-1251', 'Красный'],
    ['Greek', '\xca\xe1\xeb\xe7\xec\xdd\xf1\xe1', 'windows-1253', 'Καλημέρα'],
    ['Shift JIS', '\x83\x7d\x83\x4f', 'shift_jis', 'マグ'],
    ['GBK', '\xb1\xad\xd7\xd3\xd2\xbb\xcc\xd7', 'gbk', '杯子一套'],
  ])('that cannot be detected from its bytes must be set: %s', async (_, bytes, encoding, title) => {
    const content = latin1(`URL handle,Title,Price\na,${bytes},5\n`);
    expect(await refusal(content)).toMatch(cannotTell);
    expect((await read(content, { encoding })).rows[1]?.[1]).toBe(title);
  });

  it.each<[what: string, content: Buffer, problem: RegExp]>([
    ['UTF-8 first, then not', Buffer.concat([Buffer.from(`URL handle,Title,Price\n${'é,ü,1\n'.repeat(20_000)}`), latin1('a,R\xe9union,5\n')]), /^table, line 20002: is not UTF-8; save/],
    ['both in one piece', Buffer.concat([Buffer.from('URL handle,Title,Price\na,é,1\n'), latin1('b,R\xe9union,5\n')]), /^table, line 3: is not UTF-8, and its encoding/],
    ['Windows-1252 first, then UTF-8', Buffer.concat([latin1(`URL handle,Title,Price\n${'a,R\xe9union,5\n'.repeat(20_000)}`), Buffer.from('b,é,1\n')]), /^table, line 20002: is not UTF-8, and its encoding/],
    ['half a character at the end of UTF-16', encode(`${table}x`, 'utf-16le').subarray(0, -1), /^table, line 3: is not UTF-16LE/],
    ['half a pair within UTF-16', encode(`${table}b,\ud800,1\n`, 'utf-16le'), /^table, line 3: is not UTF-16LE/],
  ])('that changes within the file is rejected: %s', async (_, content, problem) => {
    expect(await refusal(content)).toMatch(problem);
  }); // prettier-ignore

  it('that the user sets must fit', async () => {
    expect(await refusal(encode(table, 'utf-16le'), { encoding: 'windows-1252' })).toBe(
      'table: is utf-16le according to its byte order mark, not windows-1252; omit --encoding',
    );
    expect(await refusal(latin1('URL handle,Title,Price\na,A,1\nb,\x81\x20,1\n'), { encoding: 'shift_jis' })).toMatch(
      /^table, line 3: is not Shift_jis; save/,
    );
    expect((await read(Buffer.from(euro, 'utf16le'), { encoding: 'utf-16le' })).rows[1]?.[1]).toBe('Réunion');
  });
});

describe('a delimiter', () => {
  it.each([',', ';', '\t', '|'])('is the one that yields a known header: %j', async (delimiter) => {
    const rows = [['URL handle', 'Title', 'Price', 'Tags (a,b;c)\t|'], ['a', 'A', '1', '']]; // prettier-ignore
    expect((await read(csv(rows, delimiter, '\n'))).rows).toEqual(rows);
  });

  it('is the one that the user sets, in any file', async () => {
    expect((await read('sep=;\nURL handle~Title~Price\na~A~1\n', { delimiter: '~' })).delimiter).toBe('"~"');
    expect(await refusal(table, { delimiter: ';' })).toContain('table: unrecognized format');
  });

  it('must be set when two are possible', async () => {
    expect(await refusal('x,URL handle,Title,Price,y;URL handle;Title;Price;z\n')).toBe(
      'table: the delimiter could be comma or semicolon; set it with --delimiter',
    );
  });

  it('may be declared in the first line, which is then not a row', async () => {
    expect(await refusal('sep=;\r\nURL handle;Title;Price\r\na;A;1;2\r\n')).toBe(
      'table, line 3: expected 3 cells as in the header, got 4 (a quote or semicolon may be missing)',
    );
  });
});

describe('rows that are not as long as the header', () => {
  it('are filled up, with a warning; blank cells after the header are left out', async () => {
    expect(await read('URL handle,Title,Price,SKU\na,A,1\nb,B,2,x\nc,C\nd,D,4,y, ,\n')).toMatchObject({
      rows: [['URL handle', 'Title', 'Price', 'SKU'], ['a', 'A', '1', ''], ['b', 'B', '2', 'x'], ['c', 'C', '', ''], ['d', 'D', '4', 'y']],
      readingWarnings: ['2 rows have fewer cells than the header, the first on line 2: missing cells were read as blank'],
    }); // prettier-ignore
  });

  it('are rejected when two of them are one that was broken', async () => {
    expect(await refusal('URL handle,Title,Price,Description\na,A,1,first\nb,B is\nlong,2,x\n')).toBe(
      'table, line 3: expected 4 cells as in the header, got 2; the rest is on line 4 (a cell with a line break may be missing quotes)',
    );
  });
});
