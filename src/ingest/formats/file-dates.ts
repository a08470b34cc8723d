import type { ImportError, SourceLocation } from '../values/import-error';
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
 * The dates of one file. Some are in local form after a spreadsheet has saved the file. The first unambiguous date
 * decides how all of them are read. When there is none, the user must choose.
 */
export class FileDates {
  #order: DayOrder | undefined;
  #unclear: { readonly location: SourceLocation; readonly text: string } | undefined;
  #local: string | undefined;

  constructor(private readonly format: LocalDateFormat | undefined) {
    this.#order = format?.first;
  }

  /** Inspects a cell before it is parsed: a later cell may show the order. */
  note(text: string | null, location: SourceLocation): void {
    const date = text === null ? undefined : this.#toLocal(text);
    if (date === undefined || this.#order !== undefined || isSameDay(date)) return;
    this.#order = orderOf(date);
    if (this.#order === undefined) this.#unclear ??= { location, text: date.text };
  }

  /** Whether dates were noted that cannot be parsed yet. */
  get areUnclear(): boolean {
    return this.#unclear !== undefined && this.#order === undefined;
  }

  parse(text: string, location: SourceLocation): string {
    const date = this.#toLocal(text);
    if (date === undefined && parseLocalDate(text) !== undefined)
      throw location.refuse(
        text,
        'a timestamp such as 2026-01-31T12:00:00Z (this one has no time or no time zone: set it with --date-format "YYYY-MM-DD +02:00", or --date-format YYYY-MM-DD for UTC)',
      );
    if (date === undefined) return parseTimestamp(text, location);
    if (this.format === undefined) this.#local ??= text;
    return toTimestamp(date, { first: this.#order ?? 'day', offsetMinutes: this.format?.offsetMinutes ?? 0 }, location);
  }

  /** The error for a file whose dates are ambiguous. */
  refuse(): ImportError {
    const { location, text } = this.#unclear as { location: SourceLocation; text: string };
    return location.refuse(
      text,
      'a timestamp such as 2026-01-31T12:00:00Z, or dates of which one shows which number is the day: set --date-format DD/MM/YYYY or --date-format MM/DD/YYYY',
    );
  }

  /** The warning for users who did not specify how such dates are meant. */
  get warnings(): string[] {
    if (this.#local === undefined) return [];
    const read = this.#order === 'month' ? 'MM/DD/YYYY' : 'DD/MM/YYYY';
    return [
      `dates such as ${JSON.stringify(this.#local)} have no time zone and were read as ${read} in UTC; to change this, set --date-format "${read} +02:00"`,
    ];
  }

  /** Dates that begin with the year are unambiguous, but without a time zone they are read only on request. */
  #toLocal(text: string): LocalDate | undefined {
    const date = parseLocalDate(text);
    return date === undefined || (orderOf(date) === 'year' && this.format === undefined) ? undefined : date;
  }
}
