import { isIP } from 'node:net';

/** What the pages for people are filled with. Everything in it can be read by whoever opens them. */
export interface ExplorerOptions {
  /** Where operations are sent, as a path of this server: `/graphql`. */
  readonly graphqlPath: string;
  /** The example that stands in the editor. */
  readonly document: string;
  /** The Authorization header of the demo key, such as `Bearer ck_….…`; none when there is no demo shop. */
  readonly authorization?: string | undefined;
  /** The origin that people use, beside this machine's own names. */
  readonly publicUrl?: string | undefined;
}

/**
 * What a page opened under this Host is filled with: without the key, unless the name belongs to this machine or to PUBLIC_URL. Any
 * other name may be a site's that lets it point here (DNS rebinding), and its scripts would read the page as their own.
 */
export function optionsFor(options: ExplorerOptions, host: string | undefined): ExplorerOptions {
  if (host !== undefined && isOwnName(host, options.publicUrl)) return options;
  return { ...options, authorization: undefined };
}

function isOwnName(host: string, publicUrl: string | undefined): boolean {
  const name = hostnameOf(`http://${host}`);
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  return isAddress || name === 'localhost' || (publicUrl !== undefined && name === hostnameOf(publicUrl));
}

const hostnameOf = (url: string): string | undefined => (URL.canParse(url) ? new URL(url).hostname : undefined);

/** Headers that the editor starts with. */
export const initialHeaders = ({ authorization }: ExplorerOptions): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { Authorization: authorization };
