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

/** What terms of `catalog_terms` begin with that are no part of the searched text, and what separates terms. */
export const termMark = '\uFFFE';
export const termSeparator = '\uFFFF';

/** Behind the mark, what a term is about. */
export const termKinds = { status: 's', vendor: 'v', productType: 'p', tag: 't' } as const;

/** The only term of a product whose texts are too long to be cut up: it may hold anything. */
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
};
