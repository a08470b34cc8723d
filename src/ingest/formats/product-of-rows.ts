import type { StoredImage } from '../../catalog/model';
import { addDecimals } from '../values/numbers';
import { SourceLocation } from '../values/import-error';
import { checkIndexedText } from '../values/text';
import { maximumProductCharacters, maximumVariants, overheadBytes } from './check-lengths';
import { inOrder } from './lists';
import type { Problems } from './problems';
import type { AbsentFromProducts, ProductRecord, ProductValues, UnpositionedVariant, VariantValues } from './record';
import { titleOf, variantIdWithin } from './shopify-product';

interface Surroundings {
  readonly file: string;
  readonly problems: Problems;
  /** Fallback values of a variant from its product. */
  readonly inherit?: readonly (keyof VariantValues)[];
}

/** A product and its variants, wherever their rows are in a table. */
export class ProductOfRows {
  readonly #variants: VariantValues[] = [];
  readonly #lineOf = new Map<string, number>();
  readonly #rows: number[] = [];
  #characters = 0;
  #isTooLarge = false;
  readonly #images: StoredImage[];

  /** @param own reads the product's own row as a variant; undefined if it cannot be one */
  constructor(
    readonly line: number,
    private readonly values: ProductValues,
    private readonly own: () => UnpositionedVariant | undefined,
    private readonly around: Surroundings,
  ) {
    this.#images = [...((values.images ?? []) as readonly StoredImage[])];
  }

  get id(): string {
    return this.values.external_id;
  }

  get isWithoutVariants(): boolean {
    return this.#variants.length === 0 && !this.#isTooLarge;
  }

  /** A row of the product that has images. */
  addImages(images: readonly StoredImage[], line: number): void {
    const characters = images.reduce(
      (sum, { url, alt_text: alt }) => sum + overheadBytes + url.length + (alt?.length ?? 0),
      0,
    );
    if (this.#fits(characters, new SourceLocation(this.around.file, line))) this.#images.push(...images);
  }

  /**
   * A row that is a variant. A product that becomes too large is reported, and its later rows are not read.
   * @param characters the length of the row's text
   */
  add(read: () => UnpositionedVariant, line: number, characters: number, file = this.around.file): void {
    const { problems } = this.around;
    const location = new SourceLocation(file, line);
    if (!this.#fits(characters, location)) return;
    const variant = read();
    // Identifies the variant within its product if it has no id.
    const externalId = variant.external_id ?? variantIdWithin(this.id, variant.options);
    const earlier = this.#lineOf.get(externalId);
    if (earlier !== undefined) {
      const what = variant.external_id === null ? 'with the same options' : JSON.stringify(externalId);
      return problems.add(location.fault(`duplicate variant ${what}; this product already has it on line ${earlier}`));
    }
    problems.readOr(() => checkIndexedText(externalId, location.at('external_id')), undefined);
    this.#lineOf.set(externalId, line);
    this.#variants.push(this.#positioned(variant, externalId));
  }

  /** @param isVariant whether the product's own row is a variant if there is no other */
  finish(absent: AbsentFromProducts | undefined, isVariant = true): ProductRecord {
    const own = isVariant && this.isWithoutVariants ? this.own() : undefined;
    if (own) this.add(() => own, own.line, 0);
    const images = inOrder(this.#images);
    const values = { ...this.values, images, image_url: this.values.image_url ?? images[0]?.url ?? null };
    return { kind: 'product', line: this.line, rows: this.#rows, values, variants: this.#variants, absent };
  }

  /** Whether another row fits. */
  #fits(characters: number, location: SourceLocation): boolean {
    if (this.#isTooLarge) return false;
    if (location.file === this.around.file && location.line !== this.line) this.#rows.push(location.line);
    this.#characters += characters;
    const isLong = this.#characters > maximumProductCharacters;
    this.#isTooLarge = isLong || this.#variants.length >= maximumVariants;
    if (!this.#isTooLarge) return true;
    const limit = isLong
      ? `${maximumProductCharacters} characters in all rows of a product`
      : `${maximumVariants} variants per product`;
    const advice = isLong ? '; give each product its own ID, or remove columns' : '';
    this.around.problems.add(
      location.fault(`expected at most ${limit}, got more for ${JSON.stringify(this.id)}${advice}`),
    );
    return false;
  }

  #positioned({ line: _, addPrice, addWeight, ...variant }: UnpositionedVariant, externalId: string): VariantValues {
    const positioned: Record<string, unknown> = {
      ...variant,
      external_id: externalId,
      title: variant.title ?? titleOf(variant.options),
      position: variant.position ?? String(this.#variants.length + 1),
    };
    if (addPrice !== undefined)
      for (const name of ['price', 'compare_at_price'] as const) positioned[name] = sum(this.own()?.[name], addPrice);
    if (addWeight !== undefined) positioned['weight'] = sum(this.own()?.weight, addWeight);
    for (const name of this.around.inherit ?? [])
      if (name !== 'compare_at_price' || variant.price === null) positioned[name] ??= this.own()?.[name] ?? null;
    return positioned as unknown as VariantValues;
  }
}

const sum = (base: string | null | undefined, added: string | null): string | null =>
  base == null ? null : added === null ? base : addDecimals(base, added);
