/**
 * Joins the lines of a text into one, for the log. Takes linear time, unlike a pattern with white space on both sides
 * of the line break.
 */
export const toOneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(' ');

/** Truncates a longer text and appends `…`. Mask the text first: half of a secret could remain. */
export const shorten = (text: string, mostCharacters: number): string =>
  text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text;
