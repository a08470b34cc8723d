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
