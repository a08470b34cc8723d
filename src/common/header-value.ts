/** The value of a header field without surrounding white space: SP and HTAB only (RFC 9110 5.6.3). */
function trimFieldValue(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isWhitespace(value.charCodeAt(start))) start += 1;
  while (end > start && isWhitespace(value.charCodeAt(end - 1))) end -= 1;
  return value.slice(start, end);
}

const isWhitespace = (code: number): boolean => code === 0x20 || code === 0x09;

export interface MediaType {
  /** `type/subtype` in lower case. */
  readonly essence: string;
  /** The values of all `charset` parameters in lower case; an empty text for one that cannot be parsed. */
  readonly charsets: readonly string[];
}

/** Parses the parts of a Content-Type that are used here (RFC 9110 8.3.1). Other parameters are ignored. */
export function parseMediaType(value: string): MediaType {
  const [essence = '', ...parameters] = value.split(';').map(trimFieldValue);
  const charsets = parameters
    .map((parameter) => parameter.toLowerCase())
    .filter((parameter) => /^charset\b/.test(parameter))
    .map((parameter) => /^charset=(?:"([^"\\]*)"|([^"\\]*))$/.exec(parameter))
    .map((found) => found?.[1] ?? found?.[2] ?? '');
  return { essence: essence.toLowerCase(), charsets };
}
