import { randomUUID } from 'node:crypto';

/**
 * A value that is JSON text already, somewhere inside a value that is not. What the database or an earlier answer has put
 * into its final form is then copied, and not read and written again.
 */
export class FinishedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For whoever writes it by other means than `stringify`: correct, and as slow as anything else. */
  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.text);
    collected.push(this.text);
    return placeholder;
  }
}

/** Stands where a finished text belongs. Nobody outside this process can know it, so no value can contain it. */
const placeholder = randomUUID();
const writtenPlaceholder = JSON.stringify(placeholder);

/** The finished texts in the value that is being written, in order of appearance. */
let collected: string[] | undefined;

/**
 * The same text in pieces, for a value that would take long to write at once: each entry of a list of objects is a piece, however deep
 * the list lies in other objects.
 */
export function* stringifyInPieces(value: unknown): Generator<string, void> {
  if (Array.isArray(value) && isObject(value[0])) {
    for (const [index, item] of value.entries()) yield (index === 0 ? '[' : ',') + stringify(item);
    yield ']';
  } else if (isObject(value) && !Array.isArray(value)) {
    let separator = '{';
    for (const [name, member] of Object.entries(value)) {
      yield `${separator}${JSON.stringify(name)}:`;
      yield* stringifyInPieces(member);
      separator = ',';
    }
    yield separator === '{' ? '{}' : '}';
  } else {
    yield stringify(value);
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof FinishedJson);

/** Writes a value as JSON.stringify does, finished parts as what they are. */
export function stringify(value: unknown): string {
  if (value instanceof FinishedJson) return value.text;
  const finished: string[] = [];
  collected = finished;
  try {
    const text = JSON.stringify(value);
    if (finished.length === 0) return text;
    const between = text.split(writtenPlaceholder);
    return finished.reduce((written, part, index) => written + part + between[index + 1], between[0] ?? '');
  } finally {
    collected = undefined;
  }
}
