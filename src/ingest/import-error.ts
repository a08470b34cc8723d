import { NumberLiteral } from './values/number-literal';
import { maskAddresses } from '../privacy/addresses';

/** A mistake in what the user gave: the message is for people, and holds no e-mail address (D25). */
export class ImportError extends Error {
  override readonly name = 'ImportError';

  constructor(message: string, options?: { cause?: unknown }) {
    super(maskAddresses(message), options);
  }
}

/** A place in a file, and the way every complaint about it is worded. */
export class Place {
  constructor(
    readonly file: string,
    readonly line: number,
    readonly field?: string,
  ) {}

  at(field: string): Place {
    return new Place(this.file, this.line, field);
  }

  /** The error for a value that is not what was expected. */
  refuse(value: unknown, expected: string): ImportError {
    return new ImportError(`${this.toString()}: expected ${expected}, got ${shown(value)}`);
  }

  /** The error for anything else that is wrong here. */
  fault(problem: string): ImportError {
    return new ImportError(`${this.toString()}: ${problem}`);
  }

  toString(): string {
    return `${this.file}, line ${this.line}${this.field === undefined ? '' : `, ${this.field}`}`;
  }
}

/** A number as the file has it: as a value of JavaScript `1e999` would be none. */
const toText = (value: unknown): string => (value instanceof NumberLiteral ? value.text : JSON.stringify(value));

const maxShown = 80;

/** A value as an error message shows it. Masked before it is cut, or half an address could stay. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const whole = maskAddresses(typeof value === 'string' ? value.slice(0, 10_000) : toText(value).slice(0, 10_000));
  const text = whole.length > maxShown ? `${whole.slice(0, maxShown)}…` : whole;
  return typeof value === 'string' ? JSON.stringify(text) : text;
}
