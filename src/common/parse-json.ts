export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The value of a JSON text; undefined if it is not JSON, or not in UTF-8: each byte of another encoding would become
 * the same replacement character, and a filter with one matches nothing. A byte order mark before bytes is ignored.
 */
export function parseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : utf8.decode(text));
  } catch {
    return undefined;
  }
}

/** The text of a percent-encoding of UTF-8; undefined if it is not one. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
