/**
 * Whether a text is a URL (WHATWG), or one relative to a base. Does not use `URL.canParse`: in Node 20 it rejects texts
 * with letters such as ü after some ten thousand calls, because V8's fast calls pass it Latin-1 as UTF-8.
 */
export function isUrl(text: string, base?: string): boolean {
  try {
    new URL(text, base);
    return true;
  } catch {
    return false;
  }
}

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && isUrl(text);
