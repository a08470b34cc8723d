const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const base = 62n;

/** `value` in base 62 with leading zeros up to `width` characters; `value` must be below 62^width. */
export function toBase62(value: bigint, width: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= base) text = digits.charAt(Number(rest % base)) + text;
  return text.padStart(width, '0');
}

/** The number that `text` represents; undefined when a character is not a base 62 digit. */
export function parseBase62(text: string): bigint | undefined {
  let value = 0n;
  for (const character of text) {
    const digit = digits.indexOf(character);
    if (digit < 0) return undefined;
    value = value * base + BigInt(digit);
  }
  return value;
}
