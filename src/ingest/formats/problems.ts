import { toTerminalLine } from '../../common/terminal';
import { ImportError, type Problem } from '../values/import-error';
import type { CatalogRecord } from './record';

/** The number of problems that are shown; the others are counted. */
const maxListed = 50;

/**
 * Reading ends at this many: nobody corrects a file line by line if every line is wrong, and each problem takes time.
 */
const maxProblems = 10_000;

/**
 * The number of latest problems that are not repeated: several columns of an object may be made from the same value.
 */
const repeatedWithin = 16;

/** Further kinds are counted together. */
const maxKinds = 200;

/**
 * The problems of the files of one import. Reading continues after a problem, so that people can correct all problems
 * of a file at once; nothing more is written.
 */
export class Problems {
  #count = 0;
  readonly #listed: ImportError[] = [];
  /** The messages of the latest problems, including their location. */
  readonly #latest: string[] = [];
  readonly #countByKind = new Map<string, number>();
  /** The problems of lines whose object has not been read yet. */
  readonly #open = new Map<number, readonly ImportError[]>();
  readonly #leftOut: ImportError[] = [];
  #fatal = false;
  /** The file being read. A problem in another file belongs to an object of this one, so it is fatal. */
  #file: string | undefined;
  #line: number | undefined;
  #sharesLines = false;

  /** @param maxLeftOut how many objects with problems may be left out */
  constructor(private readonly maxLeftOut = 0) {}

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @throws ImportError that lists the problems, when there are too many to continue */
  add(error: ImportError): void {
    if (this.#latest.includes(error.message)) return;
    if (this.#latest.push(error.message) > repeatedWithin) this.#latest.shift();
    if (this.#count >= maxProblems) this.throwAny();
    this.#count += 1;
    const { line, file } = toProblem(error);
    if (line === undefined || file !== this.#file) this.#fatal = true;
    else this.#open.set(line, [...(this.#open.get(line) ?? []), error]);
    if (this.#listed.length < maxListed) this.#listed.push(error);
    const kind = kindOf(error);
    if (this.#countByKind.has(kind) || this.#countByKind.size < maxKinds) {
      this.#countByKind.set(kind, (this.#countByKind.get(kind) ?? 0) + 1);
    }
  }

  /** Adds a problem of a whole file, which leaving out objects cannot resolve. */
  addFatal(error: ImportError): void {
    this.#fatal = true;
    this.add(error);
  }

  beginFile(name: string): void {
    this.#file = name;
    this.#line = undefined;
    this.#sharesLines = false;
  }

  /** For formats that read all objects before the first is complete. */
  beginObject(line: number): void {
    this.#sharesLines ||= line === this.#line;
    this.#line = line;
  }

  /** Once these are read: a problem on a line with several of them cannot be assigned to one. */
  endObjects(): void {
    if (this.#sharesLines && this.#open.size > 0 && this.maxLeftOut > 0)
      this.addFatal(
        new ImportError(
          `${this.#file}: --skip-invalid requires each object to start on its own line: reformat the file, for example with \`jq .\``,
        ),
      );
  }

  /** Whether all objects with problems may be left out. */
  get areTolerable(): boolean {
    if (this.#count === 0) return true;
    return this.maxLeftOut > 0 && !this.#fatal && this.#leftOut.length <= this.maxLeftOut;
  }

  /** The objects that are left out, if that is allowed, each with its first problem. */
  get leftOut(): readonly ImportError[] {
    return this.#leftOut;
  }

  /** Leaves an object of the file out, if it has problems; returns the first of them. */
  claim({ line, rows = [] }: Pick<CatalogRecord, 'line' | 'rows'>): ImportError | undefined {
    if (this.#open.size === 0) return undefined;
    const [first] = [line, ...rows].flatMap((at) => this.#take(at));
    if (first) this.#leftOut.push(first);
    return first;
  }

  /** At the end of a file, counts the other lines with problems, which belong to no object that could be read. */
  claimOthers(): void {
    for (const line of [...this.#open.keys()]) this.claim({ line });
  }

  #take(line: number): readonly ImportError[] {
    const found = this.#open.get(line) ?? [];
    this.#open.delete(line);
    return found;
  }

  /**
   * Returns what was read, or the substitute after a problem. Nothing is written after a problem, so the substitute is
   * never stored.
   */
  readOr<Value, Substitute>(read: () => Value, substitute: Substitute): Value | Substitute {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ImportError)) throw error;
      this.add(error);
      return substitute;
    }
  }

  /** @throws ImportError that lists them */
  throwAny(): void {
    const [first] = this.#listed;
    if (first === undefined) return;
    if (this.#count === 1) throw first;
    const count = this.#count === maxProblems ? `At least ${maxProblems}` : this.#count;
    const { length } = this.#leftOut;
    const where = this.maxLeftOut > 0 && length > this.maxLeftOut ? ` in ${length} objects (--skip-invalid allows ${this.maxLeftOut})` : ''; // prettier-ignore
    const rest = this.#count === 2 ? 'The other' : 'The others';
    const others = this.#count > this.#listed.length ? `The first ${this.#listed.length - 1} others` : rest;
    throw new ImportError(
      `${first.message}\n\n${count} problems found${where}. Nothing was imported. ${others}:\n${this.#list(first).join('\n')}`,
      {
        problems: { count: this.#count, list: this.#listed.map(toProblem) },
      },
    );
  }

  #list(shown: ImportError): string[] {
    const kinds = [...new Set(this.#listed.map(kindOf))];
    return kinds.flatMap((kind) => {
      const errors = this.#listed.filter((error) => error !== shown && kindOf(error) === kind);
      const [first] = errors;
      if (first === undefined) return [];
      const { file, field, kind: problem } = toProblem(first);
      const location = [file, field && toTerminalLine(field.replace(/\[\d+\]/g, '[]'))]
        .filter((part) => part !== undefined)
        .join(', ');
      const title = `${location === '' ? '' : `${location}: `}${problem ?? first.message}`;
      const count = this.#countByKind.get(kind) ?? errors.length;
      // A group has a common text. One problem has its own.
      if (count === 1) return ['', first.message];
      return ['', `${title} (${count} times)`, ...errors.map((error) => `  ${describe(toProblem(error))}`)];
    });
  }
}

const toProblem = (error: ImportError): Problem => error.problem ?? { message: error.message };

const describe = ({ line, field, detail, message }: Problem): string => {
  if (line === undefined || detail === undefined) return message;
  return `line ${line}${field?.includes('[') ? `, ${toTerminalLine(field)}` : ''}: ${detail}`;
};

function kindOf(error: ImportError): string {
  const { file = '', field = '', kind = error.message } = toProblem(error);
  return JSON.stringify([file, field.replace(/\[\d+\]/g, '[]'), kind]);
}
