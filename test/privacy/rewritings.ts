/** An at sign next to which something can be inserted: alone, and not in brackets. */
const at = /(?<!\[)@(?![@\]])/g;

type Rewriting = readonly [what: string, rewrite: (address: string) => string];

const replacing = (what: string, part: RegExp | string, by: string | ((part: string) => string)): Rewriting => [
  what,
  (address) => address.replaceAll(part, typeof by === 'string' ? () => by : by),
];
const hex = (character: string, digits = 2): string =>
  (character.codePointAt(0) as number).toString(16).padStart(digits, '0');
const moved = (text: string, by: (code: number) => number): string =>
  Array.from(text, (letter) => String.fromCodePoint(by(letter.codePointAt(0) as number))).join('');

/** Ways to rewrite an address that readers still understand. Each may follow any other. */
export const rewritings: readonly Rewriting[] = [
  replacing('letters as references', /[a-z](?=[a-z]{3})/g, (letter) => `&#${letter.charCodeAt(0)};`),
  ['in capitals', (address) => address.toUpperCase()],
  replacing('a full-width at sign', '@', '＠'),
  replacing('a small at sign', '@', '﹫'),
  ['full width', (address) => address.replaceAll(/[!-~]/g, (text) => moved(text, (code) => code + 0xfee0))],
  ['mathematical letters', (address) => address.replaceAll(/[a-z]/g, (text) => moved(text, (code) => code + 0x1d3b9))],
  ['letters in circles', (address) => address.replaceAll(/[a-z]/g, (text) => moved(text, (code) => code + 0x246f))],
  replacing('a one-dot leader', '.', '․'),
  replacing('an ideographic full stop', '.', '。'),
  replacing('a half-width ideographic full stop', '.', '｡'),
  replacing('percent-encoded', /[@.%&\\]/g, (sign) => `%${hex(sign)}`),
  replacing('a percent sign, percent-encoded', '%', '%25'),
  replacing('letters, percent-encoded', /[a-z](?=[a-z]{3})/g, (letter) => `%${hex(letter)}`),
  replacing('a percent-encoded full-width at sign', '@', '%EF%BC%A0'),
  replacing('what escape() writes', /[@.]/g, (sign) => `%u${hex(sign, 4)}`),
  replacing('decimal references', /[@.%&\\]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  replacing('decimal references with zeros', /[@.]/g, (sign) => `&#000${sign.charCodeAt(0)};`),
  replacing('decimal references without semicolons', '@', '&#64'),
  replacing('hexadecimal references', /[@.%&\\]/g, (sign) => `&#x${hex(sign)};`),
  replacing('hexadecimal references in capitals', '@', '&#X0040;'),
  replacing('hexadecimal references without semicolons', '@', '&#x40'),
  replacing('a reference to the full-width at sign', '@', '&#xFF20;'),
  replacing('named references', /[@.]/g, (sign) => (sign === '@' ? '&commat;' : '&period;')),
  replacing('a named reference without semicolon', '@', '&commat'),
  replacing('a reference to an ampersand', '&', '&amp;'),
  replacing('escapes of JSON', /[@.%&\\]/g, (sign) => `\\u${hex(sign, 4)}`),
  replacing('escapes of JavaScript', '@', '\\x40'),
  replacing('braced escapes', '@', '\\u{000040}'),
  replacing('spaces beside the at sign', '@', ' @ '),
  replacing('no-break spaces and line breaks', '@', '\u00a0\r\n@\t\u2003'),
  replacing('references to spaces', '@', '&nbsp;@&ensp;'),
  replacing('spaces beside the last dot', /\.(?=[a-z]+$)/gi, ' . '),
  replacing('zero-width characters', /[@.%&]/g, (sign) => `\u200b${sign}\ufeff`),
  replacing('soft hyphens', /[a-z](?=[a-z])/g, (letter) => `${letter}\u00ad`),
  replacing('references to what is not shown', '@', '&shy;@&ZeroWidthSpace;'),
  replacing('control characters', '@', '\u0001@\u007f'),
  replacing('tag characters', '@', '\u{e0041}@'),
  replacing('a comment before the at sign', at, '(a (nested) comment)@'),
  replacing('a comment behind the at sign', at, '@(comment)'),
  replacing('a comment in the domain', /\.(?=[a-z]+$)/gi, '(comment).'),
  replacing('tags of HTML', at, '<b>@</b>'),
  replacing('a comment of HTML', at, '<!-- x -->@<wbr>'),
  replacing('two at signs', at, '@@'),
  replacing('a dot behind the at sign', at, '@.'),
  replacing('a backslash', at, '\\@'),
  replacing('an open comment', at, '@(('),
  replacing('two dots', /(?<![[.])\.(?=[a-z])/g, '..'),
  ['angle brackets', (address) => `<${address}>`],
  ['mailto', (address) => `mailto:${address}`],
  ['quotes', (address) => `"${address}"`],
  ['angle brackets around the local part', (address) => address.replace(/^[^@\s[]+(?=@)/, '<$&>')],
  ['a quoted local part', (address) => address.replace(/^[^@"[]+(?=@)/, '"$&"')],
  ['the local part in parentheses', (address) => address.replace(/^[^@\s()[]+(?=@)/, '($&)')],
  replacing('brackets', /[@.]/g, (sign) => `[${sign}]`),
  replacing('at in brackets', '@', ' [at] '),
  replacing('at in parentheses', '@', '(at)'),
  replacing('at in braces', '@', '{AT}'),
  replacing('at in references to braces', '@', '&lbrace;at&rcub;'),
  replacing('at in numeric references', '@', '&#40at&#41 '),
  replacing('dot in parentheses', '.', '(dot)'),
];

/** Rewritings that only the most common top-level domains make an address. */
export const rewritingsOfCommonDomains: readonly Rewriting[] = [
  replacing('a space behind the last dot', /\.(?=[a-z]+$)/gi, '. '),
  replacing('dot in words', /(?<!\.)\.(?!\.)/g, ' dot '),
  [
    'at and dot in words',
    (address) =>
      /^[\w.-]+@(?:[\w-]+\.)+\w+$/.test(address) ? address.replace('@', ' at ').replaceAll('.', ' dot ') : address,
  ],
];
