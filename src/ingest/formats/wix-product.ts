import { maximumProductCharacters, maximumVariants } from '../check-lengths';
import type { Place } from '../import-error';
import type { AbsentFromProducts, ProductRecord, VariantValues } from '../record';
import type { VariantOption } from '../../catalog/model';
import type { SpreadsheetDamage } from '../spreadsheet-damage';
import { parseBoolean } from '../values/boolean';
import { addDecimals, isZero, lessPercent, subtractDecimals } from '../values/decimal-sum';
import { checkIndexedText } from '../values/text';
import { safeBounds } from '../values/whole-number';
import type { CsvCells } from './csv-columns';
import { variantIdWithin } from './shopify-product';
import { wixOptions, type WixColumn } from './wix-columns';

type Cells = CsvCells<WixColumn>;

/** The row of a product and those of its variants. A product without variant rows is its own variant. */
export class WixProduct {
  readonly #variants: VariantValues[] = [];
  readonly #lineOfVariant = new Map<string, number>();
  readonly #price: string | null;
  readonly #discount: Discount | null;
  #heldCharacters = 0;
  #isTooLarge = false;

  constructor(
    readonly id: string,
    private readonly first: Cells,
    private readonly absent: AbsentFromProducts | undefined,
    private readonly damage: SpreadsheetDamage,
  ) {
    this.#price = first.decimal('price');
    this.#discount = toDiscount(first);
  }

  /** Options without variants: texts to choose from, without price or stock. */
  get hasOptionsOnly(): boolean {
    return this.#variants.length === 0 && this.first.text('option1Name') !== null;
  }

  addVariant(cells: Cells): void {
    if (this.#isTooLarge) return;
    for (const cell of cells.row.cells) this.#heldCharacters += cell.length;
    if (this.#variants.length >= maximumVariants || this.#heldCharacters > maximumProductCharacters) {
      this.#isTooLarge = true;
      const limit = `at most ${maximumVariants} variants of one product, and ${maximumProductCharacters} characters`;
      return cells.report(cells.at('handleId').fault(`expected ${limit}, got more of ${JSON.stringify(this.id)}`));
    }
    this.#add(cells, this.#options(cells));
  }

  finish(): ProductRecord {
    const { first, damage } = this;
    if (this.#variants.length === 0 && !this.#isTooLarge) this.#add(first, []);
    const title = first.text('name');
    if (title === null) first.report(first.at('name').refuse('', 'a name on the row of each product'));
    const body = first.text('description');
    damage.checkText(title, first.nameOf('name'), first.row.line);
    damage.checkText(body, first.nameOf('description'), first.row.line);
    const visible = first.parsed('visible', toVisible) ?? true;
    const values = {
      external_id: this.id,
      title: title ?? '',
      handle: null,
      status: visible ? 'ACTIVE' : 'DRAFT',
      vendor: first.indexedText('brand'),
      product_type: null,
      tags: [],
      description_html: body,
      seo_title: null,
      seo_description: null,
      image_url: toImage(first.word('image')),
      published_at: null,
      published: visible,
      created_at: null,
      updated_at: null,
    } as const;
    return { kind: 'product', line: first.row.line, values, variants: this.#variants, absent: this.absent };
  }

  #add(cells: Cells, options: readonly VariantOption[]): void {
    const externalId = variantIdWithin(this.id, options);
    const earlier = this.#lineOfVariant.get(externalId);
    const place = cells.at('option1Value');
    if (earlier !== undefined) {
      return cells.report(place.fault(`line ${earlier} already has a variant with the same options`));
    }
    cells.check(() => checkIndexedText(externalId, place));
    this.#lineOfVariant.set(externalId, cells.row.line);
    const surcharge = cells.decimal('surcharge');
    const full = this.#price === null || surcharge === null ? this.#price : addDecimals(this.#price, surcharge);
    const isReduced = full !== null && this.#discount !== null;
    const sku = cells.text('sku');
    this.damage.checkCode(sku, cells.nameOf('sku'), cells.row.line);
    this.#variants.push({
      external_id: externalId,
      title: options.length === 0 ? 'Default Title' : options.map(({ value }) => value).join(' / '),
      sku,
      barcode: null,
      price: isReduced ? this.#discount(full) : full,
      compare_at_price: isReduced ? full : null,
      cost_price: cells.decimal('cost') ?? this.first.decimal('cost'),
      inventory_quantity: toStock(cells),
      weight: cells.decimal('weight') ?? this.first.decimal('weight'),
      weight_unit: null,
      position: String(this.#variants.length + 1),
      image_url: null,
      options,
      created_at: null,
      updated_at: null,
    });
  }

  #options(cells: Cells): readonly VariantOption[] {
    return wixOptions.flatMap((number) => {
      const value = cells.word(`option${number}Value`);
      if (value === null) return [];
      const isColour = this.first.word(`option${number}Type`)?.toUpperCase() === 'COLOR';
      // A colour is written with its code: #ff0000:Red.
      const shown = isColour ? value.replace(/^#?[0-9a-f]{3,8}:(?=.)/i, '') : value;
      return [{ name: this.first.word(`option${number}Name`) ?? `Option${number}`, value: shown }];
    });
  }
}

type Discount = (price: string) => string;

function toDiscount(cells: Cells): Discount | null {
  const value = cells.decimal('discountValue');
  if (value === null || isZero(value)) return null;
  const mode = cells.word('discountMode')?.toUpperCase() ?? '';
  if (mode === 'PERCENT') return (price) => lessPercent(price, value);
  if (mode === 'AMOUNT') return (price) => subtractDecimals(price, value);
  cells.report(cells.at('discountMode').refuse(mode, 'PERCENT or AMOUNT'));
  return null;
}

/** Stock that is not tracked is either available (null) or not (0). */
function toStock(cells: Cells): string | null {
  const word = cells.word('inventory')?.toLowerCase();
  if (word === 'instock') return null;
  return word === 'outofstock' ? '0' : cells.wholeNumber('inventory', safeBounds);
}

function toVisible(word: string, place: Place): boolean {
  const visible = parseBoolean(word);
  if (visible === undefined) throw place.refuse(word, 'true or false');
  return visible;
}

/** The first of several. Images hosted by Wix are given by their file names. */
function toImage(list: string | null): string | null {
  const first = list
    ?.split(';')
    .map((part) => part.trim())
    .find((part) => part !== '');
  if (first === undefined) return null;
  return /^(?:https?:)?\/\//i.test(first) ? first : `https://static.wixstatic.com/media/${first}`;
}
