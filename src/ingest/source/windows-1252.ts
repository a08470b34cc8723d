const undefinedBytes = /[\x81\x8d\x8f\x90\x9d]/;

/**
 * Characters 0x80 to 0x9f; the rest is as in ISO 8859-1. A separate table, because some releases of Node.js decode
 * these bytes as in ISO 8859-1. A blank is a byte without a character.
 */
const table = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';

/** Decodes Windows-1252; undefined when a byte is not part of it. */
export function decodeWindows1252(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1');
  if (undefinedBytes.test(text)) return undefined;
  return text.replace(/[\x80-\x9f]/g, (sign) => table.charAt(sign.charCodeAt(0) - 0x80));
}

/** What Windows-1252 text practically never contains. */
const otherText = [
  undefinedBytes,
  // A sequence that is valid UTF-8.
  /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/,
  // Three accented letters in a row are text of another alphabet.
  /[\xc0-\xff]{3}/,
  // Symbols and capitals inside words are letters of Mac Roman.
  /[A-Za-z][\x80-\x8c\x8e\x91\x93-\x95\x98\x99\x9b\x9f][a-z]/,
  // Rare symbols (ƒ, and accents without a letter) are halves of Japanese letters.
  /[\x83\x88\x98]/,
  // A raised 1 or 3 before a letter, or ¿ after one, is a letter of Windows-1250.
  /[\xb3\xb9][a-z\xe0-\xff]|[a-z\xe0-\xff]\xbf/i,
  // ý twice in a word, or þ after a vowel without the á, æ, í, ó or ú of Icelandic, are the ı and ş of Windows-1254.
  /\xfd[a-z]+\xfd|^(?=[^]*[aeiou]\xfe)[^\xe1\xe6\xed\xf3\xfa]*$/i,
];

/** Whether bytes that are not UTF-8 are almost certainly Windows-1252. */
export function looksLikeWindows1252(bytes: Buffer): boolean {
  const text = bytes.toString('latin1');
  return !otherText.some((sign) => sign.test(text));
}
