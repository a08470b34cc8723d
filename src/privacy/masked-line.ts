import { maskAddresses, mayHoldAddress } from './addresses';

/** Members whose value is always secret, in lower case and without separators. */
const secretNames = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'passphrase',
  'secret',
  'clientsecret',
  'apikey',
  'accesstoken',
]);
/** Each of them ends in one of these words. */
const lastWordsOfSecretNames = /(?:authorization|cookie|pass(?:word|phrase)|secret|key|token)$/i;
const isSecretName = (name: string): boolean => secretNames.has(name.replaceAll(/[-_]/g, '').toLowerCase());

/**
 * Patterns of secrets, and what replaces them. A match begins at the first character of a run and nowhere inside it, so
 * that a long run without a secret is scanned once, not once from each of its characters.
 */
const secrets: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // Authorization values (RFC 9110 11.4), also inside messages.
  [/\b(bearer|basic)\s+[\w.~+/=:%-]+/gi, '$1 [credential]'],
  // Access tokens: three base64url parts, of which the first two are JSON objects.
  [/(?<![\w-])(?=[\w-]+\.[\w-])([\w-]*?)\beyJ[\w-]{5,}\.[\w-]+(?:\.[\w-]*)?/g, '$1[token]'],
  // API keys (D12). The part before the dot is not secret and identifies the key.
  [/\b([a-z][a-z0-9]{0,15}_[0-9A-Za-z]{1,64})\.[0-9A-Za-z]{16,}/g, '$1.[secret]'],
  // 256 bits in base62, as in an API key's secret; a hexadecimal digest does not match.
  [/\b(?![0-9a-f]+\b)[0-9A-Za-z]{43,}/g, '[secret]'],
  // User name and password of a URL, such as DATABASE_URL.
  [/\/\/[^\s/@]+@/g, '//[credential] '],
];

/**
 * Removes credentials and e-mail addresses from a line of the log (D25). This is the last step for every log line,
 * after it has become text, so it covers anything that an error carries, in any member, at any depth.
 */
export function maskLine(line: string): string {
  if (!mayHoldSecrets(line) && !mayHoldAddress(line)) return line;
  return `${JSON.stringify(maskValue(JSON.parse(line)))}\n`;
}

function maskValue(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      maskText(name),
      isSecretName(name) && member !== null ? '[secret]' : maskValue(member),
    ]),
  );
}

export const maskText = (text: string): string =>
  maskAddresses(secrets.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text));

/** By code: 1 for letters and digits, 2 for the at sign that ends the credentials of a URL. */
const kinds = new Uint8Array(128);
for (const unit of '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz') kinds[unit.charCodeAt(0)] = 1;
kinds['@'.charCodeAt(0)] = 2;

const [quote, dot, blank, colon] = ['"', '.', ' ', ':'].map((unit) => unit.charCodeAt(0));
const longWord = 43;
const longWordBehindDot = 16;

/**
 * Whether a line may contain a credential. Scans its characters once, because a line is written for every request and
 * almost none contains one. The same check as a pattern takes longer than creating the line.
 */
function mayHoldSecrets(line: string): boolean {
  let start = 0;
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index);
    const kind = code < 128 ? kinds[code] : 0;
    if (kind === 1) continue;
    if (kind === 2 || (index > start && isSuspiciousWord(line, start, index))) return true;
    start = index + 1;
  }
  return false;
}

/**
 * Whether a word is long enough for a secret, begins a token, is a scheme before a credential, or names a secret
 * member.
 */
function isSuspiciousWord(line: string, start: number, end: number): boolean {
  const length = end - start;
  if (length >= longWord || (length >= longWordBehindDot && line.charCodeAt(start - 1) === dot)) return true;
  const next = line.charCodeAt(end);
  if (next === blank) return length < 7 && /^(?:basic|bearer)$/i.test(line.slice(start, end));
  if (line.startsWith('eyJ', start)) return true;
  return next === quote && line.charCodeAt(end + 1) === colon && lastWordsOfSecretNames.test(line.slice(start, end));
}
