/**
 * Joins the lines of a text into one, for the log. Takes linear time, unlike a pattern with white space on both sides
 * of the line break.
 */
export const toOneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(' ');
