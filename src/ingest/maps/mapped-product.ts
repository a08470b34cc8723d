import { titleOf, variantIdWithin } from '../formats/shopify-product';
import { maximumProductCharacters, maximumVariants } from '../formats/check-lengths';
import { SourceLocation, type ImportError } from '../values/import-error';
import type { Problems } from '../formats/problems';
import type {
  AbsentFromProducts,
  ProductRecord,
  ProductValues,
  UnpositionedVariant,
  VariantValues,
} from '../formats/record';
import { addDecimals } from '../values/decimal-sum';
import { checkIndexedText } from '../values/text';

interface Surroundings {
  readonly file: string;
  readonly problems: Problems;
  readonly inherit: readonly (keyof VariantValues)[];
}

/** A product and its variants, wherever they were found. */
export class MappedProduct {
  readonly #variants: VariantValues[] = [];
  readonly #positionOfVariant = new Map<string, SourceLocation>();
  readonly #rows: number[] = [];
  #image: string | null;
  #characters = 0;
  #isTooLarge = false;

  /** @param own what the product's own row provides of a variant; undefined where the file contains no variants */
  constructor(
    readonly line: number,
    private readonly values: ProductValues,
    private readonly own: UnpositionedVariant | undefined,
    private readonly around: Surroundings,
  ) {
    this.#image = values.image_url ?? null;
  }

  get id(): string {
    return this.values.external_id;
  }

  /** An image is used when the product has no image yet. */
  addImage(url: string | null): void {
    this.#image ??= url;
  }

  /** @param characters the length of the variant's text */
  add(variant: UnpositionedVariant, characters: number, file = this.around.file): void {
    if (file === this.around.file) this.#rows.push(variant.line);
    if (this.#isTooLarge) return;
    const location = new SourceLocation(file, variant.line);
    this.#characters += characters;
    if (this.#variants.length >= maximumVariants || this.#characters > maximumProductCharacters) {
      this.#isTooLarge = true;
      const limit = `at most ${maximumVariants} variants of one product, and ${maximumProductCharacters} characters`;
      return this.#report(location.fault(`expected ${limit}, got more of ${JSON.stringify(this.id)}`));
    }
    // What tells it apart within its product, where it has no id of its own.
    const externalId = variant.external_id ?? variantIdWithin(this.id, variant.options);
    const earlier = this.#positionOfVariant.get(externalId);
    if (earlier !== undefined) {
      const what = variant.external_id === null ? 'with the same options' : JSON.stringify(externalId);
      return this.#report(location.fault(`line ${earlier.line} already has a variant ${what} of this product`));
    }
    this.around.problems.collect(() => checkIndexedText(externalId, location), undefined);
    this.#positionOfVariant.set(externalId, location);
    this.#variants.push(this.#positioned(variant, externalId));
  }

  finish(absent: AbsentFromProducts): ProductRecord {
    if (this.#variants.length === 0 && !this.#isTooLarge && this.own) this.add(this.own, 0);
    const values = { ...this.values, image_url: this.#image };
    return { kind: 'product', line: this.line, rows: this.#rows, values, variants: this.#variants, absent };
  }

  #positioned({ line: _, addPrice, addWeight, ...variant }: UnpositionedVariant, externalId: string): VariantValues {
    const { own } = this;
    const positioned = {
      ...variant,
      external_id: externalId,
      title: variant.title ?? titleOf(variant.options),
      position: variant.position ?? String(this.#variants.length + 1),
      ...(addPrice !== undefined && {
        price: sum(own?.price, addPrice),
        compare_at_price: sum(own?.compare_at_price, addPrice),
      }),
      ...(addWeight !== undefined && { weight: sum(own?.weight, addWeight) }),
    };
    if (own === undefined) return positioned;
    const inherited = this.around.inherit
      .filter((member) => positioned[member] === null)
      .map((member) => [member, own[member]]);
    return { ...positioned, ...(Object.fromEntries(inherited) as Partial<VariantValues>) };
  }

  #report(problem: ImportError): void {
    this.around.problems.add(problem);
  }
}

const sum = (base: string | null | undefined, added: string | null): string | null =>
  base == null ? null : added === null ? base : addDecimals(base, added);
