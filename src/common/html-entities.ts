/**
 * The entities that WordPress and its editors write in names: HTML syntax, typography, and the letters of Latin-1 in
 * order.
 */
const named: Readonly<Record<string, string>> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", ndash: '–', mdash: '—', hellip: '…', lsquo: '‘', rsquo: '’', sbquo: '‚', ldquo: '“',
  rdquo: '”', bdquo: '„', lsaquo: '‹', rsaquo: '›', bull: '•', euro: '€', trade: '™', thinsp: '\u2009', ensp: '\u2002', emsp: '\u2003',
  zwnj: '\u200c', zwj: '\u200d', prime: '′', Prime: '″', minus: '−', infin: '∞', ne: '≠', le: '≤', ge: '≥', rarr: '→', larr: '←', hearts: '♥',
  star: '☆', check: '✓', OElig: 'Œ', oelig: 'œ', Scaron: 'Š', scaron: 'š', Yuml: 'Ÿ', fnof: 'ƒ', Omega: 'Ω', mu: 'μ', omega: 'ω', alpha: 'α', beta: 'β',
}; // prettier-ignore

/** From U+00A0 on. */
const latin1 = (
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil ' +
  'sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute ' +
  'Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc ' +
  'atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide ' +
  'oslash ugrave uacute ucirc uuml yacute thorn yuml'
).split(' ');

const characters = new Map([
  ...Object.entries(named),
  ...latin1.map((name, index): [string, string] => [name, String.fromCharCode(0xa0 + index)]),
]);

/** Decodes the character references of HTML. Unknown references are kept. */
export const decodeEntities = (html: string): string =>
  html.includes('&') ? html.replace(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w{1,9}));/g, decodeOne) : html;

function decodeOne(reference: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return characters.get(name) ?? reference;
  const code = decimal === undefined ? parseInt(hexadecimal ?? '', 16) : Number(decimal);
  const isCharacter = code >= 0x20 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : reference;
}
