import type { ImportError, SourceLocation } from '../values/import-error';
import {
  isSameDay,
  orderOf,
  parseLocalDate,
  toTimestamp,
  type DayOrder,
  type LocalDateFormat,
} from '../values/local-date';
import { parseTimestamp } from '../values/timestamp';

/**
 * The dates of one file. They may be in a local format if a spreadsheet has saved the file. The first unambiguous date
 * decides how all of them are read. If there is none, the user must choose.
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
    const date = text === null ? undefined : parseLocalDate(text);
    if (date === undefined || this.#order !== undefined || isSameDay(date) || orderOf(date) === 'year') return;
    this.#order = orderOf(date);
    if (this.#order === undefined) this.#unclear ??= { location, text: date.text };
  }

  /** Whether dates were noted that cannot be parsed yet. */
  get areUnclear(): boolean {
    return this.#unclear !== undefined && this.#order === undefined;
  }

  parse(text: string, location: SourceLocation): string {
    const date = parseLocalDate(text);
    if (date === undefined) return parseTimestamp(text, location);
    if (this.format !== undefined) return toTimestamp(date, this.format, location);
    this.note(text, location);
    const first = this.#order ?? (isSameDay(date) ? 'day' : undefined);
    // Dates that begin with the year are unambiguous, but without a time zone they are read only on request.
    if (first === undefined || orderOf(date) === 'year') throw refuseLocalDate(text, location);
    this.#local ??= text;
    return toTimestamp(date, { first, offsetMinutes: 0 }, location);
  }

  /** The error for a file whose dates are ambiguous. */
  refuse(): ImportError {
    const { location, text } = this.#unclear as { location: SourceLocation; text: string };
    return refuseLocalDate(text, location);
  }

  /** The warning for users who did not specify the format of such dates. */
  get warnings(): string[] {
    if (this.#local === undefined) return [];
    const read = this.#order === 'month' ? 'MM/DD/YYYY' : 'DD/MM/YYYY';
    return [
      `dates such as ${JSON.stringify(this.#local)} have no time zone and were read as ${read} in UTC; to change this, set --date-format "${read} +02:00"`,
    ];
  }
}

/** The error for a date whose format only an option can specify. */
export const refuseLocalDate = (text: string, location: SourceLocation): ImportError =>
  location.refuse(
    text,
    /^\d{4}/.test(text)
      ? 'a timestamp such as 2026-01-31T12:00:00Z (this one has no time or no time zone: set --date-format YYYY-MM-DD, or "YYYY-MM-DD +02:00")'
      : 'an unambiguous date (the order of day, month and year is unclear: set --date-format DD/MM/YYYY, MM/DD/YYYY or, with a time zone, "DD/MM/YYYY +02:00")',
  );
