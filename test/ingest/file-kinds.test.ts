import { gzipSync } from 'node:zlib';
import { encode, workbook, zip } from './make-files';
import { createTableReader } from './read-table';

const { read, refusal } = createTableReader();

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const table = 'URL handle,Title,Price\na,A,1\n';
const saveAs = 'save or export it as .xlsx or CSV';
const unpack = 'unpack it and import the file inside';

describe('a file that cannot be read is reported as what it is', () => {
  it.each<[what: string, content: Buffer | string, problem: string]>([
    ['.xls', latin1('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), `this is an old Excel workbook (.xls) or Word document, or a password-protected Office file (remove the password); ${saveAs}`],
    ['older .xls', latin1('\x09\x08\x10\0\0\x06\x05\0'), `this is an old Excel workbook (.xls); ${saveAs}`],
    ['.ods', zip([{ name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', isStored: true }, { name: 'content.xml', content: '' }, { name: 'META-INF/manifest.xml', content: '' }]), `this is an OpenDocument file (.ods); ${saveAs}`],
    ['.xlsb', zip([{ name: 'xl/workbook.bin', content: 'x' }]), `this is a binary Excel workbook (.xlsb); ${saveAs}`],
    ['.numbers', zip([{ name: 'Index/Document.iwa', content: 'x' }]), `this is an Apple Numbers, Pages or Keynote document; ${saveAs}`],
    ['.docx', zip([{ name: 'word/document.xml', content: 'x' }]), `this is a Word document; ${saveAs}`],
    ['PDF', '%PDF-1.7\n', `this is a PDF document; ${saveAs}`],
    ['PNG', latin1('\x89PNG\r\n\x1a\n'), `this is an image; ${saveAs}`],
    ['JPEG', latin1('\xff\xd8\xff\xe0'), `this is an image; ${saveAs}`],
    ['WebP', latin1('RIFF\0\0\0\0WEBP'), `this is an image; ${saveAs}`],
    ['7z', latin1('7z\xbc\xaf\x27\x1c'), `this is a 7z archive; ${unpack}`],
    ['xz', latin1('\xfd7zXZ\0'), `this is an xz file; ${unpack}`],
    ['tar', latin1(`${'a'.repeat(257)}ustar`), `this is a tar archive; ${unpack}`],
    ['SQLite', latin1('SQLite format 3\0'), `this is an SQLite database; ${saveAs}`],
    ['RTF', '{\\rtf1 x}', `this is an RTF document; ${saveAs}`],
    ['PDF in gzip', gzipSync('%PDF-1.7\n'), `this is a PDF document; ${saveAs}`],
    ['gzip in gzip', gzipSync(gzipSync(table)), 'it contains another compressed file or a workbook; unpack it and import that file'],
    ['a workbook in a zip archive', zip([{ name: 'a.xlsx', content: workbook({ sheets: [] }) }]), 'it contains another compressed file or a workbook; unpack it and import that file'],
    ['a zip archive of two files', zip([{ name: 'a.csv', content: table }, { name: 'bob@shop.example.csv', content: table }]), 'expected a zip archive with one file, got 2 ("a.csv", "[e-mail address]"); unpack it and import the files'],
    ['a zip archive of none', zip([]), 'the zip archive is empty'],
    ['nothing in gzip', gzipSync(''), 'the file is empty'],
  ])('%s', async (_, content, problem) => {
    expect(await refusal(content)).toBe(`table: ${problem}`);
  }); // prettier-ignore

  it('UTF-16 without a mark', async () => {
    const problem = 'table, line 1: contains a NUL character, which the database cannot store (the file may be binary, or UTF-16: then set --encoding utf-16le or utf-16be)'; // prettier-ignore
    expect(await refusal(Buffer.from(table, 'utf16le'))).toBe(problem);
    expect(await refusal(Buffer.from(table, 'utf16le').swap16())).toBe(problem);
  });
});

describe('an encoding', () => {
  const euro = 'URL handle,Title,Price\na,Réunion,5\n';

  it('is reported when it is not UTF-8, with a line to check', async () => {
    expect(await read(encode(euro, 'windows-1252'))).toMatchObject({
      encoding: 'Windows-1252',
      rows: [['URL handle', 'Title', 'Price'], ['a', 'Réunion', '5']],
      readingWarnings: ['the file is not UTF-8 and was read as Windows-1252: check line 2, or set another encoding with --encoding'],
    }); // prettier-ignore
    expect(await read(encode(euro, 'utf-16le'))).toMatchObject({ encoding: 'UTF-16LE', readingWarnings: [] });
    expect(await read(euro)).toMatchObject({ encoding: 'UTF-8', delimiter: 'comma', readingWarnings: [] });
  });

  const cannotTell = /^table, line \d: is not UTF-8, and its encoding cannot be determined; .* --encoding, for example/;

  it.each<[what: string, bytes: string, encoding: string, title: string]>([
    ['Mac Roman', 'R\x8eunion', 'macintosh', 'Réunion'],
    ['Mac Roman, German', 'f\x9fr Kr\x8age', 'macintosh', 'für Kräge'],
    ['Polish', '\xbf\xf3\xb3ty', 'windows-1250', 'żółty'],
    ['Turkish', 'K\xfdrm\xfdz\xfd', 'windows-1254', 'Kırmızı'],
    ['Turkish, of one word', 'Ye\xfeil', 'windows-1254', 'Yeşil'],
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
      /^table, line 3: is not SHIFT_JIS; save/,
    );
    expect((await read(Buffer.from(euro, 'utf16le'), { encoding: 'utf-16le' })).rows[1]?.[1]).toBe('Réunion');
  });
});
