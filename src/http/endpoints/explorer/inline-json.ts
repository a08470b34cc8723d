const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/**
 * Writes a value as an expression inside `<script>`. No text can end the element or open a comment, because the
 * characters needed for that are always escaped. In JSON they occur only within strings, where the escape means the
 * same.
 */
export const toInlineJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? character);
