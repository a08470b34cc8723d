import { gzipSync } from 'node:zlib';
import type { ReadAs } from '../../../src/ingest/source/source-file';
import { workbook, zip, type WorkbookSpec } from '../make-files';

/** A kind of file of which one dimension grows. */
export interface GrowingFile {
  readonly name: string;
  /** @param unit a text that is repeated where the dimension allows any text */
  make(size: number, unit: string): Buffer;
}

/** Repeats a text up to a number of bytes. */
export function fill(bytes: number, unit: string): Buffer {
  const one = Buffer.byteLength(unit);
  return Buffer.alloc(Math.floor(bytes / one) * one, unit);
}

export type Part = string | Buffer;

export const join = (...parts: readonly Part[]): Buffer => Buffer.concat(parts.map((part) => Buffer.from(part)));

/** Numbered texts, up to a number of bytes. */
export function numbered(bytes: number, make: (index: number) => string): Buffer {
  const parts: string[] = [];
  for (let index = 0, length = 0; length < bytes; index += 1) {
    const text = make(index);
    parts.push(text);
    length += text.length;
  }
  return Buffer.from(parts.join(''));
}

const file = (name: string, parts: (size: number, unit: string) => readonly Part[]): GrowingFile => ({
  name,
  make: (size, unit) => join(...parts(size, unit)),
});

/** Markup that any part of a workbook may hold, with its surroundings. */
const markup: readonly (readonly [name: string, parts: (size: number, unit: string) => readonly Part[]])[] = [
  ['a comment', (size, unit) => ['<!--', fill(size, unit), '-->']],
  ['comments', (size) => [fill(size, '<!--a-->')]],
  ['an attribute', (size, unit) => ['<x a="', fill(size, unit), '"/>']],
  ['an attribute of entities', (size) => ['<x a="', fill(size, '&amp;'), '"/>']],
  ['the name of an attribute', (size) => ['<x ', fill(size, 'a'), '="1"/>']],
  ['attributes', (size) => ['<x ', numbered(size, (index) => `a${index}="" `), '/>']],
  ['elements of many attributes', (size) => [fill(size, `<x ${numbered(9_000, (index) => `a${index}="" `).toString()}/>`)]],
  ['open elements of long attributes', (size, unit) => [fill(size, `<x a="${fill(60_000, unit).toString()}">`), '']],
  ['blanks within an element', (size) => ['<x ', fill(size, ' '), '/>']],
  ['the name of an element', (size) => ['<', fill(size, 'a'), '/>']],
  ['the name of a closing element', (size) => ['<x></x', fill(size, ' '), '>']],
  ['CDATA', (size, unit) => ['<![CDATA[', fill(size, unit), ']]>']],
  ['CDATA sections', (size) => [fill(size, '<![CDATA[a]]>')]],
  ['brackets in CDATA', (size) => ['<![CDATA[', fill(size, ']'), ']]>']],
  ['a processing instruction', (size, unit) => ['<?a ', fill(size, unit), '?>']],
  ['the name of a processing instruction', (size) => ['<?', fill(size, 'a'), '?>']],
  ['an entity', (size) => ['&', fill(size, 'a'), ';']],
  ['a character reference', (size) => ['&#', fill(size, '0'), '65;']],
  ['entities', (size) => [fill(size, '&lt;')]],
  ['a declaration', (size) => ['<!', fill(size, 'a'), '>']],
  ['declarations', (size) => [fill(size, '<!a>')]],
  ['a document type', (size) => ['<!DOCTYPE ', fill(size, 'a'), '>']],
  ['text', (size, unit) => [fill(size, unit)]],
  ['elements', (size) => [fill(size, '<x/>')]],
  ['depth', (size) => [fill(size, '<x>')]],
  ['depth, and back', (size) => [fill(size / 2, '<x>'), fill(size / 2, '</x>')]],
]; // prettier-ignore

const cell = (text: string): string => `<c t="str"><v>${text}</v></c>`;
const headerRow = `<row>${cell('Handle')}${cell('Title')}${cell('Variant Price')}</row>`;
const dataRow = `<row>${cell('a')}${cell('A')}${cell('1')}</row>`;
const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`;

interface Parts {
  readonly sheet?: readonly Part[];
  readonly strings?: readonly Part[];
  readonly styles?: readonly Part[];
  readonly book?: readonly Part[];
  readonly relations?: readonly Part[];
  readonly rootRelations?: readonly Part[];
}

/** A workbook with given parts, stored without compression, so that its size is that of its content. */
const book = ({ sheet = [headerRow, dataRow], strings = [], styles = [], ...parts }: Parts, isStored = true): Buffer =>
  zip(
    [
      { name: '_rels/.rels', content: join('<Relationships>', relation('r1', 'officeDocument', 'xl/workbook.xml'), ...(parts.rootRelations ?? []), '</Relationships>') },
      { name: 'xl/workbook.xml', content: join('<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/>', ...(parts.book ?? []), '</sheets></workbook>') },
      { name: 'xl/_rels/workbook.xml.rels', content: join('<Relationships>', relation('r1', 'worksheet', 'worksheets/sheet1.xml'), relation('r2', 'styles', 'styles.xml'), relation('r3', 'sharedStrings', 'sharedStrings.xml'), ...(parts.relations ?? []), '</Relationships>') },
      { name: 'xl/styles.xml', content: join('<styleSheet>', ...styles, '</styleSheet>') },
      { name: 'xl/sharedStrings.xml', content: join('<sst>', ...strings, '</sst>') },
      { name: 'xl/worksheets/sheet1.xml', content: join('<worksheet><sheetData>', ...sheet, '</sheetData></worksheet>') },
    ].map((entry) => ({ ...entry, isStored })),
  ); // prettier-ignore

/** Where markup of a workbook may be: in its parts, and in elements that are read. */
const places: readonly (readonly [name: string, around: (parts: readonly Part[]) => Parts])[] = [
  ['before the rows', (parts) => ({ sheet: [...parts, headerRow, dataRow] })],
  ['in a row', (parts) => ({ sheet: [headerRow, '<row>', cell('a'), ...parts, '</row>'] })],
  ['in a cell', (parts) => ({ sheet: [headerRow, '<row><c t="str"><v>', ...parts, '</v></c></row>'] })],
  ['behind the rows', (parts) => ({ sheet: [headerRow, dataRow, ...parts] })],
  ['in a shared text', (parts) => ({ strings: ['<si><t>', ...parts, '</t></si>'] })],
  ['between shared texts', (parts) => ({ strings: parts })],
  ['in the styles', (parts) => ({ styles: parts })],
  ['in the list of sheets', (parts) => ({ book: parts })],
  ['in the relations', (parts) => ({ relations: parts })],
  ['in the first relations', (parts) => ({ rootRelations: parts })],
];

/** All kinds of markup in all places: more than a quick test reads. */
export const workbookMarkup: readonly GrowingFile[] = markup.flatMap(([name, parts]) =>
  places.map(([place, around]) => ({
    name: `workbook: ${name} ${place}`,
    make: (size, unit) => book(around(parts(size, unit))),
  })),
);

const sheet = (name: string, parts: (size: number, unit: string) => readonly Part[]): GrowingFile => ({
  name: `workbook: ${name}`,
  make: (size, unit) => book({ sheet: parts(size, unit) }),
});

const bookOf = (name: string, parts: (size: number, unit: string) => Parts): GrowingFile => ({
  name: `workbook: ${name}`,
  make: (size, unit) => book(parts(size, unit)),
});

const wideHeader = (columns: number, make: (text: string) => string, between = ''): string =>
  ['Handle', 'Title', 'Variant Price', ...Array.from({ length: columns - 3 }, (_, index) => `c${index}`)]
    .map(make)
    .join(between);

export const workbookShapes: readonly GrowingFile[] = [
  sheet('rows', (size) => [headerRow, numbered(size, (index) => `<row>${cell(`h${index}`)}${cell('A')}${cell('1')}</row>`)]),
  sheet('rows of one product', (size) => [headerRow, fill(size, dataRow)]),
  sheet('blank rows', (size) => [headerRow, fill(size, '<row/>')]),
  sheet('columns', (size) => ['<row>', numbered(size, (index) => cell(`c${index}`)), '</row>']),
  sheet('blank cells', (size) => [headerRow, '<row>', fill(size, '<c/>'), '</row>']),
  sheet('rows of one cell below a wide header', (size) => [`<row>${wideHeader(16_384, cell)}</row>`, fill(size, `<row>${cell('a')}</row>`)]),
  sheet('rows of the last cell', (size) => [`<row>${wideHeader(16_384, cell)}</row>`, fill(size, '<row><c r="XFD1" t="str"><v>a</v></c></row>').toString().replace(/(r="XFD1")/g, 'r="XFD2"')]),
  sheet('rows of the last cell below a narrow header', (size) => [headerRow, fill(size, '<row><c r="XFD2" t="str"><v> </v></c></row>')]),
  sheet('types of cells', (size, unit) => [headerRow, '<row>', fill(size, `<c t="${fill(50_000, unit).toString()}"><v>1</v></c>`), '</row>']),
  sheet('styles of cells', (size) => [headerRow, '<row>', fill(size, `<c s="${'1'.repeat(50_000)}"><v>1</v></c>`), '</row>']),
  sheet('numbers of rows', (size) => [headerRow, '<row r="', fill(size, '9'), '">', cell('a'), '</row>']),
  sheet('digits of a number', (size) => [headerRow, '<row>', cell('a'), cell('b'), '<c><v>', fill(size, '9'), '</v></c></row>']),
  sheet('numbers of many digits', (size) => [headerRow, fill(size, `<row>${cell('a')}${cell('b')}<c><v>${'9'.repeat(5_000)}E9999</v></c></row>`)]),
  sheet('references to shared texts', (size) => [headerRow, fill(size, '<row><c t="s"><v>0</v></c></row>')]),
  bookOf('references to one long text', (size) => ({ strings: [`<si><t>${'x'.repeat(1_000_000)}</t></si>`], sheet: [headerRow, fill(size, '<row><c t="s"><v>0</v></c></row>')] })),
  bookOf('shared texts', (size) => ({ strings: [numbered(size, (index) => `<si><t>${index}</t></si>`)] })),
  bookOf('blank shared texts', (size) => ({ strings: [fill(size, '<si/>')] })),
  bookOf('runs of a shared text', (size, unit) => ({ strings: ['<si>', fill(size, `<r><t>${unit}</t></r>`), '</si>'] })),
  bookOf('long shared texts', (size, unit) => ({ strings: [fill(size, `<si><t>${fill(30_000, unit).toString()}</t></si>`)] })),
  bookOf('escapes of a shared text', (size) => ({ strings: ['<si><t>', fill(size, '_x0041_'), '</t></si>'] })),
  bookOf('sheets', (size) => ({ book: [numbered(size, (index) => `<sheet name="S${index}" r:id="r1"/>`)] })),
  bookOf('names of sheets', (size, unit) => ({ book: [fill(size, `<sheet name="${fill(50_000, unit).toString()}" r:id="r1"/>`)] })),
  bookOf('relations', (size) => ({ relations: [numbered(size, (index) => relation(`i${index}`, 'worksheet', 'worksheets/sheet1.xml'))] })),
  bookOf('ids of relations', (size) => ({ relations: [numbered(size, (index) => relation(`${'i'.repeat(50_000)}${index}`, 'worksheet', 'worksheets/sheet1.xml'))] })),
  bookOf('targets of relations', (size) => ({ relations: [numbered(size, (index) => relation(`i${index}`, 'worksheet', `${'a/'.repeat(25_000)}${index}`))] })),
  bookOf('steps of a target', (size) => ({ relations: [relation('i', 'worksheet', fill(size, '../').toString())] })),
  bookOf('number formats', (size) => ({ styles: ['<numFmts>', numbered(size, (index) => `<numFmt numFmtId="${index + 200}" formatCode="0"/>`), '</numFmts>'] })),
  bookOf('codes of number formats', (size) => ({ styles: ['<numFmts>', numbered(size, (index) => `<numFmt numFmtId="${index + 200}" formatCode="${'[red]'.repeat(9_000)}"/>`), '</numFmts>'] })),
  bookOf('cell formats', (size) => ({ styles: ['<cellXfs>', fill(size, '<xf numFmtId="14"/>'), '</cellXfs>'] })),
  { name: 'workbook: compression, of text', make: (size) => book({ sheet: [headerRow, '<!--', fill(size * 20, 'x'), '-->', dataRow] }, false) },
  { name: 'workbook: compression, of rows', make: (size) => book({ sheet: [headerRow, fill(size * 20, dataRow)] }, false) },
  { name: 'workbook: filled sheets', make: (size) => filledSheets(Math.floor(size / 1_000)) },
]; // prettier-ignore

function filledSheets(count: number): Buffer {
  const spec: WorkbookSpec = {
    isStored: true,
    sheets: Array.from({ length: Math.max(2, count) }, (_, index) => ({ name: `S${index}`, rows: [['Handle', 'Title'], ['a', 'A']] })),
  }; // prettier-ignore
  return workbook(spec);
}

const productHeader = 'Handle,Title,Body (HTML),Tags,Variant Price\n';

const csv = (name: string, parts: (size: number, unit: string) => readonly Part[]): GrowingFile =>
  file(`CSV: ${name}`, parts);

export const csvShapes: readonly GrowingFile[] = [
  csv('rows', (size) => [productHeader, numbered(size, (index) => `h${index},A,,,1\n`)]),
  csv('rows of one product', (size) => [productHeader, fill(size, 'a,A,,,1\n')]),
  csv('blank lines', (size) => [productHeader, fill(size, '\n')]),
  csv('blank lines first', (size) => [fill(size, '\n'), productHeader, 'a,A,,,1\n']),
  csv('blank lines of carriage returns', (size) => [productHeader, fill(size, '\r')]),
  csv('a cell', (size, unit) => [productHeader, 'a,A,"', fill(size, unit), '",,1\n']),
  csv('cells', (size, unit) => [productHeader, fill(size, `a,A,${fill(100_000, unit).toString().replaceAll(',', ' ').replaceAll('"', ' ')},,1\n`)]),
  csv('quotes', (size) => [productHeader, 'a,A,"', fill(size, '""'), '",,1\n']),
  csv('a quote without an end', (size) => [productHeader, 'a,A,"', fill(size, 'x\n')]),
  csv('quotes that open and close', (size) => [productHeader, fill(size, '"a","A","""","",1\n')]),
  csv('lines of a cell', (size) => [productHeader, 'a,A,"', fill(size, '\n'), '",,1\n']),
  csv('lines of cells', (size) => [productHeader, fill(size, `a,A,"${'\n'.repeat(50_000)}",,1\n`)]),
  csv('columns', (size) => [productHeader.trimEnd(), numbered(size, (index) => `,c${index}`), '\n']),
  csv('columns of one name', (size) => [productHeader.trimEnd(), fill(size, ',x'), '\n']),
  csv('the name of a column', (size, unit) => [productHeader.trimEnd(), ',', fill(size, unit), '\n', 'a,A,,,1\n']),
  csv('cells of a row', (size) => [productHeader, fill(size, ','), '\n']),
  csv('short rows below a wide header', (size) => [wideHeader(16_384, (text) => text, ','), '\n', fill(size, 'a\n')]),
  csv('tags', (size) => [productHeader, 'a,A,,"', fill(size, 'x,'), '",1\n']),
  csv('digits', (size) => [productHeader, 'a,A,,,', fill(size, '9'), '\n']),
  csv('separators of digits', (size) => [productHeader, 'a,A,,,"1', fill(size, ',000'), '"\n']),
  csv('one line', (size, unit) => [fill(size, unit)]),
  csv('delimiters of all kinds', (size) => [fill(size, ',;\t|')]),
  csv('orders', (size) => ['Name,Created at,Total,Lineitem quantity\n', numbered(size, (index) => `#${index},2026-01-01 00:00:00 +0000,1.00,1\n`)]),
  csv('inventory', (size) => ['Handle,Title,Option1 Name,Option1 Value,SKU,Location,Available\n', numbered(size, (index) => `h${index},A,Size,S,s${index},L,1\n`)]),
  csv('products of WooCommerce', (size) => ['ID,Type,SKU,Name,Published,Categories,Regular price,Parent\n', numbered(size, (index) => `${index + 1},simple,s${index},A,1,C${index},1,\n`)]),
  csv('variations of WooCommerce', (size) => ['ID,Type,SKU,Name,Published,Categories,Regular price,Parent\n', numbered(size, (index) => `${index + 1},variation,s${index},A,1,,1,id:${Math.floor(index / 100)}\n`)]),
  csv('categories of WooCommerce', (size) => ['ID,Type,SKU,Name,Published,Categories,Regular price,Parent\n', numbered(size, (index) => `${index + 1},simple,s${index},A,1,"${Array.from({ length: 50 }, (_, part) => `A${index}-${part} > B > C`).join(', ')}",1,\n`)]),
  csv('products of PrestaShop', (size) => ['Product ID,Image,Name,Reference,Category,Price (tax excl.),Price (tax incl.),Quantity,Status,Position\n', numbered(size, (index) => `${index},i,A,r,C,1,1,1,1,1\n`)]),
  csv('products of Wix', (size) => ['handleId,fieldType,name,description,price,visible\n', numbered(size, (index) => `p${index},Product,A,,1,true\n`)]),
  csv('UTF-16', (size) => [Buffer.from('\ufeff', 'utf16le'), Buffer.from(productHeader, 'utf16le'), Buffer.from(numbered(size / 2, (index) => `h${index},A,,,1\n`).toString(), 'utf16le')]),
  csv('a line of UTF-16', (size) => [Buffer.from('\ufeff', 'utf16le'), Buffer.from(productHeader, 'utf16le'), Buffer.from('x'.repeat(size / 2), 'utf16le')]),
  csv('Windows-1252', (size) => [productHeader, Buffer.from(numbered(size, (index) => `h${index},B\xe4r,,,1\n`).toString(), 'latin1')]),
  csv('a line of Windows-1252', (size) => [productHeader, 'a,A,"', Buffer.alloc(size, 0xe4), '",,1\n']),
  csv('lines of Windows-1252 in a quote', (size) => [productHeader, 'a,A,"', Buffer.alloc(size, Buffer.from('\xe4\n', 'latin1')), '",,1\n']),
  csv('NULs', (size) => [productHeader, Buffer.alloc(size)]),
]; // prettier-ignore

const snapshotProduct = (members: string, id = '1'): string =>
  `{"type":"product","external_id":"${id}","title":"A"${members}}\n`;
const times = '"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"';
const shopifyProduct = (id: number, members = ''): string =>
  `{"id":${id},"title":"A","handle":"a","body_html":null,"vendor":"V","product_type":"T","status":"active",${times},"tags":"","variants":[],"options":[]${members}}`;
const wooProduct = (id: number): string =>
  `{"id":${id},"name":"A","slug":"a","type":"simple","status":"publish","sku":"s","price":"1","regular_price":"1","date_created_gmt":"2026-01-01T00:00:00","date_modified_gmt":"2026-01-01T00:00:00","categories":[{"id":${id},"name":"C","slug":"c${id}"}],"attributes":[],"images":[],"tags":[],"variations":[],"description":""}`;

const json = (name: string, parts: (size: number, unit: string) => readonly Part[]): GrowingFile =>
  file(`JSON: ${name}`, parts);

export const jsonShapes: readonly GrowingFile[] = [
  json('lines', (size) => [numbered(size, (index) => snapshotProduct(`,${times}`, String(index)))]),
  json('blank lines', (size) => [snapshotProduct(`,${times}`), fill(size, '\n')]),
  json('blanks', (size) => [fill(size, ' '), snapshotProduct(`,${times}`)]),
  json('a text', (size, unit) => [`{"type":"product","title":"`, fill(size, unit), '"}\n']),
  json('escapes', (size) => [`{"type":"product","title":"`, fill(size, '\\\\'), '"}\n']),
  json('escaped units', (size) => [`{"type":"product","title":"`, fill(size, '\\u0041'), '"}\n']),
  json('a text without an end', (size, unit) => [`{"type":"product","title":"`, fill(size, unit)]),
  json('digits', (size) => [`{"type":"product","total_stock":`, fill(size, '9'), '}\n']),
  json('long lines of numbers', (size) => [fill(size, `{"type":"product","x":[${'1,'.repeat(500_000)}1]}\n`)]),
  json('long lines of objects', (size) => [fill(size, `{"type":"product","x":[${'{"a":1},'.repeat(300_000)}1]}\n`)]),
  json('long lines of texts', (size) => [fill(size, `{"type":"product","x":[${numbered(6_000_000, (index) => `"${index}",`).toString()}1]}\n`)]),
  json('long lines', (size, unit) => [fill(size, `{"type":"product","x":"${fill(8_000_000, unit).toString()}"}\n`)]),
  json('members', (size) => [`{"type":"product"`, numbered(size, (index) => `,"m${index}":1`), '}\n']),
  json('the name of a member', (size, unit) => [`{"type":"product","`, fill(size, unit), '":1}\n']),
  json('variants', (size) => [`{"type":"product","external_id":"1","title":"A",${times},"variants":[`, numbered(size, (index) => `{"external_id":"${index}","title":"V"},`), '{}]}\n']),
  json('tags', (size) => [`{"type":"product","tags":[`, fill(size, '"a",'), '"a"]}\n']),
  json('arrays within arrays', (size) => ['{"type":"product","x":', fill(size / 2, '['), fill(size / 2, ']'), '}\n']),
  json('objects within objects', (size) => ['{"type":"product","x":', fill(size, '{"a":')]),
  json('brackets', (size) => [fill(size, '[')]),
  json('unknown members of lines', (size) => [numbered(size, (index) => snapshotProduct(`,${times},"m${index}":1`, String(index)))]),
  json('elements', (size) => ['{"products":[', numbered(size, (index) => `${index === 0 ? '' : ','}${shopifyProduct(index + 1)}`), ']}']),
  json('elements of WooCommerce', (size) => ['[', numbered(size, (index) => `${index === 0 ? '' : ','}${wooProduct(index + 1)}`), ']']),
  json('an element', (size, unit) => ['{"products":[', shopifyProduct(1, `,"x":"${fill(size, unit).toString()}"`), ']}']),
  json('blanks between elements', (size) => ['{"products":[', shopifyProduct(1), fill(size, ' '), ',', shopifyProduct(2), ']}']),
  json('commas', (size) => ['{"products":[', shopifyProduct(1), fill(size, ','), ']}']),
  json('other members first', (size) => ['{', numbered(size, (index) => `"m${index}":{"a":[1,2]},`), '"products":[', shopifyProduct(1), ']}']),
  json('a member that is not read', (size, unit) => ['{"products":[', shopifyProduct(1), '],"x":"', fill(size, unit), '"}']),
  json('pages', (size) => [numbered(size, (index) => `{"products":[${shopifyProduct(index + 1)}]}\n`)]),
]; // prettier-ignore

const table = productHeader + Array.from({ length: 5 }, (_, row) => `h${row},A,,,1\n`).join('');

/** A gzip file whose header names a file. */
function gzipNamed(name: Buffer, content: Buffer): Buffer {
  const packed = gzipSync(content);
  packed[3] = 8;
  return Buffer.concat([packed.subarray(0, 10), name, Buffer.from([0]), packed.subarray(10)]);
}

const emptyMember = gzipSync(Buffer.alloc(0));

/** No more than the format has numbers for. */
const countEntries = (size: number, each: number): number => Math.min(Math.ceil(size / each), 65_000);

/** Of every container that the import unpacks; those of workbooks are their own. */
export const containerShapes: Readonly<Record<NonNullable<ReadAs['container']>, readonly GrowingFile[]>> = {
  gzip: [
    { name: 'gzip: members', make: (size) => join(gzipSync(table), fill(size, 'x').subarray(0, 0), Buffer.alloc(Math.floor(size / emptyMember.length) * emptyMember.length, emptyMember)) },
    { name: 'gzip: the name of the file', make: (size) => gzipNamed(fill(size, 'x'), Buffer.from(table)) },
    { name: 'gzip: zeros behind it', make: (size) => join(gzipSync(table), Buffer.alloc(size)) },
    { name: 'gzip: compression', make: (size) => gzipSync(join(productHeader, fill(size * 20, `a,${'x'.repeat(900)},,,1\n`))) },
    { name: 'gzip: compression of one line', make: (size) => gzipSync(join(productHeader, fill(size * 20, 'x'))) },
    { name: 'gzip: compression of blank lines', make: (size) => gzipSync(join(productHeader, fill(size * 20, '\n'))) },
  ],
  zip: [
    { name: 'zip: entries', make: (size) => zip(Array.from({ length: countEntries(size, 150) }, (_, index) => ({ name: `file${index}`, content: '', isStored: true }))) },
    { name: 'zip: names', make: (size) => zip(Array.from({ length: Math.ceil(size / 120_000) }, (_, index) => ({ name: `${'n'.repeat(60_000)}${index}`, content: '', isStored: true }))) },
    { name: 'zip: files of a system', make: (size) => zip([{ name: 'a.csv', content: table }, ...Array.from({ length: countEntries(size, 150) }, (_, index) => ({ name: `__MACOSX/${index}`, content: '', isStored: true }))]) },
    { name: 'zip: folders', make: (size) => zip([{ name: 'a.csv', content: table }, ...Array.from({ length: countEntries(size, 120) }, (_, index) => ({ name: `f${index}/`, content: '', isStored: true }))]) },
    { name: 'zip: compression', make: (size) => zip([{ name: 'a.csv', content: join(productHeader, fill(size * 20, `a,${'x'.repeat(900)},,,1\n`)) }]) },
  ],
  xlsx: workbookShapes,
}; // prettier-ignore
