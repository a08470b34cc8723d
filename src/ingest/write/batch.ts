import type { AbsentFromProducts, CollectionValues, OrderValues } from '../formats/record';
import { CopyLines } from './copy-text';

export type Absent =
  AbsentFromProducts | ReadonlySet<keyof OrderValues> | ReadonlySet<keyof CollectionValues> | undefined;

/** Records of one kind that are written with one statement. */
export class Batch {
  /** For objects that are lines of COPY, and the lines of their children. */
  readonly lines = new CopyLines();
  readonly childLines = new CopyLines();
  readonly #texts: string[] = [];
  readonly #externalIds = new Set<string>();
  #size = 0;

  constructor(
    /** The origin of the batch, for an error that only the database detects. */
    readonly file: string,
    readonly firstLine: number,
    /** Members that the file has no column for: the same for all records of a batch. */
    readonly absent: Absent,
  ) {}

  lastLine = 0;

  get externalIds(): readonly string[] {
    return [...this.#externalIds];
  }

  get isEmpty(): boolean {
    return this.#externalIds.size === 0;
  }

  get count(): number {
    return this.#texts.length + this.lines.count;
  }

  /** Enough for one statement: more records are not faster, and more bytes cost memory here and in the database. */
  get isFull(): boolean {
    return this.#externalIds.size >= maxRecords || this.#size >= maxSize;
  }

  /** An object that appears twice in the files must be written twice, in order. */
  has(externalId: string): boolean {
    return this.#externalIds.has(externalId);
  }

  /**
   * An object that is a JSON text.
   * @returns its size in characters
   */
  addText(externalId: string, text: string): number {
    this.#externalIds.add(externalId);
    this.#texts.push(text);
    this.#size += text.length;
    return text.length;
  }

  /**
   * An object that is a line, with its children.
   * @returns their size in characters
   */
  addLines(externalId: string, line: string, children: readonly string[]): number {
    this.#externalIds.add(externalId);
    let size = this.lines.add(line);
    for (const child of children) size += this.childLines.add(child);
    this.#size += size;
    return size;
  }

  /** An entry about an object that needs no values, such as its deletion. */
  addName(externalId: string): void {
    this.#externalIds.add(externalId);
  }

  /** For objects that are JSON texts. */
  toJson(): string {
    return `[${this.#texts.join(',')}]`;
  }
}

const maxRecords = 1000;
const maxSize = 2_000_000;
