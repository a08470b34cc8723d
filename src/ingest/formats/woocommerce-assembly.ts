import { maximumProductCharacters, maximumVariants } from './check-lengths';
import type { ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { AbsentFromProducts, CollectionRecord, ProductRecord, VariantValues } from './record';
import { listFirst, quotedName } from '../values/display-names';
import { SpillBuffer } from '../source/spill-buffer';
import type { Category, ProductRow, VariationRow } from './woocommerce-row';

interface StreamedProduct extends ProductRow {
  /** The values by which a variation may reference the product. */
  readonly references: readonly string[];
}

/** The variations with one reference; `next` of WooProducts leads from the first to the last. */
interface Siblings {
  readonly line: number;
  readonly first: number;
  last: number;
  count: number;
}

const noRow = -1;

interface CountedCategory {
  readonly category: Category;
  readonly line: number;
  count: number;
}

/**
 * Collects the rows of a file and assembles them when all have been read, because a variation may be anywhere, even
 * before its product. Products are returned in file order.
 */
export class WooProducts {
  readonly #rows = new SpillBuffer<StreamedProduct | VariationRow>();
  readonly #products: number[] = [];
  readonly #variations = new Map<string, Siblings>();
  /**
   * For each row the next variation with the same reference. An array for each product would take ten times the memory.
   */
  readonly #next: number[] = [];
  readonly #categories = new Map<string, CountedCategory>();
  #variable = 0;
  /** Products with missing variations. */
  #incomplete = 0;

  constructor(
    private readonly file: string,
    private readonly context: ReadContext,
  ) {}

  async addProduct(row: ProductRow, references: readonly string[]): Promise<void> {
    if (row.kind === 'variable') this.#variable += 1;
    const index = await this.#rows.add({ ...row, references });
    this.#products.push(index);
    this.#next[index] = noRow;
    for (const category of row.categories) {
      const found = this.#categories.get(category.id);
      if (found) found.count += 1;
      else this.#categories.set(category.id, { category, line: row.line, count: 1 });
    }
  }

  async addVariation(row: VariationRow, reference: string): Promise<void> {
    const index = await this.#rows.add(row);
    this.#next[index] = noRow;
    const siblings = this.#variations.get(reference);
    if (siblings) {
      this.#next[siblings.last] = index;
      siblings.last = index;
      siblings.count += 1;
    } else this.#variations.set(reference, { line: row.line, first: index, last: index, count: 1 });
  }

  async *records(absent: AbsentFromProducts): AsyncGenerator<ProductRecord | CollectionRecord, void, void> {
    const lacksAll = this.#variable > 0 && this.#variations.size === 0;
    const keeping = { ...absent, variants: true as const };
    for (const index of this.#products) {
      const row = (await this.#rows.get(index)) as StreamedProduct;
      const { variants, rows } = await this.#variants(row);
      const isIncomplete =
        row.kind === 'variable' && (row.variations === undefined ? lacksAll : variants.length < row.variations);
      if (isIncomplete) this.#incomplete += 1;
      yield {
        kind: 'product',
        line: row.line,
        rows,
        values: row.values,
        variants,
        absent: isIncomplete ? keeping : absent,
      };
    }
    this.#warnOfMissingVariations();
    this.#warnOfOrphans();
    for (const counted of this.#categories.values()) yield toCollection(counted);
  }

  close(): Promise<void> {
    return this.#rows.close();
  }

  /**
   * A product with variations sells these. Without variations it sells itself, unless it only groups other products.
   */
  async #variants(row: StreamedProduct): Promise<Pick<ProductRecord, 'variants' | 'rows'>> {
    const indexes = row.references.flatMap((reference) => this.#takeVariations(reference));
    if (indexes.length === 0) return { variants: row.kind === 'single' ? [row.variant] : [] };
    const location = new SourceLocation(this.file, row.line);
    const size = indexes.reduce((sum, index) => sum + this.#rows.sizeOf(index), 0);
    if (indexes.length > maximumVariants || size > maximumProductCharacters) {
      const expected = `at most ${maximumVariants} variations with ${maximumProductCharacters} characters of one product`;
      this.context.problems.add(location.fault(`expected ${expected}, got ${indexes.length} with ${size}`));
      return { variants: [] };
    }
    const rows: VariationRow[] = [];
    for (const index of indexes) rows.push((await this.#rows.get(index)) as VariationRow);
    const variants = rows
      .sort((a, b) => a.position - b.position)
      .map(({ variant }, index) => ({ ...inherit(variant, row.variant), position: String(index + 1) }));
    return { variants, rows: rows.map(({ line }) => line) };
  }

  /** The rows of the variations with a reference, which no other product gets. */
  #takeVariations(reference: string): number[] {
    const indexes: number[] = [];
    for (
      let index = this.#variations.get(reference)?.first ?? noRow;
      index !== noRow;
      index = this.#next[index] ?? noRow
    )
      indexes.push(index);
    this.#variations.delete(reference);
    return indexes;
  }

  #warnOfMissingVariations(): void {
    if (this.#incomplete === 0) return;
    this.context.warn(
      `the file does not have the variations of ${this.#incomplete} variable ${this.#incomplete === 1 ? 'product' : 'products'}: ` +
        'variants that are stored were kept; export the variations into the same file',
    );
  }

  #warnOfOrphans(): void {
    if (this.#variations.size === 0) return;
    const count = [...this.#variations.values()].reduce((sum, { count: each }) => sum + each, 0);
    const shown = listFirst(this.#variations, 3, ([name, { line }]) => `${quotedName(name)} in line ${line}`);
    this.context.warn(
      `${count} ${count === 1 ? 'variation was' : 'variations were'} not read, because the file does not have their products ` +
        `(${shown})`,
    );
  }
}

/** WooCommerce gives a variation without a weight the weight of its product. */
const inherit = (variant: VariantValues, product: VariantValues): VariantValues =>
  variant.weight === null ? { ...variant, weight: product.weight, weight_unit: product.weight_unit } : variant;

const toCollection = ({ category, line, count }: CountedCategory): CollectionRecord => ({
  kind: 'collection',
  line,
  values: {
    external_id: category.id,
    title: category.title,
    handle: category.handle,
    description_html: null,
    published: true,
    collection_type: 'manual',
    products_count: String(count),
    image_url: null,
    seo_title: null,
    seo_description: null,
    created_at: null,
    updated_at: null,
  },
});
