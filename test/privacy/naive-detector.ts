import topLevelDomains from 'tlds';

/*
 * A detector written independently of src/privacy. It rewrites the whole text repeatedly instead of scanning it: slow,
 * and with other mistakes. One may find what the other overlooks.
 */

const named: Readonly<Record<string, string>> = {
  commat: '@', period: '.', amp: '&', percnt: '%', num: '#', nbsp: ' ', quot: '"', lt: '<', gt: '>', shy: '',
}; // prettier-ignore

const fromCode = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

function decodeOnce(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, (unit) => (/\s/.test(unit) ? ' ' : ''))
    .replaceAll('。', '.')
    .replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'))
    .replaceAll(/&#x0*40/gi, '@')
    .replaceAll(/&#x([0-9a-f]+);?/gi, (_, hex: string) => fromCode(parseInt(hex, 16)))
    .replaceAll(/&#([0-9]+);?/g, (_, digits: string) => fromCode(Number(digits)))
    .replaceAll(/&(commat|period|amp|percnt|num|nbsp|quot|lt|gt|shy);?/gi, (_, name: string) => named[name.toLowerCase()] ?? '')
    .replaceAll(/\\(?:u([0-9a-f]{4})|x([0-9a-f]{2}))/gi, (_, u?: string, x?: string) => fromCode(parseInt(u ?? x ?? '', 16)))
    .replaceAll(/[[({] ?(?:at|@) ?[\])}]/gi, '@')
    .replaceAll(/[[({] ?(?:dot|\.) ?[\])}]/gi, '.')
    .replaceAll(/\([^()]*\)/g, '')
    .replaceAll(/<[/!a-z][^<>@]*>/gi, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?\. ?(?=com\b)/g, '.');
} // prettier-ignore

/** The addresses in a text, as far as this detector sees them. */
export function findAddressesNaively(text: string): readonly string[] {
  let decoded = text;
  for (let round = 0; round < 12; round += 1) decoded = decodeOnce(decoded);
  const shapes =
    /[^\s@<>,;:()"\\]+(?<sign> ?@ ?)(?:(?<labels>[\p{L}\p{M}\p{N}_-]+[\p{L}\p{M}\p{N}_.-]*)\.(?<last>\p{L}{2,})|\[[0-9a-fv:.]+\]|\d+\.\d+\.\d+\.\d+|localhost)/giu;
  const found = [...decoded.matchAll(shapes)].filter(({ groups }) => {
    const { sign, labels, last } = groups as Record<'sign' | 'labels' | 'last', string | undefined>;
    if (labels === undefined || last === undefined) return true;
    const isNumeric = !/[^\d.]/.test(labels);
    if (isNumeric && sign !== '@') return common.has(last.toLowerCase());
    return (!isNumeric && sign === '@') || existing.has(last.toLowerCase());
  });
  return [...found.map(([match]) => match), ...(decoded.match(/[^\s",]{1,64} at [^\s",]+ dot /gi) ?? [])];
}

/** With spaces around the at sign, or after digits alone, only existing top-level domains make an address. */
const existing = new Set([...topLevelDomains, 'example', 'test']);
/** After digits alone and a space, only these do: `2 @ 5.st` is a price. */
const common = new Set(['com', 'net', 'org', 'cn', 'example']);
