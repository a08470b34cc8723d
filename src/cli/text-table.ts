import { toTerminalLine } from '../common/terminal';

/** Columns as wide as their widest cell, with two spaces between them. Wide characters (CJK, emoji) count as two. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  // Created here and not above: most commands print no table.
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const widthOf = (text: string): number => displayWidth(graphemes, text);
  // A cell is one line: line breaks are escaped.
  const lines = [header, ...rows].map((line) => line.map(toTerminalLine));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => widthOf(line[column] ?? ''))));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const wide =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|\ufe0f|[\uff01-\uff60]/u;

function displayWidth(graphemes: Intl.Segmenter, text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
