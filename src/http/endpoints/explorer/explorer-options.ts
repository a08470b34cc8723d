import { isIP } from 'node:net';
import { isUrl } from '../../../common/is-url';

/** The contents of the pages for people. Anyone who opens a page can read all of them. */
export interface ExplorerOptions {
  /** The example in the editor. */
  readonly document: string;
  /** The Authorization header of the demo key, such as `Bearer ck_….…`; undefined without a demo shop. */
  readonly authorization?: string | undefined;
  /** The address that people use, besides this machine's own names; links begin with its path. */
  readonly publicUrl?: string | undefined;
}

/**
 * The contents of a page opened under this Host: without the key, unless the name belongs to this machine or to
 * PUBLIC_URL. Any other name may belong to a site that points it at this server (DNS rebinding), whose scripts could
 * read the page as same-origin.
 */
export function optionsFor(options: ExplorerOptions, host: string | undefined): ExplorerOptions {
  if (hasOwnName(host, options.publicUrl)) return options;
  return { ...options, authorization: undefined };
}

/** RFC 9112 3.2: without user and password, which a URL parser would skip. */
const hostAndPort = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d*)?$/i;

/** Whether a Host header names this machine or PUBLIC_URL. */
export function hasOwnName(host: string | undefined, publicUrl: string | undefined): boolean {
  if (host === undefined || !hostAndPort.test(host)) return false;
  const name = hostnameOf(`http://${host}`);
  if (name === undefined) return false;
  const isAddress = isIP(name.replace(/^\[|\]$/g, '')) !== 0;
  return isAddress || name === 'localhost' || (publicUrl !== undefined && name === hostnameOf(publicUrl));
}

const hostnameOf = (url: string): string | undefined => (isUrl(url) ? new URL(url).hostname : undefined);

/** Headers that the editor starts with. */
export const initialHeaders = ({ authorization }: ExplorerOptions): Readonly<Record<string, string>> =>
  authorization === undefined ? {} : { Authorization: authorization };
