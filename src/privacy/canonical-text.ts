/** How deeply encodings, brackets and comments may nest. Each level costs a pass over the text. */
export const maxNesting = 12;

/**
 * The one spelling for all those in which a text can contain an e-mail address: lower case, decoded, without invisible
 * characters. For searching only. Undefined for a text that is encoded more deeply than any honest one.
 */
export function toCanonicalText(text: string): string | undefined {
  let decoded = fold(text);
  for (let round = 0; round < maxNesting; round += 1) {
    if (!/[%&\\([{<]/.test(decoded)) return withoutRepeats(decoded);
    const before = decoded;
    for (const [pattern, decode] of decoders)
      decoded = decoded.replaceAll(pattern, (_, encoded: string) => decode(encoded));
    // Not earlier: a byte of a sequence can be encoded more deeply than the others.
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
/** Together, because two can be one character. */
const fromUnits = (units: string): string =>
  fold(units.replaceAll(/.u(.{4})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 16))));

const characters: Readonly<Record<string, string>> = {
  commat: '@', period: '.', amp: '&', percnt: '%', num: '#', semi: ';', lt: '<', gt: '>', quot: '"', apos: "'", lpar: '(', rpar: ')',
  lsqb: '[', rsqb: ']', lbrack: '[', rbrack: ']', lcub: '{', rcub: '}', lbrace: '{', rbrace: '}', bsol: '\\', lowbar: '_', hyphen: '-',
  dash: '-', plus: '+', colon: ':',
}; // prettier-ignore
const invisibleNames = /^(?:zero|negative|zw|shy|nobreak|lrm|rlm|af$|apply|i[tc]$|invisible)/;

/** Names of letters, such as `&uuml;`, and others that do not matter, become a letter. */
function fromName(name: string): string {
  if (invisibleNames.test(name)) return '';
  return /sp\d*$|space$|^tab$|^newline$/.test(name) ? ' ' : (characters[name] ?? 'x');
}

/** Patterns with one group each, and what it represents. Without a semicolon only signs end before other digits. */
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

/** What a character is to the search. Remembered, because it takes microseconds. */
export function foldCharacter(character: string): string {
  const known = folded.get(character);
  if (known !== undefined) return known;
  if (folded.size === maxFolded) folded.clear();
  const form = toForm(character);
  folded.set(character, form);
  return form;
}

/** Compatibility forms that expand to more than this are words, and become two letters. */
const maxExpansion = 4;

function toForm(character: string): string {
  if (/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(character)) return '';
  if (/[\s\u0085]/.test(character)) return ' ';
  if (/\p{Cc}/u.test(character)) return '';
  const form = character.normalize('NFKC').toLowerCase();
  return form.length > maxExpansion ? 'xx' : form.replaceAll(/[^ -~]/gu, toSign);
}

/** Only ASCII marks where an address begins and ends. The ideographic full stop separates labels (UTS 46). */
function toSign(character: string): string {
  if (character === '。') return '.';
  if (/[“”„‟«»]/.test(character)) return '"';
  if (/[‘’‛]/.test(character)) return "'";
  return /[\p{Pc}\p{Pd}·・]|[^\p{P}\p{C}\p{Z}]/u.test(character) ? character : ';';
}
