import type { SourceLocation } from '../values/import-error';
import { momentsOf, parseLocalDate, toTimestamp } from '../values/local-date';
import { parseTimestamp } from '../values/timestamp';
import { refuseLocalDate } from './file-dates';
import type { ReadContext } from './format';

const day = 86_400_000;

/** The sales of one file. A sale price is the price only if the import runs between the dates of the sale. */
export class Sales {
  #others = 0;

  constructor(private readonly context: Pick<ReadContext, 'asOf' | 'dateFormat' | 'warn'>) {}

  /** Whether the time in a cell has come. */
  readonly hasBegun = (word: string, location: SourceLocation): boolean => this.#isPast(word, location, 0);

  /** Whether a sale that ends at the time in a cell is over. The last day belongs to the sale. */
  readonly hasEnded = (word: string, location: SourceLocation): boolean => this.#isPast(word, location, day);

  /** The price, and the regular price during a sale. Dates are null if there are none. */
  pricesOf(
    regular: string | null,
    sale: string | null,
    hasBegun: boolean | null,
    hasEnded: boolean | null,
  ): { readonly price: string | null; readonly full: string | null } {
    if (sale !== null && hasBegun !== false && hasEnded !== true) return { price: sale, full: regular };
    if (sale !== null) this.#others += 1;
    return { price: regular, full: null };
  }

  warn(): void {
    if (this.#others === 0) return;
    this.context.warn(`sale prices that were not active at the time of the import (${this.context.asOf}): ${this.#others}; regular prices were imported`); // prettier-ignore
  }

  /** All readings of an ambiguous date must give the same result. */
  #isPast(word: string, location: SourceLocation, length: number): boolean {
    // MySQL's way of writing no date.
    if (word.startsWith('0000-00-00')) return length === 0;
    const { asOf, dateFormat } = this.context;
    const date = parseLocalDate(word);
    const moments = !date
      ? [parseTimestamp(word, location)]
      : dateFormat
        ? [toTimestamp(date, dateFormat, location)]
        : momentsOf(date);
    const added = word.includes(':') ? 0 : length;
    const [isPast, ...others] = new Set(moments.map((moment) => Date.parse(moment) + added <= Date.parse(asOf)));
    if (isPast === undefined) throw location.refuse(word, 'a valid date');
    if (others.length > 0) throw refuseLocalDate(word, location);
    return isPast;
  }
}
