import { SpillBuffer } from '../source/spill-buffer';
import { listFirst, quotedName } from '../values/display-names';
import type { SourceLocation } from '../values/import-error';

/** Data frames write the integers of a column with blank cells as `1001.0`, spreadsheets also as `1001.00`. */
export const toReference = (text: string) => text.replace(/^((?:id:)?\d+)[.,]00?$/, '$1');

/** The rows with one reference; `next` of LinkedRows leads from the first to the last. */
interface Siblings {
  readonly at: SourceLocation;
  readonly first: number;
  last: number;
  count: number;
  areTaken: boolean;
}

/**
 * Holds the rows of a file until all have been read, because the rows that belong to a product may be anywhere, even
 * before it, or in another file. Each is found by a reference that it and its product share.
 */
export class LinkedRows<Row, Product = never> {
  readonly #rows = new SpillBuffer<Row | Product>();
  readonly #products: number[] = [];
  readonly #siblings = new Map<string, Siblings>();
  /** For each row, the next one with the same reference. An array for each product would take ten times the memory. */
  readonly #next: (number | undefined)[] = [];
  /** For each row, its position among its siblings, if it has one. */
  readonly #positions: number[] = [];

  /** @param searched where the products may be, for the warning */
  constructor(private readonly searched = 'any of the files') {}

  async addProduct(product: Product): Promise<void> {
    this.#products.push(await this.#rows.add(product));
  }

  async add(row: Row, reference: string, at: SourceLocation, position = 0): Promise<void> {
    const index = await this.#rows.add(row);
    this.#positions[index] = position;
    const key = toReference(reference);
    const siblings = this.#siblings.get(key);
    if (siblings) {
      this.#next[siblings.last] = index;
      siblings.last = index;
      siblings.count += 1;
    } else this.#siblings.set(key, { at, first: index, last: index, count: 1, areTaken: false });
  }

  has(reference: string): boolean {
    return this.#siblings.has(toReference(reference));
  }

  /** In the order of the file. */
  async *products(): AsyncGenerator<Product, void, void> {
    for (const index of this.#products) yield (await this.#rows.get(index)) as Product;
  }

  /**
   * The rows with these references, each with its size, in their order, and one at a time: a product may have more than
   * fit in memory.
   * @param areShared whether several products may have the same reference
   * @throws ImportError when another product has taken the rows already
   */
  async *take(
    references: Iterable<string>,
    areShared = false,
  ): AsyncGenerator<readonly [row: Row, size: number], void, void> {
    const indexes: number[] = [];
    for (const reference of new Set([...references].map(toReference))) {
      const siblings = this.#siblings.get(reference);
      if (siblings === undefined) continue;
      if (siblings.areTaken && !areShared)
        throw siblings.at.fault(
          `belongs to ${quotedName(reference)}, but several products have this SKU or ID: give each its own, or export one language`,
        );
      siblings.areTaken = true;
      for (let index: number | undefined = siblings.first; index !== undefined; index = this.#next[index])
        indexes.push(index);
    }
    indexes.sort((a, b) => (this.#positions[a] ?? 0) - (this.#positions[b] ?? 0));
    for (const index of indexes) yield [(await this.#rows.get(index)) as Row, this.#rows.sizeOf(index)];
  }

  /** The warning about variants that no product took. */
  get warnings(): readonly string[] {
    const left = [...this.#siblings].filter(([, { areTaken }]) => !areTaken);
    if (left.length === 0) return [];
    const count = left.reduce((sum, [, siblings]) => sum + siblings.count, 0);
    const shown = listFirst(left, 3, ([name, { at }]) => `${quotedName(name)} in ${at.toString()}`);
    return [`variants skipped because their product is not in ${this.searched}: ${count} (${shown})`];
  }

  close(): Promise<void> {
    return this.#rows.close();
  }
}
