/* eslint-disable no-control-regex -- the first bytes of binary files are control characters */
import { ImportError } from '../values/import-error';

const saveAs = 'save or export it as .xlsx or CSV';
const unpack = 'unpack it and import the file inside';

/** Files that contain no readable catalog, by their first bytes. */
const kinds: readonly (readonly [test: RegExp, kind: string, advice?: string])[] = [
  [/^[\x00-\xff]{257}ustar/, 'a tar archive', unpack],
  [/^%PDF-/, 'a PDF document'],
  [
    /^\x89PNG\r\n|^\xff\xd8\xff|^GIF8|^RIFF[\x00-\xff]{4}WEBP|^(?:II\*\x00|MM\x00\*)|^BM[\x00-\xff]{4}\x00{4}|^\x00\x00\x01\x00/,
    'an image',
  ],
  [/^7z\xbc\xaf/, 'a 7z archive', unpack],
  [/^Rar!\x1a/, 'a RAR archive', unpack],
  [/^BZh[1-9]1AY&SY/, 'a bzip2 file', unpack],
  [/^\xfd7zXZ\0/, 'an xz file', unpack],
  [/^\x28\xb5\x2f\xfd/, 'a zstd file', unpack],
  [/^SQLite format 3\0/, 'an SQLite database'],
  [/^PAR1/, 'a Parquet file'],
  [/^\{\\rtf/, 'an RTF document'],
  [/^\x09[\0\x02\x04\x08][\x04-\x10]\0/, 'an old Excel workbook (.xls)'],
  [
    /^\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1/,
    'an old Excel workbook (.xls) or Word document, or a password-protected Office file (remove the password)',
  ],
];

/** @throws ImportError when the kind of the file is known and unsupported */
export function refuseKnownKind(head: Buffer, name: string): void {
  const [, kind, advice = saveAs] = kinds.find(([test]) => test.test(head.toString('latin1', 0, 262))) ?? [];
  if (kind !== undefined) throw new ImportError(`${name}: this is ${kind}; ${advice}`);
}

export const isGzip = (head: Buffer): boolean => head[0] === 0x1f && head[1] === 0x8b;
export const isZip = (head: Buffer): boolean => /^PK(?:\x03\x04|\x05\x06)/.test(head.toString('latin1', 0, 4));

/** The kind of a document that is a zip archive, by the names inside. */
const zipKinds: readonly (readonly [test: RegExp, kind: string])[] = [
  [/^xl\/workbook\.bin$/i, 'a binary Excel workbook (.xlsb)'],
  [/^(?:Index\/Document\.iwa|Index\.zip)$/i, 'an Apple Numbers, Pages or Keynote document'],
  [/^word\/document\.xml$/i, 'a Word document'],
  [/^ppt\/presentation\.xml$/i, 'a PowerPoint presentation'],
  [/^META-INF\/manifest\.xml$/i, 'an OpenDocument file (.ods)'],
];

export function zipKindError(names: readonly string[], name: string): ImportError | undefined {
  const kind = zipKinds.find(([test]) => names.some((inside) => test.test(inside)))?.[1];
  return kind === undefined ? undefined : new ImportError(`${name}: this is ${kind}; ${saveAs}`);
}

/** Texts of unsupported kinds, by their beginning. */
const textKinds: readonly (readonly [test: RegExp, kind: string])[] = [
  [/base\.google\.com\/ns\/1\.0/, 'it is a product feed for Google Merchant or Facebook (XML)'],
  [/progid="Excel\.Sheet"|urn:schemas-microsoft-com:office:spreadsheet/, 'it is an Excel 2003 XML file'],
  [/wordpress\.org\/export/, 'it is a WordPress export (WXR)'],
  [/<!doctype html|<html|<table|<head>/i, 'it is an HTML page, regardless of its extension'],
];

/** The kind of a text that starts with `<`. */
export const describeMarkup = (beginning: string): string =>
  `${textKinds.find(([test]) => test.test(beginning.slice(0, 4096)))?.[1] ?? 'it is XML'}; ${saveAs}`;
