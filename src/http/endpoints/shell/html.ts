const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text as HTML, also inside an attribute in double quotes. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/**
 * A tab of a list of tabs, which shell.js moves between.
 * @param panel the id of what it shows
 * @param at its place in the list: the first is chosen at first
 * @param attributes further ones, each with a space before it
 */
export const renderTab = (panel: string, name: string, at: number, attributes = ''): string =>
  `<button type="button" role="tab" aria-controls="${panel}" aria-selected="${at === 0}" tabindex="${at === 0 ? 0 : -1}"${attributes}>${name}</button>`;

const escapesInScript: Readonly<Record<string, string>> = {
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
  JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapesInScript[character] ?? character);

/** Joins the directives, in their order, to the text of the header. */
export const toContentSecurityPolicy = (directives: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');

/** What none of our pages needs: all sources not listed, other bases, forms, being framed. */
export const closedByDefault: Readonly<Record<string, readonly string[]>> = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};
