import { fc } from './properties';

const range = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));

/**
 * C0, DEL, C1, line separators, marks that reverse the reading direction, unpaired surrogates, and delimiters of
 * headers and HTML.
 */
const hostileUnits: readonly string[] = [
  ...range(0, 0x1f),
  ...range(0x7f, 0x9f),
  ...range(0x2028, 0x202e),
  ...range(0x2066, 0x2069),
  '\ud800',
  '\udc00',
  ...'"\'<>&,;:=\\\r\n',
  '\r\nSet-Cookie: a=b',
  '</script>',
];

export const hostileUnitTexts = fc
  .array(fc.oneof(fc.constantFrom(...hostileUnits), fc.string({ maxLength: 3 })), { minLength: 1, maxLength: 8 })
  .map((parts) => parts.join(''));

/** What a header of a request can carry at all: tab, printable ASCII, and bytes above it. */
export const toFieldValue = (text: string): string =>
  text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '\u0085').replaceAll(/^[\t ]+|[\t ]+$/g, '') || 'x';
