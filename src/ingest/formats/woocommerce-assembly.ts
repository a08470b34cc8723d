import { maximumProductCharacters, maximumVariants } from '../check-lengths';
import type { ReadContext } from '../format';
import { Place } from '../import-error';
import type { AbsentFromProducts, CollectionRecord, ProductRecord, VariantValues } from '../record';
import { HeldValues } from '../source/held-values';
import { toCategoryId, type ProductRow, type VariationRow } from './woocommerce-row';

interface HeldProduct {
  readonly index: number;
  /** What a variation may name the product by. */
  readonly references: readonly string[];
}

/**
 * The rows of a file, which are put together when all of them have been read: a variation may stand anywhere, before its product too.
 * Products come out in the order of the file.
 */
export class WooProducts {
  readonly #rows = new HeldValues<ProductRow | VariationRow>();
  readonly #products: HeldProduct[] = [];
  readonly #variations = new Map<string, { readonly line: number; readonly indexes: number[] }>();
  readonly #categories = new Map<string, { readonly path: readonly string[]; readonly line: number; count: number }>();
  #variable = 0;

  constructor(
    private readonly file: string,
    private readonly context: ReadContext,
  ) {}

  async addProduct(row: ProductRow, references: readonly string[]): Promise<void> {
    if (row.kind === 'variable') this.#variable += 1;
    this.#products.push({ index: await this.#rows.add(row), references });
    for (const path of row.categories) {
      const id = toCategoryId(path);
      const found = this.#categories.get(id);
      if (found) found.count += 1;
      else this.#categories.set(id, { path, line: row.line, count: 1 });
    }
  }

  async addVariation(row: VariationRow, reference: string): Promise<void> {
    const index = await this.#rows.add(row);
    const siblings = this.#variations.get(reference);
    if (siblings) siblings.indexes.push(index);
    else this.#variations.set(reference, { line: row.line, indexes: [index] });
  }

  async *records(absent: AbsentFromProducts): AsyncGenerator<ProductRecord | CollectionRecord, void, void> {
    const keepsVariants = this.#variable > 0 && this.#variations.size === 0;
    if (keepsVariants) this.#warnOfMissingVariations();
    const shown = keepsVariants ? { ...absent, variants: true as const } : absent;
    for (const { index, references } of this.#products) {
      const row = (await this.#rows.get(index)) as ProductRow;
      yield {
        kind: 'product',
        line: row.line,
        values: row.values,
        variants: await this.#variants(row, references),
        absent: shown,
      };
    }
    this.#warnOfOrphans();
    for (const [id, category] of this.#categories) yield toCollection(id, category);
  }

  close(): Promise<void> {
    return this.#rows.close();
  }

  /** A product with variations sells these; without, itself, unless it is but a heading for others. */
  async #variants(row: ProductRow, references: readonly string[]): Promise<readonly VariantValues[]> {
    const indexes = references.flatMap((reference) => this.#variations.get(reference)?.indexes ?? []);
    for (const reference of references) this.#variations.delete(reference);
    if (indexes.length === 0) return row.kind === 'single' ? [row.variant] : [];
    const place = new Place(this.file, row.line);
    const size = indexes.reduce((sum, index) => sum + this.#rows.sizeOf(index), 0);
    if (indexes.length > maximumVariants || size > maximumProductCharacters) {
      const expected = `at most ${maximumVariants} variations with ${maximumProductCharacters} characters of one product`;
      this.context.problems.add(place.fault(`expected ${expected}, got ${indexes.length} with ${size}`));
      return [];
    }
    const rows: VariationRow[] = [];
    for (const index of indexes) rows.push((await this.#rows.get(index)) as VariationRow);
    return rows
      .sort((a, b) => a.position - b.position)
      .map(({ variant }, index) => ({ ...inherit(variant, row.variant), position: String(index + 1) }));
  }

  #warnOfMissingVariations(): void {
    this.context.warn(
      `the file has ${this.#variable} variable ${this.#variable === 1 ? 'product' : 'products'} and no variations: ` +
        'variants that are stored were kept; export the product variations, too',
    );
  }

  #warnOfOrphans(): void {
    if (this.#variations.size === 0) return;
    const count = [...this.#variations.values()].reduce((sum, { indexes }) => sum + indexes.length, 0);
    const shown = [...this.#variations]
      .slice(0, 3)
      .map(([name, { line }]) => `${JSON.stringify(name.slice(0, 60))} in line ${line}`);
    this.context.warn(
      `${count} ${count === 1 ? 'variation was' : 'variations were'} not read, because the file does not have their products ` +
        `(${shown.join(', ')}${this.#variations.size > 3 ? ', …' : ''})`,
    );
  }
}

/** WooCommerce gives a variation without a weight that of its product. */
const inherit = (variant: VariantValues, product: VariantValues): VariantValues =>
  variant.weight === null ? { ...variant, weight: product.weight, weight_unit: product.weight_unit } : variant;

const toCollection = (
  externalId: string,
  { path, line, count }: { readonly path: readonly string[]; readonly line: number; readonly count: number },
): CollectionRecord => ({
  kind: 'collection',
  line,
  values: {
    external_id: externalId,
    title: path.at(-1) ?? '',
    handle: null,
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
