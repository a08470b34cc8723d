import type { Place } from '../import-error';
import { optionNumbers, type AbsentFromProducts, type ProductRecord, type VariantValues } from '../record';
import { productStatuses, type ProductStatus, type VariantOption } from '../../catalog/model';
import type { SpreadsheetDamage } from '../spreadsheet-damage';
import { parseBoolean } from '../values/boolean';
import { checkIndexedText, parseCommaList } from '../values/text';
import { fromGrams } from '../values/weight';
import { positionBounds, safeBounds } from '../values/whole-number';
import { maximumProductCharacters, maximumVariants } from '../check-lengths';
import type { CsvCells } from './csv-columns';
import { toEscapedPath } from './escaped-path';
import type { ProductColumn } from './shopify-product-columns';

type Cells = CsvCells<ProductColumn>;

/** Properties of the file that its header shows: a missing column differs from a blank cell. */
export interface FileShape {
  readonly hasPublished: boolean;
  readonly hasTracker: boolean;
  readonly absent: AbsentFromProducts | undefined;
  readonly damage: SpreadsheetDamage;
}

/**
 * The rows of one handle. The first row is the product, its first variant and its first image. Each further row is a variant when it has a
 * price or an option, and may carry one more image.
 */
export class ShopifyProduct {
  readonly #first: Cells;
  readonly #shape: FileShape;
  readonly #optionNames: readonly (string | null)[];
  readonly #variants: VariantValues[] = [];
  readonly #lineOfVariant = new Map<string, number>();
  #heldCharacters = 0;
  #isTooLarge = false;
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
      first.report(first.at('title').refuse('', `a title on the first row of handle ${JSON.stringify(this.handle)}`));
    const published = first.parsed('published', toPublished) ?? false;
    const body = first.text('body');
    this.#shape.damage.checkText(title, first.nameOf('title'), first.row.line);
    this.#shape.damage.checkText(body, first.nameOf('body'), first.row.line);
    const values = {
      external_id: first.parsed('handle', (_, at) => checkIndexedText(`handle:${this.handle}`, at)) ?? '',
      title: title ?? '',
      handle: this.handle,
      status: this.#status(published),
      vendor: first.indexedText('vendor'),
      product_type: first.indexedText('type'),
      tags: first.parsed('tags', toTags) ?? [],
      description_html: body,
      seo_title: first.text('seoTitle'),
      seo_description: first.text('seoDescription'),
      image_url: this.#image?.url ?? null,
      published_at: null,
      published,
      created_at: null,
      updated_at: null,
    };
    return {
      kind: 'product',
      line: first.row.line,
      values,
      variants: this.#variants,
      absent: this.#shape.absent,
    };
  }

  /** Older files have no status, and the oldest have no Published either. An unlisted product is for sale to anyone who has its link. */
  #status(published: boolean): ProductStatus {
    return this.#first.parsed('status', toStatus) ?? (published || !this.#shape.hasPublished ? 'ACTIVE' : 'DRAFT');
  }

  #addVariant(cells: Cells): void {
    if (this.#isTooLarge) return;
    if (this.#variants.length >= maximumVariants) {
      return this.#stop(
        cells,
        `expected at most ${maximumVariants} variants of one handle, got more of ${JSON.stringify(this.handle)}`,
      );
    }
    // Whole cells: a value parsed from a cell may keep the whole cell in memory.
    for (const cell of cells.row.cells) this.#heldCharacters += cell.length;
    if (this.#heldCharacters > maximumProductCharacters) {
      return this.#stop(
        cells,
        `expected rows of at most ${maximumProductCharacters} characters for one handle, got more for ${JSON.stringify(this.handle)}; give each product a handle of its own, or leave columns out`,
      );
    }
    const options = this.#options(cells);
    const externalId = toVariantId(this.handle, options);
    const earlier = this.#lineOfVariant.get(externalId);
    const place = cells.at('option1Value');
    if (earlier !== undefined) {
      return cells.report(place.fault(`line ${earlier} already has a variant with the same options`));
    }
    cells.check(() => checkIndexedText(externalId, place));
    this.#lineOfVariant.set(externalId, cells.row.line);
    const isTracked = cells.text('tracker') !== null || !this.#shape.hasTracker;
    const grams = cells.decimal('grams');
    const weight =
      grams === null ? null : cells.check(() => fromGrams(grams, cells.word('weightUnit'), cells.at('weightUnit')));
    const sku = cells.text('sku');
    // A leading apostrophe keeps spreadsheets from turning the digits into a number.
    const barcode = cells.word('barcode')?.replace(/^'/, '') ?? null;
    this.#shape.damage.checkCode(sku, cells.nameOf('sku'), cells.row.line);
    this.#shape.damage.checkBarcode(barcode, cells.nameOf('barcode'), cells.row.line);
    this.#variants.push({
      external_id: externalId,
      title: options.length === 0 ? 'Default Title' : options.map(({ value }) => value).join(' / '),
      sku,
      barcode,
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

  /** The remaining rows of the handle are skipped. */
  #stop(cells: Cells, problem: string): void {
    this.#isTooLarge = true;
    cells.report(cells.at('handle').fault(problem));
  }

  #options(cells: Cells): readonly VariantOption[] {
    return toOptions(
      optionNumbers.map((number) => cells.word(`option${number}Value`)),
      this.#optionNames,
    );
  }

  #addImage(cells: Cells): void {
    const url = cells.word('imageSource');
    if (url === null) return;
    const given = cells.wholeNumber('imagePosition', positionBounds);
    const position = given === null ? Number.POSITIVE_INFINITY : Number(given);
    if (this.#image === undefined || position < this.#image.position) this.#image = { url, position };
  }
}

function toPublished(word: string, place: Place): boolean {
  const published = parseBoolean(word);
  if (published === undefined) throw place.refuse(word, 'true or false');
  return published;
}

export function toStatus(word: string, place: Place): ProductStatus {
  const text = word.toUpperCase();
  if (text === 'UNLISTED') return 'ACTIVE';
  const status = productStatuses.find((known) => known === text);
  if (status === undefined) throw place.refuse(text, 'active, draft, archived or unlisted');
  return status;
}

const toTags = (list: string, place: Place): string[] =>
  parseCommaList(list).map((tag) => checkIndexedText(tag, place));

/** The options in a row's cells. Shopify writes a product without options as `Title` = `Default Title`. */
export function toOptions(
  values: readonly (string | null)[],
  names: readonly (string | null)[],
): readonly VariantOption[] {
  const options = values.flatMap((value, index) =>
    value === null ? [] : [{ name: names[index] ?? `Option${index + 1}`, value }],
  );
  const isDefault = options.length === 1 && options[0]?.value === 'Default Title';
  return isDefault ? [] : options;
}

/**
 * The file has no ids, so a variant is identified by what distinguishes it: the same in every export, regardless of the position of its
 * row.
 */
export const toVariantId = (handle: string, options: readonly VariantOption[]): string =>
  variantIdWithin(`handle:${handle}`, options);

export const variantIdWithin = (productId: string, options: readonly VariantOption[]): string =>
  toEscapedPath(productId, options.length === 0 ? [{ value: 'Default Title' }] : options);
