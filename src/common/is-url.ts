/**
 * Whether a text is a URL (WHATWG), or one relative to a base. Not by `URL.canParse`: that of Node 20 refuses texts
 * with letters such as ü once it has been called some ten thousand times, because V8's fast calls give it Latin-1 as
 * UTF-8.
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
