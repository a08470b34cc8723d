import type { ImportError, Place } from '../import-error';
import {
  isSameDay,
  orderOf,
  parseLocalDate,
  toTimestamp,
  type DayOrder,
  type LocalDate,
  type LocalDateFormat,
} from '../values/local-date';
import { parseTimestamp } from '../values/timestamp';

/**
 * The dates of one file. Some are in local form after a spreadsheet has saved the file; the first that can be read in one way only
 * decides about all of them, and when none can, the user is asked.
 */
export class FileDates {
  #order: DayOrder | undefined;
  #unclear: { readonly place: Place; readonly text: string } | undefined;
  #local: string | undefined;

  constructor(private readonly format: LocalDateFormat | undefined) {
    this.#order = format?.first;
  }

  /** Looks at a cell before it is read: the order may show in a later one. */
  note(text: string | null, place: Place): void {
    const date = text === null ? undefined : this.#toLocal(text);
    if (date === undefined || this.#order !== undefined || isSameDay(date)) return;
    this.#order = orderOf(date);
    if (this.#order === undefined) this.#unclear ??= { place, text: date.text };
  }

  /** Whether dates were noted that cannot be read yet. */
  get areUnclear(): boolean {
    return this.#unclear !== undefined && this.#order === undefined;
  }

  parse(text: string, place: Place): string {
    const date = this.#toLocal(text);
    if (date === undefined) return parseTimestamp(text, place);
    if (this.format === undefined) this.#local ??= text;
    return toTimestamp(date, { first: this.#order ?? 'day', offsetMinutes: this.format?.offsetMinutes ?? 0 }, place);
  }

  /** The error for a file whose dates can be read in two ways. */
  refuse(): ImportError {
    const { place, text } = this.#unclear as { place: Place; text: string };
    return place.refuse(
      text,
      'a timestamp such as 2026-01-31T12:00:00Z, or dates of which one shows what is the day: say it with --date-format DD/MM/YYYY or --date-format MM/DD/YYYY',
    );
  }

  /** What to tell people who did not say how such dates are meant. */
  get warnings(): string[] {
    if (this.#local === undefined) return [];
    const read = this.#order === 'month' ? 'MM/DD/YYYY' : 'DD/MM/YYYY';
    return [
      `dates such as ${JSON.stringify(this.#local)} have no time zone and were read as ${read} in UTC; say otherwise with --date-format "${read} +02:00"`,
    ];
  }

  /** Dates that begin with the year are no surprise, but without a zone they are only read on demand. */
  #toLocal(text: string): LocalDate | undefined {
    const date = parseLocalDate(text);
    return date === undefined || (orderOf(date) === 'year' && this.format === undefined) ? undefined : date;
  }
}
