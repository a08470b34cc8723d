import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  readonly isStored?: boolean;
  /** Wrong metadata, for malicious archives. */
  readonly claims?: {
    readonly size?: number;
    readonly checksum?: number;
    readonly method?: number;
    readonly flags?: number;
  };
}

/** A zip archive as programs write it: local headers, data, directory. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, isStored = false, claims = {} } of entries) {
    const data = Buffer.from(content);
    const packed = isStored ? data : deflateRawSync(data);
    const fileName = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(claims.flags ?? 0x800, 2);
    common.writeUInt16LE(claims.method ?? (isStored ? 0 : 8), 4);
    common.writeUInt32LE(claims.checksum ?? crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claims.size ?? data.length, 18);
    common.writeUInt16LE(fileName.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, fileName, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, fileName]));
    parts.push(local);
    offset += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

/** A cell of a workbook: text, or the cell's XML after its reference (`t="b"><v>1</v>`). */
export type CellSpec = string | { readonly raw: string };

export interface SheetSpec {
  readonly name: string;
  readonly rows: readonly (readonly CellSpec[])[];
  readonly state?: string;
  /** Used instead of the rows. */
  readonly xml?: string;
}

export interface WorkbookSpec {
  readonly sheets: readonly SheetSpec[];
  readonly strings?: 'shared' | 'inline';
  readonly isFrom1904?: boolean;
  /** Custom formats: the first is style 1. */
  readonly formats?: readonly string[];
  /** The namespace prefix of elements, as some programs write it. */
  readonly prefix?: string;
  readonly hasReferences?: boolean;
  readonly isStored?: boolean;
  readonly sharedStringsXml?: string;
  readonly others?: readonly ZipEntry[];
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationship = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Characters that XML cannot represent. */
// eslint-disable-next-line no-control-regex -- it is about control characters
const unwritable = /[\0-\x08\x0b-\x1f\ufffe\uffff]/g;

const toXml = (text: string): string =>
  text
    .replace(/_(?=x[0-9a-fA-F]{4}_)/g, '_x005F_')
    .replace(unwritable, (sign) => `_x${sign.charCodeAt(0).toString(16).padStart(4, '0')}_`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const columnName = (index: number): string =>
  (index >= 26 ? columnName(Math.floor(index / 26) - 1) : '') + String.fromCharCode(65 + (index % 26));

/** A workbook as spreadsheet programs write it, without empty cells. */
export function workbook(spec: WorkbookSpec): Buffer {
  const { sheets, strings = 'shared', prefix = '', hasReferences = true, formats = [], isStored = false } = spec;
  const shared = new Map<string, number>();
  const x = prefix === '' ? '' : `${prefix}:`;
  const element = (name: string, content: string, attributes = ''): string =>
    `<${x}${name}${attributes}>${content}</${x}${name}>`;
  const root = (name: string, content: string): string =>
    declaration +
    element(name, content, ` xmlns${prefix === '' ? '' : `:${prefix}`}="${main}" xmlns:r="${relationship}"`);
  const toCell = (cell: CellSpec, row: number, column: number): string => {
    if (cell === '' && hasReferences) return '';
    const reference = hasReferences ? ` r="${columnName(column)}${row + 1}"` : '';
    if (typeof cell !== 'string') return element('c', '', reference).replace(`></${x}c>`, ` ${cell.raw}</${x}c>`);
    const text = element('t', toXml(cell), ' xml:space="preserve"');
    if (strings === 'inline') return element('c', element('is', text), `${reference} t="inlineStr"`);
    if (!shared.has(cell)) shared.set(cell, shared.size);
    return element('c', element('v', String(shared.get(cell))), `${reference} t="s"`);
  };
  const toSheet = ({ rows, xml }: SheetSpec): string =>
    xml ??
    root(
      'worksheet',
      element(
        'sheetData',
        rows
          .map((cells, row) =>
            element(
              'row',
              cells.map((cell, column) => toCell(cell, row, column)).join(''),
              hasReferences ? ` r="${row + 1}"` : '',
            ),
          )
          .join(''),
      ),
    );
  const sheetEntries = sheets.map((sheet, index) => ({
    name: `xl/worksheets/sheet${index + 1}.xml`,
    content: toSheet(sheet),
  }));
  const relations = (list: readonly (readonly [id: string, type: string, target: string])[]): string =>
    `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
      .map(([id, type, target]) => `<Relationship Id="${id}" Type="${relationship}/${type}" Target="${target}"/>`)
      .join('')}</Relationships>`;
  const styles = element(
    'numFmts',
    formats.map((code, index) => `<${x}numFmt numFmtId="${164 + index}" formatCode="${toXml(code)}"/>`).join(''),
  );
  const entries: ZipEntry[] = [
    {
      name: '[Content_Types].xml',
      content: `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
    },
    { name: '_rels/.rels', content: relations([['rId1', 'officeDocument', 'xl/workbook.xml']]) },
    {
      name: 'xl/workbook.xml',
      content: root(
        'workbook',
        `<${x}workbookPr${spec.isFrom1904 === true ? ' date1904="1"' : ''}/>` +
          element(
            'sheets',
            sheets
              .map(
                ({ name, state }, index) =>
                  `<${x}sheet name="${toXml(name)}" sheetId="${index + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${index + 1}"/>`,
              )
              .join(''),
          ),
      ),
    },
    {
      name: 'xl/_rels/workbook.xml.rels',
      content: relations([
        ...sheets.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
        ['rId900', 'styles', 'styles.xml'],
        ['rId901', 'sharedStrings', '/xl/sharedStrings.xml'],
      ]),
    },
    {
      name: 'xl/styles.xml',
      content: root(
        'styleSheet',
        styles +
          element('cellStyleXfs', `<${x}xf numFmtId="14"/>`) +
          element(
            'cellXfs',
            `<${x}xf numFmtId="0"/>${formats.map((_, index) => `<${x}xf numFmtId="${164 + index}"/>`).join('')}`,
          ),
      ),
    },
    ...sheetEntries,
    ...(spec.others ?? []),
  ];
  const sst = spec.sharedStringsXml ?? root('sst', [...shared.keys()].map((text) => element('si', element('t', toXml(text), ' xml:space="preserve"'))).join('')); // prettier-ignore
  if (strings === 'shared') entries.push({ name: 'xl/sharedStrings.xml', content: sst });
  return zip(entries.map((entry) => ({ ...entry, isStored })));
}

export const encodings = ['utf-8', 'utf-8 with a mark', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type EncodingName = (typeof encodings)[number];

const signsOf1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

export function encode(text: string, encoding: EncodingName): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text);
    case 'utf-8 with a mark':
      return Buffer.from(`\ufeff${text}`);
    case 'utf-16le':
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    case 'utf-16be':
      return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
    case 'windows-1252':
      return Buffer.from(
        [...text].map((sign) =>
          signsOf1252.includes(sign) && sign !== ' ' ? signsOf1252.indexOf(sign) + 0x80 : sign.charCodeAt(0),
        ),
      );
  }
}

export const containers = ['none', 'gzip', 'gzip in two members', 'zip', 'zip without compression'] as const;
export type Container = (typeof containers)[number];

export function pack(bytes: Buffer, container: Container): Buffer {
  switch (container) {
    case 'none':
      return bytes;
    case 'gzip':
      return gzipSync(bytes);
    case 'gzip in two members':
      return Buffer.concat([gzipSync(bytes.subarray(0, bytes.length / 2)), gzipSync(bytes.subarray(bytes.length / 2))]);
    case 'zip':
      return zip([{ name: 'exports/', content: '', isStored: true }, { name: 'exports/products.csv', content: bytes }, { name: '__MACOSX/exports/._products.csv', content: 'x' }]); // prettier-ignore
    case 'zip without compression':
      return zip([{ name: 'products.csv', content: bytes, isStored: true }]);
  }
}

export function csv(
  rows: readonly (readonly string[])[],
  delimiter: string,
  newline: string,
  quotesAll = false,
): string {
  const quote = (cell: string): string =>
    quotesAll || /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return rows.map((cells) => cells.map(quote).join(delimiter) + newline).join('');
}
