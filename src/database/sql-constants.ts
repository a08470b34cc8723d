/*
 * What statements of the service and functions of the database both know. `npm run codegen` writes the values into the
 * SQL of prisma/, each in front of a comment with its name.
 */

/** The characters of a text that indexes and terms keep: an entry of a B-tree holds at most 2,700 bytes. */
export const keptCharacters = 500;

/** The values of `changes.kind`: the tables of the change feed, in its order. */
export const changeKinds = { products: 1, variants: 2, collections: 3, orders: 4 } as const;

/** How many hours of UTC the rows of `order_figures` hold: a part of a day, a day and a week. */
export const figureHours = { part: 4, day: 24, week: 168 } as const;

/** Separates terms, and begins those terms of `catalog_terms` that are not part of the searched text. */
export const termMark = '\uFFFE';
export const termSeparator = '\uFFFF';

/** Follows the mark and says what a term is about. */
export const termKinds = { status: 's', vendor: 'v', productType: 'p', tag: 't' } as const;

/** The same for a word: its section of `search_words`, most important first. */
export const wordSections = ['a', 'b', 'c', 'd'] as const;

/** Lengths of the prefixes of a word that are terms. */
export const wordTermLengths = [2, 3, 60] as const;

/** The characters of a product's SKUs that are searched. */
export const keptSkuCharacters = 8_000;

/** Classes of characters that expressions of PostgreSQL and of JavaScript read alike, in any locale. */
export const accents = '[\\u0300-\\u036f]';
/** Each is a word, because no spaces separate them. */
export const ideographs = '[\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff]';
/** All of ASCII, punctuation and symbols except letters and digits, and noncharacters. */
export const wordSeparators =
  '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf\\u00d7\\u00f7\\u02b0-\\u02ff\\u2000-\\u206f\\u20a0-\\u20cf\\u2100-\\u2bff\\u3000-\\u3020\\u3030\\u30fb\\ufe00-\\ufe6f\\ufff0-\\ufffe]';

/** The only term of a product whose text is too long to split: it may contain anything. */
export const anyTerm = '!';

/** How many days the usage of keys is kept. */
export const usageDays = 400;

const quoted = (text: string): string =>
  `U&'${text.replaceAll(/[^ -~]/g, (unit) => `\\${unit.charCodeAt(0).toString(16).toUpperCase()}`)}'`;

/** By the name in the comment, as PostgreSQL writes them. */
export const sqlConstants: Readonly<Record<string, string>> = {
  kept_characters: String(keptCharacters),
  product_kind: String(changeKinds.products),
  variant_kind: String(changeKinds.variants),
  collection_kind: String(changeKinds.collections),
  order_kind: String(changeKinds.orders),
  figure_hours: `'{${Object.values(figureHours).join(',')}}'`,
  shortest_figure: `'${figureHours.part} hours'`,
  usage_days: String(usageDays),
  status_term: quoted(termMark + termKinds.status),
  vendor_term: quoted(termMark + termKinds.vendor),
  product_type_term: quoted(termMark + termKinds.productType),
  tag_term: quoted(termMark + termKinds.tag),
  next_tag_term: quoted(termSeparator + termMark + termKinds.tag),
  any_term: quoted(termMark + anyTerm),
  term_separator: quoted(termSeparator),
  term_mark: quoted(termMark),
  spaced_separator: quoted(` ${termSeparator} `),
  // With the mark, the letter of the section and a space.
  short_word_term: String(wordTermLengths[0] + 3),
  begun_word_term: String(wordTermLengths[1] + 3),
  word_term: String(wordTermLengths[2] + 3),
  next_last_word: quoted(`${termMark}${wordSections[3]} `),
  next_word_term: quoted(` ${termSeparator}${termMark}`),
  kept_sku_characters: String(keptSkuCharacters),
  accents: `'${accents}+'`,
  ideographs: `'${ideographs}'`,
  word_separators: `'${wordSeparators}+'`,
};
