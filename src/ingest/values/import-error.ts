import { shorten } from '../../common/one-line';
import { maskAddresses } from '../../privacy/addresses';
import { toTerminalLine } from '../../common/terminal';

/** A mistake in the user's input: the message is for people, and contains no e-mail address (D25). */
export class ImportError extends Error {
  override readonly name = 'ImportError';

  /** The parts of the message; undefined where the error has no place in a file. */
  readonly problem: Problem | undefined;
  /** Further problems, for an error that represents several. */
  readonly problems: ProblemList | undefined;

  constructor(message: string, { cause, problem, problems }: ImportErrorOptions = {}) {
    super(maskAddresses(message), { cause });
    // V8's stack would keep the rows that its frames reference: with many problems, the whole file.
    this.stack = message;
    this.problem = problem && { ...problem, message: this.message };
    this.problems = problems;
  }
}

interface ImportErrorOptions {
  readonly cause?: unknown;
  readonly problem?: Omit<Problem, 'message'>;
  readonly problems?: ProblemList;
}

/** One problem of a file. */
export interface Problem {
  readonly file?: string;
  readonly line?: number;
  readonly field?: string | undefined;
  /** The part of the message that problems of one kind share. */
  readonly kind?: string;
  /** The part that is specific to this problem. */
  readonly detail?: string;
  readonly message: string;
}

interface ProblemList {
  readonly count: number;
  /** The first of them. */
  readonly list: readonly Problem[];
}

/** A location in a file, and the common wording of errors about it. */
export class SourceLocation {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly field?: string,
  ) {}

  at(field: string): SourceLocation {
    return new SourceLocation(this.file, this.line, field);
  }

  /** The location of a member or an item inside this one. */
  inside(field: string): SourceLocation {
    return this.at(this.field === undefined ? field : `${this.field}.${field}`);
  }

  /** The error for an unexpected value. */
  refuse(value: unknown, expected: string): ImportError {
    return this.#error(
      `expected ${expected}, got ${describe(value)}`,
      `expected ${expected}`,
      `got ${describe(value)}`,
    );
  }

  /** The error for any other problem here. */
  fault(problem: string): ImportError {
    return this.#error(problem, problem.replace(/"(?:[^"\\]|\\.)+"|(?<!\w|\w-)\d+/g, '…'), problem);
  }

  #error(message: string, kind: string, detail: string): ImportError {
    const { file, line, field } = this;
    return new ImportError(`${this.toString()}: ${message}`, {
      problem: { file, line, field, kind: maskAddresses(kind), detail: maskAddresses(detail) },
    });
  }

  toString(): string {
    return `${this.file}, line ${this.line}${this.field === undefined ? '' : `, ${toTerminalLine(this.field)}`}`;
  }
}

/** Marks a text that is a number in the file, with its digits. No other text of JSON has this character. */
export const numberMark = '\0';

/** JSON with the numbers of the file. */
export const toJsonText = (value: unknown): string => JSON.stringify(value).replace(/"\\u0000([^"]*)"/g, '$1');

const maxCharacters = 80;

/** A value as an error message shows it. It is masked before it is cut, or half an address could remain. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const isText = typeof value === 'string' && !value.startsWith(numberMark);
  const text = shorten(maskAddresses((isText ? value : toJsonText(value)).slice(0, 10_000)), maxCharacters);
  return isText ? JSON.stringify(text) : text;
}
