import type { AbsentFromProducts, CollectionValues, OrderValues } from '../formats/record';
import { CopyLines } from './staging';

export type Absent =
  AbsentFromProducts | ReadonlySet<keyof OrderValues> | ReadonlySet<keyof CollectionValues> | undefined;

/** Records of one kind that are written with one statement. */
export class Batch {
  /** In COPY's text format. */
  readonly lines = new CopyLines();
  readonly childLines = new CopyLines();
  readonly #externalIds = new Set<string>();
  #size = 0;

  constructor(
    /** Where the batch comes from, for errors that only the database detects. */
    readonly file: string,
    readonly firstLine: number,
    /** Members that the file has no column for: the same for all records of a batch. */
    readonly absent: Absent,
  ) {}

  lastLine = 0;
  /** Whether any of its collections lists its products. */
  listsProducts = false;

  get externalIds(): readonly string[] {
    return [...this.#externalIds];
  }

  /** Enough for one statement: more records are not faster, and more bytes cost memory here and in the database. */
  get isFull(): boolean {
    return this.#externalIds.size >= maxRecords || this.#size >= maxSize;
  }

  /** An object that appears twice in the files is written twice, in order. */
  has(externalId: string): boolean {
    return this.#externalIds.has(externalId);
  }

  /**
   * Adds an object with its children. A deletion has no line.
   * @returns the size in characters
   */
  add(externalId: string, line?: string, children: readonly string[] = []): number {
    this.#externalIds.add(externalId);
    let size = line === undefined ? 0 : this.lines.add(line);
    for (const child of children) size += this.childLines.add(child);
    this.#size += size;
    return size;
  }
}

const maxRecords = 1000;
const maxSize = 2_000_000;
