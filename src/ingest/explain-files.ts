import { shorten } from '../common/one-line';
import { maskAddresses } from '../privacy/addresses';
import { DroppedCounter } from './formats/dropped';
import { LinkedRows } from './formats/linked-rows';
import { detectFormat } from './detect-format';
import type { Format, JsonExplained, ReadColumn, ReadContext, TableExplained } from './formats/format';
import { descriptionOf, type FormatName } from './formats/descriptions';
import { ImportError, SourceLocation, toJsonText } from './values/import-error';
import { openMap } from './open-map';
import { Problems } from './formats/problems';
import { readJsonElements } from './source/json-elements';
import type { ReadingOptions } from './source/reading-options';
import { SourceFile, type ReadAs } from './source/source-file';
import { isJsonObject } from '../common/parse-json';
import { isText, parseJsonLine, type JsonObject } from './values/json-line';

/** How a file would be read. Contains no e-mail address. */
export interface FileExplanation extends ReadAs {
  readonly file: string;
  readonly format: string;
  readonly description: string;
  readonly recognizedBy: 'content' | 'format' | 'map';
  /** In file order. */
  readonly columns: readonly ExplainedColumn[];
  /** Columns or members that the format expects and that the file, or its beginning, lacks. */
  readonly missing: readonly string[];
}

interface ExplainedColumn {
  readonly name: string;
  /** The field that it becomes; null for what is not read. */
  readonly becomes: string | null;
  /** The first non-blank value in the beginning of the file. */
  readonly example: string | null;
}

interface ExplainOptions {
  readonly files: readonly string[];
  readonly format: FormatName | 'auto';
  readonly map?: string | undefined;
  readonly reading?: ReadingOptions;
}

/**
 * Explains the beginning of each file. Needs neither a shop nor a database.
 * @throws ImportError for a file in no known format
 */
export async function explainFiles({ files, format, map, reading }: ExplainOptions): Promise<FileExplanation[]> {
  const wanted = map === undefined ? format : await openMap(map);
  const explained: FileExplanation[] = [];
  for (const file of files) {
    const source = await SourceFile.open(file, reading);
    try {
      explained.push(await explain(source, wanted));
    } finally {
      await source.close();
    }
  }
  return explained;
}

async function explain(source: SourceFile, wanted: FormatName | 'auto' | readonly Format[]): Promise<FileExplanation> {
  const { format, sample } = detectFormat(source, wanted);
  const explained =
    'column' in format.explains
      ? await explainTable(source, format, format.explains, sample.rows)
      : await explainJson(source, format.explains);
  return {
    file: source.name,
    ...source.readAs,
    format: format.name,
    description: descriptionOf(format),
    recognizedBy: typeof wanted !== 'string' ? 'map' : wanted === 'auto' ? 'content' : 'format',
    ...explained,
  };
}

/** Lets the format itself report which columns it finds. */
async function explainTable(
  source: SourceFile,
  format: Format,
  { column }: TableExplained,
  rows: readonly (readonly string[])[],
): Promise<Pick<FileExplanation, 'columns' | 'missing'>> {
  let missing: readonly string[] = [];
  let read: readonly ReadColumn[] = [];
  const context: ReadContext = {
    dropped: new DroppedCounter(),
    problems: new Problems(),
    dateFormat: undefined,
    domain: '',
    asOf: '',
    keepsIds: false,
    isPartial: false,
    warn: () => undefined,
    noteColumns: (isMissing, _, isRead = []) => {
      [missing, read] = [isMissing, isRead];
    },
    joined: new LinkedRows(),
  };
  source.endsAfterHeader = true;
  try {
    for await (const _ of format.read(source, context)) break;
  } catch (error) {
    // A header that an import would refuse is explained as far as it is read.
    if (!(error instanceof ImportError) || read.length === 0) throw error;
  }
  const becomes = (index: number): string | null => {
    const meanings = read.filter((one) => one.index === index).map((one) => column(one.column));
    return meanings.length === 0 ? null : [...new Set(meanings.flatMap((meaning) => meaning.split(', ')))].join(', ');
  };
  return { columns: toColumns(rows, becomes), missing: missing.map(abbreviate) };
}

function toColumns(
  [header = [], ...rows]: readonly (readonly string[])[],
  becomes: (index: number) => string | null,
): readonly ExplainedColumn[] {
  return header.flatMap((name, index) => {
    if (name.trim() === '') return [];
    const value = rows.map((cells) => cells[index] ?? '').find((cell) => cell.trim() !== '');
    return [
      {
        name: abbreviate(name.trim()),
        becomes: becomes(index),
        example: value === undefined ? null : abbreviate(value.trim()),
      },
    ];
  });
}

const maxElements = 50;

/** Describes the members of the first objects. */
async function explainJson(
  source: SourceFile,
  explains: JsonExplained,
): Promise<Pick<FileExplanation, 'columns' | 'missing'>> {
  const { expected, others, wrappers, prefixOf = () => '' } = explains;
  const meanings = { ...expected, ...others };
  const examples = new Map<string, string | null>();
  const prefixes = new Set<string>();
  const note = (object: JsonObject, prefix: string): void => {
    prefixes.add(prefix);
    for (const [name, value] of Object.entries(object)) {
      const path = prefix + name;
      const inner = Array.isArray(value) ? value.filter(isJsonObject) : [];
      const isEntered = Object.keys(meanings).some((known) => known.startsWith(`${path}.`));
      if (examples.size < maxMembers || examples.has(path)) {
        examples.set(
          path,
          examples.get(path) ??
            (isEntered && inner.length > 0
              ? `${inner.length} ${inner.length === 1 ? 'object' : 'objects'}`
              : exampleOf(value)),
        );
      }
      if (isEntered) for (const item of inner) note(item, `${path}.`);
    }
  };
  let count = 0;
  for await (const { line, text } of readJsonElements(source, wrappers)) {
    const object = parseJsonLine(text, new SourceLocation(source.name, line));
    const prefix = prefixOf(object);
    if (prefix !== undefined) note(object, prefix);
    count += 1;
    if (count === maxElements) break;
  }
  const isSeen = (name: string): boolean => prefixes.has(name.slice(0, name.lastIndexOf('.') + 1));
  return {
    columns: [...examples].map(([name, example]) => ({
      name: abbreviate(name),
      becomes: Object.hasOwn(meanings, name) ? (meanings[name] ?? null) : null,
      example,
    })),
    missing: Object.keys(expected).filter((name) => !examples.has(name) && isSeen(name)),
  };
}

const maxMembers = 500;

function exampleOf(value: unknown): string | null {
  if (value === null || value === '') return null;
  return abbreviate(isText(value) ? value : toJsonText(value));
}

const maxCharacters = 60;

/** Formats an example on one line. It is masked before it is cut, or half an address could remain. */
function abbreviate(text: string): string {
  return shorten(maskAddresses(text.slice(0, 2000)).replace(/\s+/g, ' '), maxCharacters);
}
