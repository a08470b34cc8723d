import type { JoinedVariantRecord } from '../formats/record';
import { listFirst, quotedName } from '../values/display-names';
import { SpillBuffer } from '../source/spill-buffer';

/** The variants from files of variants, until the file of their products is read. */
export class JoinedVariants {
  readonly #records = new SpillBuffer<JoinedVariantRecord>();
  readonly #byProduct = new Map<string, { readonly first: JoinedVariantRecord; readonly indexes: number[] }>();

  async add(record: JoinedVariantRecord): Promise<void> {
    const index = await this.#records.add(record);
    const others = this.#byProduct.get(record.productId);
    if (others) others.indexes.push(index);
    else this.#byProduct.set(record.productId, { first: { ...record }, indexes: [index] });
  }

  /** Returns the variants of a product; each product is requested once. */
  async take(productId: string): Promise<readonly JoinedVariantRecord[]> {
    const found = this.#byProduct.get(productId);
    if (found === undefined) return [];
    this.#byProduct.delete(productId);
    const records: JoinedVariantRecord[] = [];
    for (const index of found.indexes) records.push(await this.#records.get(index));
    return records;
  }

  /** The warning about variants whose products are in no file. */
  get warnings(): readonly string[] {
    if (this.#byProduct.size === 0) return [];
    const products = [...this.#byProduct];
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
