import { randomUUID } from 'node:crypto';

/**
 * A value that is JSON text already, somewhere inside a value that is not. What PostgreSQL or an earlier answer has written is then
 * copied, and neither parsed nor written again.
 */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For JSON.stringify itself, outside of `stringify`: correct, and as slow as anything else. */
  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.text);
    collected.push(this.text);
    return placeholder;
  }
}

/** Holds the place of a raw text. It is not known outside this process, so no value can contain it. */
const placeholder = randomUUID();
const writtenPlaceholder = JSON.stringify(placeholder);

/** The raw texts in the value that is being written, in order of appearance. */
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
  typeof value === 'object' && value !== null && !(value instanceof RawJson);

/** Writes a value as JSON.stringify does, and copies its raw parts. */
export function stringify(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  const texts: string[] = [];
  collected = texts;
  try {
    const text = JSON.stringify(value);
    if (texts.length === 0) return text;
    const between = text.split(writtenPlaceholder);
    return texts.reduce((written, part, index) => written + part + between[index + 1], between[0] ?? '');
  } finally {
    collected = undefined;
  }
}
