/** A text of several lines in one, for a log. Linear in the text, unlike a pattern with white space on both sides of the line's end. */
export const toOneLine = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .join(' ');
