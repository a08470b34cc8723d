/** First segments of the service's own paths (http/routes.ts): a prefix that begins with one would be ambiguous. */
export const ownSegments: readonly string[] = [
  '.well-known',
  'changes',
  'dashboard',
  'explorer',
  'export',
  'favicon.ico',
  'graphql',
  'livez',
  'llms.txt',
  'mcp',
  'metrics',
  'oauth',
  'readyz',
  'reference',
  'reference.md',
  'changelog',
  'changelog.md',
  'schema.graphql',
  'demo',
  'subgraph',
  'v1',
];

/**
 * The path of PUBLIC_URL without a trailing slash: `/catalog` for `https://shop.example/catalog`; empty if it has none.
 */
export const pathPrefixOf = (publicUrl: string | undefined): string =>
  publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');

/** The placeholder for PUBLIC_URL in documents, and the well-known names, which go before the path (RFC 8615). */
const documentedAddress = /https:\/\/api\.catalog\.example(\/\.well-known\/oauth-[a-z-]+)?/g;

/** Text of one of our documents, with the URLs of this installation. */
export const withAddresses = (text: string, publicUrl: string): string =>
  text.replaceAll(documentedAddress, (_address, wellKnown: string | undefined) =>
    wellKnown === undefined ? publicUrl : `${new URL(publicUrl).origin}${wellKnown}${pathPrefixOf(publicUrl)}`,
  );
