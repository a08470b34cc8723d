import {
  productStatuses,
  type ProductRecord,
  type ProductStatus,
  type VariantOption,
  type VariantValues,
} from '../record';
import { parseBoolean } from '../values/boolean';
import { checkIndexedText, parseCommaList } from '../values/text';
import { fromGrams } from '../values/weight';
import { positionBounds, safeBounds } from '../values/whole-number';
import { maximumProductCharacters, maximumVariants } from '../check-lengths';
import type { CsvCells } from './csv-columns';
import type { ProductColumn } from './shopify-product-columns';

type Cells = CsvCells<ProductColumn>;

/** What the header tells: a column that a file does not have is no blank cell. */
interface FileShape {
  readonly hasPublished: boolean;
  readonly hasTracker: boolean;
}

const optionNumbers = [1, 2, 3] as const;

/**
 * The rows of one handle. The first is the product, its first variant and its first image; each other one is a variant
 * when it has a price or an option, and may carry one more image.
 */
export class ShopifyProduct {
  readonly #first: Cells;
  readonly #shape: FileShape;
  readonly #optionNames: readonly (string | null)[];
  readonly #variants: VariantValues[] = [];
  readonly #lineOfVariant = new Map<string, number>();
  #heldCharacters = 0;
  #image: { readonly url: string; readonly position: number } | undefined;

  constructor(
    readonly handle: string,
    first: Cells,
    shape: FileShape,
  ) {
    this.#first = first;
    this.#shape = shape;
    this.#optionNames = optionNumbers.map((number) => first.word(`option${number}Name`));
    this.#addVariant(first);
    this.#addImage(first);
  }

  add(cells: Cells): void {
    const isVariant = cells.text('price') !== null || optionNumbers.some((n) => cells.text(`option${n}Value`) !== null);
    if (isVariant) this.#addVariant(cells);
    this.#addImage(cells);
  }

  finish(): ProductRecord {
    const first = this.#first;
    const title = first.text('title');
    if (title === null)
      throw first.at('title').refuse('', `a title on the first row of handle ${JSON.stringify(this.handle)}`);
    const published = this.#isPublished();
    const values = {
      external_id: checkIndexedText(`handle:${this.handle}`, first.at('handle')),
      title,
      handle: this.handle,
      status: this.#status(published),
      vendor: first.indexedText('vendor'),
      product_type: first.indexedText('type'),
      tags: parseCommaList(first.text('tags') ?? '').map((tag) => checkIndexedText(tag, first.at('tags'))),
      description_html: first.text('body'),
      seo_title: first.text('seoTitle'),
      seo_description: first.text('seoDescription'),
      image_url: this.#image?.url ?? null,
      published_at: null,
      published,
      created_at: null,
      updated_at: null,
    };
    return { kind: 'product', line: first.row.line, values, variants: this.#variants };
  }

  #isPublished(): boolean {
    const word = this.#first.word('published') ?? 'false';
    const published = parseBoolean(word);
    if (published === undefined) throw this.#first.at('published').refuse(word, 'true or false');
    return published;
  }

  /** Old files have no status, the oldest no Published either. An unlisted product is for sale to who has its link. */
  #status(published: boolean): ProductStatus {
    const word = this.#first.word('status')?.toUpperCase();
    if (word === undefined) return published || !this.#shape.hasPublished ? 'ACTIVE' : 'DRAFT';
    if (word === 'UNLISTED') return 'ACTIVE';
    const status = productStatuses.find((known) => known === word);
    if (status === undefined) throw this.#first.at('status').refuse(word, 'active, draft, archived or unlisted');
    return status;
  }

  #addVariant(cells: Cells): void {
    if (this.#variants.length >= maximumVariants) {
      throw cells
        .at('handle')
        .fault(
          `expected at most ${maximumVariants} variants of one handle, got more of ${JSON.stringify(this.handle)}`,
        );
    }
    // Whole cells: what is read of one may keep all of it in memory.
    for (const cell of cells.row.cells) this.#heldCharacters += cell.length;
    if (this.#heldCharacters > maximumProductCharacters) {
      throw cells
        .at('handle')
        .fault(
          `expected rows of at most ${maximumProductCharacters} characters for one handle, got more for ${JSON.stringify(this.handle)}; give each product a handle of its own, or leave columns out`,
        );
    }
    const options = this.#options(cells);
    const externalId = checkIndexedText(toVariantId(this.handle, options), cells.at('option1Value'));
    const earlier = this.#lineOfVariant.get(externalId);
    if (earlier !== undefined) {
      throw cells.at('option1Value').fault(`line ${earlier} has a variant with the same options already`);
    }
    this.#lineOfVariant.set(externalId, cells.row.line);
    const isTracked = cells.text('tracker') !== null || !this.#shape.hasTracker;
    const grams = cells.decimal('grams');
    const weight = grams === null ? null : fromGrams(grams, cells.word('weightUnit'), cells.at('weightUnit'));
    this.#variants.push({
      external_id: externalId,
      title: options.length === 0 ? 'Default Title' : options.map(({ value }) => value).join(' / '),
      sku: cells.text('sku'),
      // A leading apostrophe keeps spreadsheets from turning the digits into a number.
      barcode: cells.word('barcode')?.replace(/^'/, '') ?? null,
      price: cells.decimal('price'),
      compare_at_price: cells.decimal('compareAtPrice'),
      cost_price: cells.decimal('cost'),
      inventory_quantity: isTracked ? cells.wholeNumber('quantity', safeBounds) : null,
      weight: weight?.weight ?? null,
      weight_unit: weight?.unit ?? null,
      position: String(this.#variants.length + 1),
      image_url: cells.word('variantImage'),
      options,
      created_at: null,
      updated_at: null,
    });
  }

  /** `Title` = `Default Title` is how Shopify writes a product without options. */
  #options(cells: Cells): readonly VariantOption[] {
    const options = optionNumbers.flatMap((number, index) => {
      const value = cells.word(`option${number}Value`);
      return value === null ? [] : [{ name: this.#optionNames[index] ?? `Option${number}`, value }];
    });
    const isDefault = options.length === 1 && options[0]?.value === 'Default Title';
    return isDefault ? [] : options;
  }

  #addImage(cells: Cells): void {
    const url = cells.word('imageSource');
    if (url === null) return;
    const given = cells.wholeNumber('imagePosition', positionBounds);
    const position = given === null ? Number.POSITIVE_INFINITY : Number(given);
    if (this.#image === undefined || position < this.#image.position) this.#image = { url, position };
  }
}

/**
 * The file has no ids, so a variant is known by what distinguishes it: the same in every export, wherever its row
 * stands. Slashes inside of values are escaped, so that two variants never share an id.
 */
function toVariantId(handle: string, options: readonly VariantOption[]): string {
  const values = options.length === 0 ? ['Default Title'] : options.map(({ value }) => value);
  return [
    `handle:${handle}`,
    ...values.map((value) => value.replace(/[%/]/g, (sign) => (sign === '/' ? '%2F' : '%25'))),
  ].join('/');
}
