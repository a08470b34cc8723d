import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, type Node } from 'yaml';
import { ImportError, SourceLocation } from '../values/import-error';

/** More than any map needs: the largest shipped map has a tenth of it. */
export const maxMapBytes = 64 * 1024;

const maxDepth = 12;

/** The source of a map, which locates errors. */
interface MapSource {
  readonly name: string;
  readonly lines: LineCounter;
}

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
   * @throws ImportError for invalid YAML, for a map that is too large or too deep, and for anchors, which maps do not
   * need
   */
  static parse(text: string, name: string): MapNode {
    if (Buffer.byteLength(text) > maxMapBytes) {
      throw new ImportError(`${name}: expected a map of at most ${maxMapBytes} bytes, got ${Buffer.byteLength(text)}`);
    }
    refuseDeepText(text, name);
    const lines = new LineCounter();
    const document = parseDocument(text, {
      schema: 'failsafe',
      lineCounter: lines,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const source = { name, lines };
    const [error] = [...document.errors, ...document.warnings];
    if (error) {
      throw new SourceLocation(name, lines.linePos(error.pos[0]).line).fault(
        `is not valid YAML: ${toSentence(error.message)}`,
      );
    }
    visit(document, {
      Alias: (_, { range }) => refuseAt(source, range?.[0], 'expected no alias (*name): write the value again'),
      Node: (_, { range, ...node }) => {
        if ('anchor' in node && node.anchor !== undefined) {
          refuseAt(source, range?.[0], 'expected no anchor (&name): write the value where it is used');
        }
        if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:')) {
          refuseAt(source, range?.[0], 'expected no tag (!name)');
        }
      },
    });
    const root = new MapNode(document.contents, source, '', 1);
    if (!isMap(document.contents)) throw root.refuse('a map: members such as "product:", each with what belongs to it');
    return root;
  }

  get isText(): boolean {
    return isScalar(this.node);
  }

  get isList(): boolean {
    return isSeq(this.node);
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

  oneOf<Word extends string>(words: readonly Word[]): Word {
    const text = this.text(words.join(' or '));
    const word = words.find((candidate) => candidate === text);
    if (word === undefined) throw this.refuse(words.join(' or '));
    return word;
  }

  items(expected: string): readonly MapNode[] {
    if (!isSeq(this.node) || this.node.items.length === 0) throw this.refuse(expected);
    return this.node.items.map((item, index) => this.#inner(item as Node | null, `${this.path}[${index}]`));
  }

  /** The members of a table with arbitrary names. */
  entries(expected: string): readonly (readonly [name: string, value: MapNode])[] {
    if (!isMap(this.node) || this.node.items.length === 0) throw this.refuse(expected);
    return this.node.items.map(({ key, value }) => {
      const name = isScalar(key) && typeof key.value === 'string' ? key.value : undefined;
      const at = this.#inner(key as Node, this.path);
      if (name === undefined) throw at.refuse('the name of a member');
      const path = this.path === '' ? name : `${this.path}.${name}`;
      return [name, this.#inner(value as Node | null, path, at.line)];
    });
  }

  /** @throws ImportError for an unknown member */
  table<Name extends string>(known: readonly Name[], expected: string): MapTable<Name> {
    const entries = this.entries(expected);
    for (const [name, value] of entries) {
      if (!known.some((one) => one === name))
        throw value.fault(`is not a member of a map here; expected one of ${known.join(', ')}`);
    }
    return new MapTable(this, new Map(entries));
  }

  fault(problem: string): ImportError {
    return this.#location().fault(problem);
  }

  refuse(expected: string): ImportError {
    // Not its content: the library writes a key within a key within a key with quotes that double each time.
    if (isSeq(this.node)) return this.fault(`expected ${expected}, got a list`);
    if (isMap(this.node)) return this.fault(`expected ${expected}, got a table`);
    return this.#location().refuse(isScalar(this.node) ? this.node.value : undefined, expected);
  }

  #location(): SourceLocation {
    return new SourceLocation(this.source.name, this.line, this.path === '' ? undefined : this.path.slice(0, 200));
  }

  #inner(node: Node | null, path: string, line = this.line): MapNode {
    const at = node?.range?.[0];
    return new MapNode(node, this.source, path, at === undefined ? line : this.source.lines.linePos(at).line);
  }
}

/** A table whose members are all known. */
export class MapTable<Name extends string> {
  constructor(
    readonly node: MapNode,
    private readonly members: ReadonlyMap<string, MapNode>,
  ) {}

  get(name: Name): MapNode | undefined {
    return this.members.get(name);
  }

  has(name: Name): boolean {
    return this.members.has(name);
  }

  required(name: Name, why: string): MapNode {
    const found = this.members.get(name);
    if (found === undefined) throw this.node.fault(`expected a member "${name}": ${why}`);
    return found;
  }
}

function refuseAt({ name, lines }: MapSource, offset: number | undefined, problem: string): never {
  throw new SourceLocation(name, lines.linePos(offset ?? 0).line).fault(problem);
}

/** The parser is recursive, and a valid map has little nesting. */
function refuseDeepText(text: string, name: string): void {
  text.split('\n').forEach((line, index) => {
    const nested = line.match(/[[{]|[-?:](?=\s)/g)?.length ?? 0;
    const indent = /^ */.exec(line)?.[0].length ?? 0;
    if (nested > maxNestedSigns || indent > maxIndent) {
      throw new SourceLocation(name, index + 1).fault(`expected values nested at most ${maxDepth} deep`);
    }
  });
  if ((text.match(/[[{]/g)?.length ?? 0) > maxBrackets)
    throw new ImportError(`${name}: expected at most ${maxBrackets} brackets`);
}

const maxNestedSigns = 200;
const maxIndent = 200;
const maxBrackets = 2000;

const toSentence = (message: string): string => (message.split('\n')[0] ?? '').replace(/[:.]$/, '');
