import type { JoinedVariantRecord } from '../formats/record';
import { listFirst, quotedName } from '../values/display-names';
import { SpillBuffer } from '../source/spill-buffer';

/** The variants from files of variants, until the file of their products is read. */
export class JoinedVariants {
  readonly #records = new SpillBuffer<JoinedVariantRecord>();
  readonly #byProduct = new Map<string, { readonly first: JoinedVariantRecord; readonly indexes: number[] }>();
  readonly #found = new Set<string>();

  async add(record: JoinedVariantRecord): Promise<void> {
    const index = await this.#records.add(record);
    const others = this.#byProduct.get(record.productId);
    if (others) others.indexes.push(index);
    else this.#byProduct.set(record.productId, { first: { ...record }, indexes: [index] });
  }

  /** The variants of a product, which may be in the file twice: its last row counts, with all of them. */
  async of(productId: string): Promise<readonly JoinedVariantRecord[]> {
    const found = this.#byProduct.get(productId);
    if (found === undefined) return [];
    this.#found.add(productId);
    const records: JoinedVariantRecord[] = [];
    for (const index of found.indexes) records.push(await this.#records.get(index));
    return records;
  }

  /** The warning about variants whose products are in no file. */
  get warnings(): readonly string[] {
    const products = [...this.#byProduct].filter(([id]) => !this.#found.has(id));
    if (products.length === 0) return [];
    const count = products.reduce((sum, [, { indexes }]) => sum + indexes.length, 0);
    const shown = listFirst(products, 3, ([id, { first }]) => `${quotedName(id)} in line ${first.line}`);
    return [
      `${products[0]?.[1].first.file ?? ''}: ${count} ${count === 1 ? 'variant was' : 'variants were'} not read, because no file has their products ` +
        `(${shown})`,
    ];
  }

  close(): Promise<void> {
    return this.#records.close();
  }
}
