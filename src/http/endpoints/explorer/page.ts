/** A page with the policy it was written for: its nonce stands in both, so neither is any good without the other. */
export interface Page {
  readonly html: string;
  readonly contentSecurityPolicy: string;
}

/** The header's text from its directives, in their order. */
export const toContentSecurityPolicy = (directives: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(directives)
    .map(([name, sources]) => [name, ...sources].join(' '))
    .join('; ');

/** What no page of ours needs: everything that is not named, other bases, forms, being framed. */
export const closedByDefault: Readonly<Record<string, readonly string[]>> = {
  'default-src': ["'none'"],
  'base-uri': ["'none'"],
  'form-action': ["'none'"],
  'frame-ancestors': ["'none'"],
};

/** An icon of its own keeps the browser, and Apollo's script, from looking for one elsewhere. */
export const iconLink = '<link rel="icon" href="data:,">';
