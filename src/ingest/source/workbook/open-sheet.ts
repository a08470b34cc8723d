import { posix } from 'node:path';
import { ImportError } from '../../values/import-error';
import { listFirst, quotedName } from '../../values/display-names';
import type { DecimalSign } from '../../values/number-style';
import type { FileNotes } from '../file-notes';
import type { ZipArchive } from '../zip-archive';
import { builtInFormat, type NumberFormat, parseFormat } from './number-formats';
import { walkXml, type XmlHandler } from './read-xml';
import { SharedStrings } from './shared-strings';
import { Sheet, type WorkbookParts } from './sheet';

interface Request {
  /** The file's name, for messages. */
  readonly name: string;
  /** A sheet's name, or its number from 1. */
  readonly wanted: string | undefined;
  readonly decimal: DecimalSign | undefined;
  readonly notes: FileNotes;
}

interface SheetEntry extends Named {
  readonly path: string;
  readonly isHidden: boolean;
}

interface Relation {
  readonly type: string;
  readonly path: string;
}

/** The number of sheets that are searched for content. */
const maxSheets = 100;

/** Sheet names and ids are held in memory. Spreadsheet programs limit names to 31 characters. */
const maxNameLength = 255;

/** Workbooks list each style once; spreadsheets are limited to 65,490. */
const maxStyles = 100_000;

/** The usual paths within a workbook. */
const workbookPath = 'xl/workbook.xml';
const relationsPath = 'xl/_rels/workbook.xml.rels';

export const isWorkbook = (archive: ZipArchive): boolean => archive.pathOf(workbookPath) !== undefined;

/**
 * The sheet of a workbook that holds the data: the requested one, or the only one that is neither hidden nor blank.
 * @throws ImportError that lists the sheets when there are several
 */
export async function openSheet(archive: ZipArchive, { name: file, wanted, decimal, notes }: Request): Promise<Sheet> {
  const relations = await readRelations(archive, file);
  const { sheets, isFrom1904 } = await readWorkbook(archive, relations, file);
  const part = (type: string): string | undefined =>
    [...relations.values()].find((relation) => relation.type === type)?.path;
  const stylesPath = part('styles');
  const stringsPath = part('sharedStrings');
  const parts: WorkbookParts = {
    file,
    strings:
      stringsPath !== undefined
        ? await SharedStrings.read(archive.read(stringsPath), archive.expandedSize(stringsPath), file)
        : SharedStrings.none(file),
    formats: stylesPath !== undefined ? await readFormats(archive.read(stylesPath), file) : [],
    isFrom1904,
    decimal,
    notes,
  };
  const open = (sheet: SheetEntry): Promise<Sheet | undefined> =>
    Sheet.open(sheet.name, archive.read(sheet.path), parts);
  if (wanted !== undefined) {
    const sheet = sheets.find(({ name }) => name === wanted) ?? sheets[Number(wanted) - 1];
    if (!sheet)
      throw new ImportError(`${file}: sheet ${JSON.stringify(wanted)} not found; available: ${list(sheets) || 'none'}`);
    const opened = await open(sheet);
    if (!opened) throw new ImportError(`${file}: the sheet ${JSON.stringify(sheet.name)} is blank`);
    return opened;
  }
  const visible = sheets.filter(({ isHidden }) => !isHidden);
  if (visible.length > maxSheets) throw severalSheets(file, visible);
  const filled: Sheet[] = [];
  for (const entry of visible) {
    const sheet = await open(entry);
    if (sheet) filled.push(sheet);
  }
  const [only, ...others] = filled;
  if (only && others.length === 0) return only;
  for (const sheet of filled) await sheet.close();
  if (!only) throw new ImportError(`${file}: every visible sheet in the workbook is empty`);
  throw severalSheets(file, filled);
}

interface Named {
  readonly name: string;
}

const severalSheets = (file: string, sheets: readonly Named[]): Error =>
  new ImportError(`${file}: the workbook has several sheets; choose one with --sheet: ${list(sheets)}`);

const list = (sheets: readonly Named[]): string => listFirst(sheets, 10, ({ name }) => quotedName(name));

/** The parts that the workbook refers to, by id. Parts outside the file are ignored. */
async function readRelations(archive: ZipArchive, file: string): Promise<ReadonlyMap<string, Relation>> {
  const relations = new Map<string, Relation>();
  if (archive.pathOf(relationsPath) === undefined) return relations;
  // Pictures, printers, themes and the like are not read.
  const types = ['worksheet', 'styles', 'sharedStrings'];
  const open: XmlHandler['open'] = (name, { Id, Type, Target, TargetMode }) => {
    if (name !== 'Relationship' || Id === undefined || Target === undefined || TargetMode === 'External') return;
    const type = types.find((known) => known === posix.basename(Type ?? ''));
    // A path within the archive: it never resolves to anything outside.
    const path = archive.pathOf(posix.resolve('/xl', Target).slice(1));
    if (type === undefined || path === undefined) return;
    if (relations.size >= maxStyles || Id.length > maxNameLength) throw tooMuch(file);
    relations.set(Id, { type, path });
  };
  await walkXml(archive.read(relationsPath), { open }, { file, part: () => 'the relations of its parts' });
  return relations;
}

async function readWorkbook(
  archive: ZipArchive,
  relations: ReadonlyMap<string, Relation>,
  file: string,
): Promise<{ readonly sheets: readonly SheetEntry[]; readonly isFrom1904: boolean }> {
  const sheets: SheetEntry[] = [];
  let isFrom1904 = false;
  const open: XmlHandler['open'] = (name, attributes) => {
    if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
    if (name !== 'sheet') return;
    const id = Object.entries(attributes).find(([attribute]) => attribute.endsWith(':id'))?.[1] ?? '';
    const relation = relations.get(id);
    // Chart and dialog sheets have no cells.
    if (relation?.type !== 'worksheet') return;
    const { name: title = '' } = attributes;
    if (sheets.length >= maxStyles || title.length > maxNameLength) throw tooMuch(file);
    sheets.push({
      name: title,
      path: relation.path,
      isHidden: /hidden/i.test(attributes['state'] ?? ''),
    });
  };
  await walkXml(archive.read(workbookPath), { open }, { file, part: () => 'the list of its sheets' });
  return { sheets, isFrom1904 };
}

async function readFormats(chunks: AsyncIterable<Buffer>, file: string): Promise<readonly NumberFormat[]> {
  const custom = new Map<number, NumberFormat>();
  const formats: NumberFormat[] = [];
  let isCellFormat = false;
  const handler: XmlHandler = {
    open(name, { numFmtId = '0', formatCode }) {
      const id = Number(numFmtId);
      if (name === 'cellXfs') isCellFormat = true;
      else if (name === 'numFmt') custom.set(id, parseFormat((formatCode ?? '').slice(0, 1000)));
      else if (name === 'xf' && isCellFormat) formats.push(custom.get(id) ?? builtInFormat(id));
      if (formats.length > maxStyles || custom.size > maxStyles) throw tooMuch(file);
    },
    close(name) {
      if (name === 'cellXfs') isCellFormat = false;
    },
  };
  await walkXml(chunks, handler, { file, part: () => 'the styles' });
  return formats;
}

const tooMuch = (file: string): Error =>
  new ImportError(`${file}: the workbook is larger than spreadsheet programs allow`);
