import { randomUUID } from 'node:crypto';
import { estimateLength } from '../answer-size';

/** JSON text, or a part of it; a buffer holds its UTF-8. */
export type JsonPart = string | Buffer;

/**
 * A value that is JSON text already, somewhere inside a value that is not. The text that PostgreSQL or an earlier answer has written is
 * copied, and neither parsed nor serialized again. It may be in several parts, so that no one has to join those of a long page.
 */
export class RawJson {
  readonly parts: readonly JsonPart[];

  constructor(...parts: readonly JsonPart[]) {
    this.parts = parts;
  }

  /** In characters, or in bytes where it is in UTF-8. */
  get length(): number {
    return this.parts.reduce((length, part) => length + part.length, 0);
  }

  /** For JSON.stringify itself, outside `stringify`: correct, but without the gain in speed. */
  toJSON(): unknown {
    if (collected === undefined) return JSON.parse(this.parts.join(''));
    collected.push(this);
    return placeholder;
  }
}

/** The entries of a JSON list or object with commas between them. */
export const separateEntries = (entries: readonly JsonPart[]): readonly JsonPart[] =>
  entries.flatMap((entry, index) => (index === 0 ? [entry] : [',', entry]));

/** The placeholder of a raw text. It is unknown outside this process, so no value can contain it. */
const placeholder = randomUUID();
const writtenPlaceholder = JSON.stringify(placeholder);

/** The raw texts in the value that is being serialized, in order of appearance. */
let collected: RawJson[] | undefined;

/** Serializes a value as JSON.stringify does, and copies its raw parts. */
export const stringify = (value: unknown): string => toParts(value).join('');

/**
 * The same text in pieces, for a value that would take long to serialize at once: each entry of a list of objects is a piece, at any depth,
 * and so is each part of a raw text. An entry that is long itself is in pieces, too.
 */
export function* stringifyInPieces(value: unknown): Generator<JsonPart, void> {
  if (Array.isArray(value) && value.some(isObject)) {
    for (const [index, item] of value.entries()) {
      yield index === 0 ? '[' : ',';
      if (jsonLength(item) > longEntry) yield* stringifyInPieces(item);
      else yield* toParts(item);
    }
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
    yield* toParts(value);
  }
}

/** In characters. */
const longEntry = 64 * 1024;

/** The length of a value with raw parts when it is serialized, as far as that is known before (../answer-size.ts). */
export const jsonLength = (value: unknown): number =>
  estimateLength(value, (part) => (part instanceof RawJson ? part.length : undefined));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof RawJson);

/** What JSON.stringify writes, between the raw parts. */
function toParts(value: unknown): readonly JsonPart[] {
  if (value instanceof RawJson) return value.parts;
  const raw: RawJson[] = [];
  collected = raw;
  try {
    const text = JSON.stringify(value);
    if (raw.length === 0) return [text];
    const [start = '', ...between] = text.split(writtenPlaceholder);
    return [start, ...between.flatMap((part, index) => [...(raw[index] as RawJson).parts, part])];
  } finally {
    collected = undefined;
  }
}
