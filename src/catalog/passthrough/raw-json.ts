import { randomUUID } from 'node:crypto';

/**
 * A value that is JSON text already, somewhere inside a value that is not. The text that PostgreSQL or an earlier answer has written is
 * copied, and neither parsed nor serialized again.
 */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** For JSON.stringify itself, outside `stringify`: correct, but without the gain in speed. */
  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.text);
    collected.push(this.text);
    return placeholder;
  }
}

/** The placeholder of a raw text. It is unknown outside this process, so no value can contain it. */
const placeholder = randomUUID();
const writtenPlaceholder = JSON.stringify(placeholder);

/** The raw texts in the value that is being serialized, in order of appearance. */
let collected: string[] | undefined;

/**
 * The same text in pieces, for a value that would take long to serialize at once: each entry of a list of objects is a piece, at any depth.
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

/** Serializes a value as JSON.stringify does, and copies its raw parts. */
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
