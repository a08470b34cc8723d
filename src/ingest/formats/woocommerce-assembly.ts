import { SpillBuffer } from '../source/spill-buffer';
import { listFirst, quotedName } from '../values/display-names';
import type { ReadContext } from './format';
import { ProductOfRows } from './product-of-rows';
import type { AbsentFromProducts, CollectionRecord, CollectionValues, ProductRecord } from './record';
import type { ProductValues, UnpositionedVariant, VariantOfRow } from './record';
import { constant, ObjectRules } from './rules';
import { Sales } from './sales';

/** The row of a product. */
export interface ProductRow {
  readonly line: number;
  readonly values: ProductValues;
  /** What is for sale where it has no variations. */
  readonly variant: VariantOfRow;
  readonly kind: 'single' | 'variable' | 'grouped';
  readonly categories: readonly Category[];
  /** The number of variations of the product, where the file gives it. */
  readonly variations?: number;
  /** The values by which a variation may reference the product. */
  readonly references: readonly string[];
}

export interface Category {
  readonly id: string;
  readonly title: string;
  readonly handle: string | null;
}

interface CountedCategory extends Category {
  readonly line: number;
  count: number;
}

/** The variations with one reference; `next` of WooProducts leads from the first to the last. */
interface Siblings {
  readonly line: number;
  readonly first: number;
  last: number;
  count: number;
}

/** WooCommerce gives a variation without a weight the weight of its product. */
const inherit = ['weight', 'weight_unit'] as const;

/**
 * Collects the rows of a file and assembles them when all have been read, because a variation may be anywhere, even
 * before its product. Products are returned in file order.
 */
export class WooProducts {
  readonly sales: Sales;
  readonly #rows = new SpillBuffer<ProductRow | UnpositionedVariant>();
  readonly #products: number[] = [];
  readonly #variations = new Map<string, Siblings>();
  /**
   * For each row the next variation with the same reference. An array for each product would take ten times the memory.
   */
  readonly #next: (number | undefined)[] = [];
  /** For each row its place among its siblings. */
  readonly #positions: number[] = [];
  readonly #categories = new Map<string, CountedCategory>();
  #variable = 0;
  #sharedStock = 0;

  constructor(
    private readonly file: string,
    private readonly context: ReadContext,
  ) {
    this.sales = new Sales(context);
  }

  async addProduct(row: ProductRow): Promise<void> {
    if (row.kind === 'variable') this.#variable += 1;
    this.#products.push(await this.#rows.add(row));
    for (const category of row.categories) {
      const found = this.#categories.get(category.id);
      if (found) found.count += 1;
      else this.#categories.set(category.id, { ...category, line: row.line, count: 1 });
    }
  }

  async addVariation(
    row: UnpositionedVariant,
    reference: string,
    position: string | null,
    sharesStock: boolean,
  ): Promise<void> {
    if (sharesStock) this.#sharedStock += 1;
    const index = await this.#rows.add(row);
    this.#positions[index] = Number(position);
    const siblings = this.#variations.get(reference);
    if (siblings) {
      this.#next[siblings.last] = index;
      siblings.last = index;
      siblings.count += 1;
    } else this.#variations.set(reference, { line: row.line, first: index, last: index, count: 1 });
  }

  async *records(absent: AbsentFromProducts): AsyncGenerator<ProductRecord | CollectionRecord, void, void> {
    const { file, context } = this;
    if (this.#sharedStock > 0)
      context.warn(`${this.#sharedStock} variations share the stock of their product, which would count it several times: their stock is null`); // prettier-ignore
    this.sales.warn();
    const areAllAbsent = this.#variable > 0 && this.#variations.size === 0;
    let incomplete = 0;
    for (const at of this.#products) {
      const { line, values, variant, kind, references, variations } = (await this.#rows.get(at)) as ProductRow;
      const own = (): UnpositionedVariant => ({ line, ...variant });
      const product = new ProductOfRows(line, values, own, { file, problems: context.problems, inherit });
      const indexes = references.flatMap((reference) => this.#takeVariations(reference));
      for (const index of indexes.sort((a, b) => (this.#positions[a] ?? 0) - (this.#positions[b] ?? 0))) {
        const row = (await this.#rows.get(index)) as UnpositionedVariant;
        product.add(() => row, row.line, this.#rows.sizeOf(index));
      }
      const isIncomplete =
        kind === 'variable' && (variations === undefined ? areAllAbsent : indexes.length < variations);
      if (isIncomplete) incomplete += 1;
      // Without variations a product sells itself, unless it only groups other products.
      yield product.finish(isIncomplete ? { ...absent, variants: true } : absent, kind === 'single');
    }
    if (incomplete > 0) {
      context.warn(
        `the file does not have the variations of ${incomplete} variable ${incomplete === 1 ? 'product' : 'products'}: ` +
          'variants that are stored were kept; export the variations into the same file',
      );
    }
    const orphans = [...this.#variations.values()].reduce((sum, { count }) => sum + count, 0);
    if (orphans > 0) {
      const shown = listFirst(this.#variations, 3, ([name, { line }]) => `${quotedName(name)} in line ${line}`);
      context.warn(
        `${orphans} ${orphans === 1 ? 'variation was' : 'variations were'} not read, because the file does not have their products (${shown})`,
      );
    }
    for (const category of this.#categories.values()) yield toCollection(category);
  }

  close(): Promise<void> {
    return this.#rows.close();
  }

  /** The rows of the variations with a reference, which no other product gets. */
  #takeVariations(reference: string): number[] {
    const indexes: number[] = [];
    let index = this.#variations.get(reference)?.first;
    for (; index !== undefined; index = this.#next[index]) indexes.push(index);
    this.#variations.delete(reference);
    return indexes;
  }
}

/** What a category says of a collection; a stored one keeps the rest. */
const rules = new ObjectRules<CountedCategory, CollectionValues>('collections', {
  external_id: constant(({ id }) => id),
  title: constant(({ title }) => title),
  handle: constant(({ handle }) => handle),
  collection_type: constant(() => 'manual'),
  products_count: constant(({ count }) => String(count)),
});
const absentFromCategories = new Set(rules.absentFrom([{ provides: () => false }]));

const toCollection = (category: CountedCategory): CollectionRecord => ({
  kind: 'collection',
  line: category.line,
  values: { ...rules.read(category, undefined), published: true },
  absent: absentFromCategories,
});
