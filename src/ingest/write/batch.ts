import type { AbsentFromProducts, OrderValues } from '../record';

export type Absent = AbsentFromProducts | ReadonlySet<keyof OrderValues> | undefined;

/** Records of one kind that are written with one statement. */
export class Batch {
  readonly #texts: string[] = [];
  readonly #children: string[] = [];
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
    return this.#texts.length;
  }

  get childCount(): number {
    return this.#children.length;
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
   * @param text The object in the form of the statement, and its children.
   * @returns their size in characters
   */
  add(externalId: string, text: string, children: readonly string[] = []): number {
    this.#externalIds.add(externalId);
    this.#texts.push(text);
    let size = text.length;
    for (const child of children) {
      this.#children.push(child);
      size += child.length;
    }
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

  /** For objects that are lines. */
  toLines(): string {
    return this.#texts.join('');
  }

  childrenToLines(): string {
    return this.#children.join('');
  }
}

const maxRecords = 500;
const maxSize = 2_000_000;
