/** How deeply encodings, brackets and comments may nest. Each level costs a pass over the text. */
export const maxNesting = 12;

/**
 * Converts all spellings of an e-mail address to one: lower case, decoded, without invisible characters. For searching
 * only. Undefined for a text that is encoded more deeply than any real one.
 */
export function toCanonicalText(text: string): string | undefined {
  let decoded = fold(text);
  for (let round = 0; round < maxNesting; round += 1) {
    if (!/[%&\\([{<]/.test(decoded)) return withoutRepeats(decoded);
    const before = decoded;
    for (const [pattern, decode] of decoders)
      decoded = decoded.replaceAll(pattern, (_, encoded: string) => decode(encoded));
    // Last, because one byte of a sequence may be encoded more deeply than the others.
    if (decoded === before) decoded = decoded.replaceAll(/(?:%[89a-f][\da-f])+/g, fromUtf8);
    if (decoded === before) return withoutRepeats(decoded);
  }
  return undefined;
}

const withoutRepeats = (text: string): string => text.replaceAll(/ {2,}/g, ' ').replaceAll(/@{2,}/g, '@');
const fold = (text: string): string => text.toLowerCase().replaceAll(/[^ -~]/gu, foldCharacter);
const fromCode = (code: number): string => (code > 0x10ffff ? ';' : fold(String.fromCodePoint(code)));
const fromHex = (digits: string): string => fromCode(parseInt(digits, 16));
const fromUtf8 = (bytes: string): string => fold(Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
/** Together, because two units may form one character. */
const fromUnits = (units: string): string =>
  fold(units.replaceAll(/.u(.{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))));

const characters = new Map(Object.entries({
  commat: '@', period: '.', amp: '&', percnt: '%', num: '#', semi: ';', lt: '<', gt: '>', quot: '"', apos: "'", lpar: '(', rpar: ')',
  lsqb: '[', rsqb: ']', lbrack: '[', rbrack: ']', lcub: '{', rcub: '}', lbrace: '{', rbrace: '}', bsol: '\\', lowbar: '_', hyphen: '-',
  dash: '-', plus: '+', colon: ':',
})); // prettier-ignore
const invisibleNames = /^(?:zero|negative|zw|shy|nobreak|lrm|rlm|af$|apply|i[tc]$|invisible)/;

/** The character of a named reference. Names that do not matter here, such as `&uuml;`, become a letter. */
function fromName(name: string): string {
  if (invisibleNames.test(name)) return '';
  return /sp\d*$|space$|^tab$|^newline$/.test(name) ? ' ' : (characters.get(name) ?? 'x');
}

/**
 * Patterns with one group each, and its decoder. Without a semicolon, a code that is an at sign or a dot ends before
 * other digits.
 */
const decoders: readonly (readonly [pattern: RegExp, decode: (encoded: string) => string])[] = [
  [/(?:%(?=[0-7])|\\x)([\da-f]{2})/g, fromHex],
  [/((?:[%\\]u[\da-f]{4})+)/g, fromUnits],
  [/\\u\{0*([\da-f]{1,6})\}/g, fromHex],
  [/&#x0*([\da-f]+(?=;)|40|2e|ff20|[\da-f]+);?/g, fromHex],
  [/&#0*(\d+);?/g, (digits) => fromCode(Number(digits))],
  [
    /&(commat|period|amp|percnt|semi|nbsp|shy|quot|apos|lt|gt|[lr](?:par|sqb|brack)|tab|newline|ensp|zwn?j|lowbar|hyphen|dash|plus);?/g,
    fromName,
  ],
  [/&([a-z]{2,31}\d{0,2});/g, fromName],
  [/[([{<] *(at|@|dot|\.) *[)\]}>]/g, (word) => (word === 'at' || word === '@' ? '@' : '.')],
];

const folded = new Map<string, string>();
const maxFolded = 50_000;

/** The form of a character for searching. Cached, because computing it takes microseconds. */
export function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  if (folded.size === maxFolded) folded.clear();
  const form = toForm(character);
  folded.set(character, form);
  return form;
}

/** Compatibility forms of more characters than this are words, and become two letters. */
const maxExpansion = 4;

function toForm(character: string): string {
  if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)) return '';
  if (/[\s\u0085]/.test(character)) return ' ';
  if (/\p{Cc}/u.test(character)) return '';
  const form = character.normalize('NFKC').toLowerCase();
  return form.length > maxExpansion ? 'xx' : form.replaceAll(/[^ -~]/gu, toSign);
}

/**
 * Converts punctuation to ASCII, so that only ASCII delimits addresses. The ideographic full stop separates labels (UTS
 * 46).
 */
function toSign(character: string): string {
  if (character === '。') return '.';
  if (/[“”„‟«»]/.test(character)) return '"';
  if (/[‘’‛]/.test(character)) return "'";
  return /[\p{Pc}\p{Pd}·・]|[^\p{P}\p{C}\p{Z}]/u.test(character) ? character : ';';
}
