import { readFileSync } from 'node:fs';
import { join as pathJoin } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ReadAs } from '../../../src/ingest/source/source-file';
import { workbook, zip, type WorkbookSpec } from '../make-files';

/** A kind of file that grows in one dimension. */
export interface GrowingFile {
  readonly name: string;
  /** @param unit text to repeat where the dimension allows any text */
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

type Parts = (size: number, unit: string) => readonly Part[];

const file = (name: string, parts: Parts): GrowingFile => ({ name, make: (size, unit) => join(...parts(size, unit)) });

/** The text to repeat: ¤ is its number, $ the unit, and ‹9*x› nine bytes of a text. */
function grow(size: number, template: string, unit: string): Buffer {
  const isNumbered = template.replaceAll(/‹[^›]*›/g, '').includes('¤');
  const text = template.replaceAll(/‹(\d+)\*([^›]*)›|\$/g, (_, bytes?: string, inner = '') =>
    bytes === undefined ? unit : grow(Number(bytes), inner as string, unit).toString(),
  );
  return isNumbered ? numbered(size, (index) => text.replaceAll('¤', String(index))) : fill(size, text);
}

type Shape = readonly [name: string, before: string, repeated: string, after: string, part?: string];

/** For most files: a text before the part that grows, the text to repeat, and a text after it. */
export const shapes = JSON.parse(readFileSync(pathJoin(__dirname, 'shapes.json'), 'utf8')) as Readonly<
  Record<'csv' | 'json' | 'book' | 'maps' | 'tables' | 'markup', readonly Shape[]>
>;

const around =
  ([, before, repeated, after]: Shape): Parts =>
  (size, unit) => [expand(before, unit), grow(size, repeated, unit), expand(after, unit)];

const expand = (text: string, unit: string): string => text.replaceAll(/‹(\d+)\*([^›]*)›/g, (_, bytes: string, inner: string) => grow(Number(bytes), inner, unit).toString()); // prettier-ignore

export const filesOf = (group: readonly Shape[]): readonly GrowingFile[] =>
  group.map((shape) => file(shape[0], around(shape)));

/** Markup that any part of a workbook may contain. */
const markup: readonly (readonly [name: string, parts: Parts])[] = [
  ...shapes.markup.map((shape) => [shape[0], around(shape)] as const),
  ['depth, and back', (size) => [fill(size / 2, '<x>'), fill(size / 2, '</x>')]],
];

const cell = (text: string): string => `<c t="str"><v>${text}</v></c>`;
const headerRow = `<row>${cell('Handle')}${cell('Title')}${cell('Variant Price')}</row>`;
const dataRow = `<row>${cell('a')}${cell('A')}${cell('1')}</row>`;
const relation = (id: string, type: string, target: string): string =>
  `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`;

interface BookParts {
  readonly sheet?: readonly Part[];
  readonly strings?: readonly Part[];
  readonly styles?: readonly Part[];
  readonly book?: readonly Part[];
  readonly relations?: readonly Part[];
  readonly rootRelations?: readonly Part[];
}

/** A workbook with the given parts, uncompressed, so that its size is that of its content. */
const book = ({ sheet = [headerRow, dataRow], strings = [], styles = [], ...parts }: BookParts, isStored = true): Buffer =>
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

/** Where a workbook may contain markup: in its parts, and in elements that are read. */
const places: readonly (readonly [name: string, around: (parts: readonly Part[]) => BookParts])[] = [
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

const sheet = (name: string, parts: Parts): GrowingFile => ({
  name: `workbook: ${name}`,
  make: (size, unit) => book({ sheet: parts(size, unit) }),
});

const wideHeader = (columns: number, make: (text: string) => string, between = ''): string =>
  ['Handle', 'Title', 'Variant Price', ...Array.from({ length: columns - 3 }, (_, index) => `c${index}`)]
    .map(make)
    .join(between);

export const workbookShapes: readonly GrowingFile[] = [
  ...shapes.book.map((shape) => ({ name: shape[0], make: (size: number, unit: string) => book({ [shape[4] ?? 'sheet']: around(shape)(size, unit) }) })),
  sheet('rows of one cell below a wide header', (size) => [`<row>${wideHeader(16_384, cell)}</row>`, fill(size, `<row>${cell('a')}</row>`)]),
  sheet('rows of the last cell', (size) => [`<row>${wideHeader(16_384, cell)}</row>`, fill(size, '<row><c r="XFD1" t="str"><v>a</v></c></row>').toString().replace(/(r="XFD1")/g, 'r="XFD2"')]),
  { name: 'workbook: references to one long text', make: (size) => book({ strings: [`<si><t>${'x'.repeat(1_000_000)}</t></si>`], sheet: [headerRow, fill(size, '<row><c t="s"><v>0</v></c></row>')] }) },
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

export const csvShapes: readonly GrowingFile[] = [
  ...filesOf(shapes.csv),
  file('CSV: short rows below a wide header', (size) => [wideHeader(16_384, (text) => text, ','), '\n', fill(size, 'a\n')]),
  file('CSV: variations of WooCommerce', (size) => ['ID,Type,SKU,Name,Published,Categories,Regular price,Parent\n', numbered(size, (index) => `${index + 1},variation,s${index},A,1,,1,id:${Math.floor(index / 100)}\n`)]),
  file('CSV: UTF-16', (size) => [Buffer.from('\ufeff', 'utf16le'), Buffer.from(productHeader, 'utf16le'), Buffer.from(numbered(size / 2, (index) => `h${index},A,,,1\n`).toString(), 'utf16le')]),
  file('CSV: a line of UTF-16', (size) => [Buffer.from('\ufeff', 'utf16le'), Buffer.from(productHeader, 'utf16le'), Buffer.from('x'.repeat(size / 2), 'utf16le')]),
  file('CSV: Windows-1252', (size) => [productHeader, Buffer.from(numbered(size, (index) => `h${index},B\xe4r,,,1\n`).toString(), 'latin1')]),
  file('CSV: a line of Windows-1252', (size) => [productHeader, 'a,A,"', Buffer.alloc(size, 0xe4), '",,1\n']),
  file('CSV: lines of Windows-1252 in a quote', (size) => [productHeader, 'a,A,"', Buffer.alloc(size, Buffer.from('\xe4\n', 'latin1')), '",,1\n']),
  file('CSV: NULs', (size) => [productHeader, Buffer.alloc(size)]),
]; // prettier-ignore

export const jsonShapes: readonly GrowingFile[] = [
  ...filesOf(shapes.json),
  file('JSON: arrays within arrays', (size) => [
    '{"type":"product","x":',
    fill(size / 2, '['),
    fill(size / 2, ']'),
    '}\n',
  ]),
];

const table = productHeader + Array.from({ length: 5 }, (_, row) => `h${row},A,,,1\n`).join('');

/** A gzip file whose header names a file. */
function gzipNamed(name: Buffer, content: Buffer): Buffer {
  const packed = gzipSync(content);
  packed[3] = 8;
  return Buffer.concat([packed.subarray(0, 10), name, Buffer.from([0]), packed.subarray(10)]);
}

const emptyMember = gzipSync(Buffer.alloc(0));

/** No more than the format's fields can number. */
const countEntries = (size: number, each: number): number => Math.min(Math.ceil(size / each), 65_000);

/** For every container that the import unpacks; workbooks have their own. */
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
