import { toTerminalLine } from '../../common/terminal';
import { ImportError, type Problem } from '../values/import-error';

/** The number of problems that are shown; the others are counted. */
const maxListed = 50;

/**
 * Reading ends with this many: a file of which each line is wrong is not corrected line by line, and each problem takes
 * time.
 */
const maxProblems = 10_000;

/** Columns of one object may be made from the same value, which is then read more than once. */
const repeatedWithin = 16;

/** Further kinds than this are counted together. */
const maxKinds = 200;

/**
 * The problems of the files of one import. Reading continues after a problem, so that people can correct all problems
 * of a file at once; nothing more is written.
 */
export class Problems {
  #count = 0;
  readonly #listed: ImportError[] = [];
  /** The messages of the last problems, each of which names its place. */
  readonly #latest: string[] = [];
  readonly #countByKind = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** @throws ImportError that lists the problems, when there are too many to continue */
  add(error: ImportError): void {
    if (this.#latest.includes(error.message)) return;
    if (this.#latest.push(error.message) > repeatedWithin) this.#latest.shift();
    if (this.#count >= maxProblems) this.throwAny();
    this.#count += 1;
    if (this.#listed.length < maxListed) this.#listed.push(error);
    const kind = kindOf(error);
    if (this.#countByKind.has(kind) || this.#countByKind.size < maxKinds) {
      this.#countByKind.set(kind, (this.#countByKind.get(kind) ?? 0) + 1);
    }
  }

  /**
   * Returns what was read, or the substitute after a problem. Nothing is written after a problem, so the substitute is
   * never stored.
   */
  collect<Value, Substitute>(read: () => Value, substitute: Substitute): Value | Substitute {
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
    const count = this.#count === maxProblems ? `reading ended after ${maxProblems}` : this.#count;
    const introduction = this.#count > this.#listed.length ? `; the first ${this.#listed.length} are` : ':';
    throw new ImportError(
      `${first.message}\n\nNothing was written: ${count} problems${introduction}\n${this.#list().join('\n')}`,
      {
        problems: { count: this.#count, list: this.#listed.map(toProblem) },
      },
    );
  }

  #list(): string[] {
    const kinds = [...new Set(this.#listed.map(kindOf))];
    return kinds.flatMap((kind) => {
      const errors = this.#listed.filter((error) => kindOf(error) === kind);
      const [first] = errors as [ImportError];
      const { file, field, kind: problem } = toProblem(first);
      const location = [file, field && toTerminalLine(field.replace(/\[\d+\]/g, '[]'))]
        .filter((part) => part !== undefined)
        .join(', ');
      const title = `${location === '' ? '' : `${location}: `}${problem ?? first.message}`;
      return [
        '',
        `${title} (${times(this.#countByKind.get(kind) ?? errors.length)})`,
        ...errors.map((error) => `  ${describe(toProblem(error))}`),
      ];
    });
  }
}

const toProblem = (error: ImportError): Problem => error.problem ?? { message: error.message };

const describe = ({ line, field, detail, message }: Problem): string => {
  if (line === undefined || detail === undefined) return message;
  return `line ${line}${field?.includes('[') ? `, ${toTerminalLine(field)}` : ''}: ${detail}`;
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

function kindOf(error: ImportError): string {
  const { file = '', field = '', kind = error.message } = toProblem(error);
  return JSON.stringify([file, field.replace(/\d+/g, ''), kind]);
}
