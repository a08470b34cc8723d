/** Secrets that tests created, in plain text. */
const secrets = new Set<string>();

/** Registers a secret that must not appear in any log. */
export function keepSecret(secret: string): string {
  secrets.add(secret);
  return secret;
}

/**
 * What no line of a log may contain, whatever its source: tokens, API keys, credentials, e-mail addresses in plain and
 * percent-encoded.
 */
const shapes = [
  /eyJ[\w-]{5,}\.[\w-]*/g,
  /\b[a-z][a-z0-9]*_[0-9A-Za-z]{16,}\.[0-9A-Za-z]{16,}/g,
  /\b(?:basic|bearer) [\w.~+/=-]{8,}/gi,
  /[\w.+-]+(?:@|＠|%40)[\w-]+(?:\.[\w-]+)+/gi,
];

/** Written independently of src/privacy/masked-line.ts, which removes these: one may detect what the other misses. */
export const findPrivateTexts = (text: string): string[] => [
  ...[...secrets].filter((secret) => text.includes(secret)),
  ...shapes.flatMap((shape) => text.match(shape) ?? []),
];

/** Throws if there is one. */
export function checkNothingPrivate(what: string, text: string): void {
  const found = findPrivateTexts(text);
  if (found.length > 0) throw new Error(`${what} contains private text: ${found.join(', ')}`);
}
