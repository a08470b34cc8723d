/** A page with its content security policy. Both contain the same nonce, so neither is usable without the other. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

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

/** An explicit icon keeps the browser, and Apollo's script, from requesting one elsewhere. */
export const iconLink = '<link rel="icon" href="data:,">';
