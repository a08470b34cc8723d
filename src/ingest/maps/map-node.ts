import { isCollection, isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Node } from 'yaml';
import { ImportError, SourceLocation } from '../values/import-error';

/** More than any map needs: the largest shipped map has a tenth of it. */
export const maxMapBytes = 64 * 1024;

/** The names by which a column is looked up, in this order, as one text. */
export type Column = string;

const betweenNames = '\0';
export const namesOf = (column: Column): readonly string[] => column.split(betweenNames);

/** A column that a map names, and where: `product.title`, `rows.skip_when[0].column`. */
export interface NamedColumn {
  readonly column: Column;
  readonly path: string;
}

/** The source of a map, which locates errors. */
interface MapSource {
  readonly name: string;
  readonly lines: LineCounter;
  /** The columns read so far. */
  readonly columns: NamedColumn[];
}

type Members = Readonly<Record<string, (node: MapNode) => unknown>>;

/** The values of a table, by the readers of its members. */
export type TableOf<Known extends Members, Needed> = {
  readonly [Name in keyof Known as Name extends Needed ? Name : never]: ReturnType<Known[Name]>;
} & { readonly [Name in keyof Known as Name extends Needed ? never : Name]?: ReturnType<Known[Name]> };

const columnExpected = 'a column name, or a list of column names, tried in order';

/**
 * A value of a map file, with its line. All plain values are text: `Yes`, `1.0` and `0012` are column names and words
 * of cells, not booleans and numbers.
 */
export class MapNode {
  private constructor(
    private readonly node: Node | null,
    private readonly source: MapSource,
    private readonly path: string,
    private readonly line: number,
  ) {}

  /**
   * @throws ImportError for invalid YAML, for a map that is too large or too deep, and for anchors and tags, which maps
   * do not need
   */
  static parse(text: string, name: string): MapNode {
    if (Buffer.byteLength(text) > maxMapBytes) {
      throw new ImportError(`${name}: expected a mapping file of at most ${maxMapBytes} bytes, got more`);
    }
    const lines = new LineCounter();
    const document = parseDocument(text, {
      schema: 'failsafe',
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const refuseAt = (offset: number | undefined, problem: string): never => {
      throw new SourceLocation(name, lines.linePos(offset ?? 0).line).fault(problem);
    };
    const [error] = [...document.errors, ...document.warnings];
    if (error?.code === 'RESOURCE_EXHAUSTION') refuseAt(error.pos[0], 'values are nested too deeply');
    if (error)
      refuseAt(error.pos[0], `is not valid YAML: ${(error.message.split('\n')[0] ?? '').replace(/[:.]$/, '')}`);
    visit(document, {
      Alias: (_, { range }) => refuseAt(range?.[0], 'YAML aliases (*name) are not supported: repeat the value'),
      Value: (_, { range, anchor }) => {
        if (anchor !== undefined)
          refuseAt(range?.[0], 'YAML anchors (&name) are not supported: write the value where it is used');
      },
    });
    const root = new MapNode(document.contents, { name, lines, columns: [] }, '', 1);
    if (!isMap(document.contents)) throw root.refuse('a mapping file with keys such as "product:"');
    return root;
  }

  /** All columns that the map has named so far. */
  get columns(): readonly NamedColumn[] {
    return this.source.columns;
  }

  get isText(): boolean {
    return isScalar(this.node);
  }

  get isList(): boolean {
    return isSeq(this.node);
  }

  get location(): SourceLocation {
    return new SourceLocation(this.source.name, this.line, this.path === '' ? undefined : this.path.slice(0, 200));
  }

  /** @param expected for the error, when the value is of another type or missing */
  text(expected: string): string {
    const value = isScalar(this.node) ? this.node.value : undefined;
    if (typeof value !== 'string' || value.trim() === '') throw this.refuse(expected);
    return value;
  }

  /** Text that may be empty. */
  anyText(expected: string): string {
    if (this.node === null) return '';
    const value = isScalar(this.node) ? (this.node.value ?? '') : undefined;
    if (typeof value !== 'string') throw this.refuse(expected);
    return value;
  }

  oneOf<Word extends string>(words: readonly Word[], expected = words.join(' or ')): Word {
    const text = this.text(expected);
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw this.refuse(expected);
    return word;
  }

  items(expected: string): readonly MapNode[] {
    if (!isSeq(this.node) || this.node.items.length === 0) throw this.refuse(expected);
    return this.node.items.map((item, index) => this.#inner(item as Node | null, `${this.path}[${index}]`));
  }

  /** A list, or its only item. */
  oneOrMore(expected: string): readonly MapNode[] {
    return this.isList ? this.items(expected) : [this];
  }

  /** The names of a column. */
  names(): Column {
    const names = this.oneOrMore(columnExpected).map((name) => {
      const text = name.text(columnExpected).trim();
      if (text.length > 200) throw name.refuse('a column name of at most 200 characters');
      return text;
    });
    return names.join(betweenNames);
  }

  /** A column that the map reads. */
  column(): Column {
    const column = this.names();
    this.source.columns.push({ column, path: this.path });
    return column;
  }

  /** The members of a table with arbitrary names. */
  entries(expected: string): readonly (readonly [name: string, value: MapNode])[] {
    if (!isMap(this.node) || this.node.items.length === 0) throw this.refuse(expected);
    return this.node.items.map(({ key, value }) => {
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
      const at = this.#inner(key as Node, this.path);
      if (name === undefined) throw at.refuse('a key');
      const path = this.path === '' ? name : `${this.path}.${name}`;
      return [name, this.#inner(value as Node | null, path, at.line)];
    });
  }

  /**
   * The members of a table, each read by its reader.
   * @param needed those that must be there, with the reason
   * @throws ImportError for an unknown member
   */
  table<Known extends Members, Needed extends keyof Known & string = never>(
    known: Known,
    expected: string,
    needed?: Readonly<Record<Needed, string>>,
  ): TableOf<Known, Needed> {
    const given = new Map(this.entries(expected));
    for (const [name, value] of given)
      if (!Object.hasOwn(known, name))
        throw value.fault(`unknown key; expected one of ${Object.keys(known).join(', ')}`);
    const read: Record<string, unknown> = {};
    for (const [name, reader] of Object.entries(known)) {
      const value = given.get(name);
      if (value) read[name] = reader(value);
    }
    for (const [name, why] of Object.entries(needed ?? {}))
      if (read[name] === undefined) throw this.fault(`expected a key "${name}": ${String(why)}`);
    return read as TableOf<Known, Needed>;
  }

  /** The place of a member, for an error about it. */
  at(name: string): MapNode {
    return this.entries('').find(([one]) => one === name)?.[1] ?? this;
  }

  fault(problem: string): ImportError {
    return this.location.fault(problem);
  }

  refuse(expected: string): ImportError {
    // Does not quote it: the library writes nested keys with quotes that double at each level.
    if (isCollection(this.node))
      return this.fault(
        `expected ${expected}, got ${this.node.items.length === 0 ? 'an empty' : 'a'} ${this.isList ? 'list' : 'mapping'}`,
      );
    return this.location.refuse(isScalar(this.node) ? this.node.value : undefined, expected);
  }

  #inner(node: Node | null, path: string, line = this.line): MapNode {
    const at = node?.range?.[0];
    return new MapNode(node, this.source, path, at === undefined ? line : this.source.lines.linePos(at).line);
  }
}

/** A variant with more options than this is invalid. */
const maxOptions = 20;

const numbers = Array.from({ length: maxOptions }, (_, index) => String(index + 1));
const known = new Map<Column, readonly Column[]>();

/** A column whose name has a number in place of `{n}`, for each of them. */
export function numbered(column: Column): readonly Column[] {
  const columns = known.get(column) ?? numbers.map((number) => column.replaceAll('{n}', number));
  known.set(column, columns);
  return columns;
}
