import type { AbsentFromProducts, OrderValues } from '../record';

export type Absent = AbsentFromProducts | ReadonlySet<keyof OrderValues> | undefined;

/** Records of one kind that are written with one statement. */
export class Batch {
  readonly #texts: string[] = [];
  readonly #children: string[] = [];
  readonly #externalIds = new Set<string>();
  #size = 0;

  constructor(
    /** Where the batch comes from, for an error that only the database notices. */
    readonly file: string,
    readonly firstLine: number,
    /** What the file has no column for: the same for all records of a batch. */
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

  /** Enough for one statement: more records gain nothing, more bytes cost memory here and in the database. */
  get isFull(): boolean {
    return this.#externalIds.size >= maxRecords || this.#size >= maxSize;
  }

  /** An object that stands in the files twice must be written twice, in their order. */
  has(externalId: string): boolean {
    return this.#externalIds.has(externalId);
  }

  /**
   * @param text The object as the statement takes it, and its children.
   * @returns how large they are, in characters
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

  /** Something about an object that needs no values, such as its deletion. */
  addName(externalId: string): void {
    this.#externalIds.add(externalId);
  }

  /** Of objects that are JSON texts. */
  toJson(): string {
    return `[${this.#texts.join(',')}]`;
  }

  /** Of objects that are lines. */
  toLines(): string {
    return this.#texts.join('');
  }

  childrenToLines(): string {
    return this.#children.join('');
  }
}

const maxRecords = 500;
const maxSize = 2_000_000;
