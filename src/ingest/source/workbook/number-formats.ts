/** How a cell's format displays its number. */
export type NumberFormat =
  | { readonly kind: 'date' }
  | { readonly kind: 'time' }
  /** Leading zeros up to this number of digits, after a text that belongs to the code, as in `"SKU-"0000`. */
  | { readonly kind: 'zeros'; readonly prefix: string; readonly digits: number }
  /** A fixed number of decimals, as in the code 90.750. */
  | { readonly kind: 'places'; readonly digits: number }
  | { readonly kind: 'percent' }
  | { readonly kind: 'number' };

const number: NumberFormat = { kind: 'number' };

/** The built-in formats, by number (ECMA-376, 18.8.30), including those of East Asia. */
export function builtInFormat(id: number): NumberFormat {
  if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58)) {
    return { kind: 'date' };
  }
  if (id === 2) return { kind: 'places', digits: 2 };
  if (id === 9 || id === 10) return { kind: 'percent' };
  return (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || id === 45 || id === 47 ? { kind: 'time' } : number;
}

/**
 * The part of a format that applies to positive numbers, without what it only displays: colors, languages, and quoted
 * texts, except before leading zeros. Elapsed hours are a number.
 */
export function parseFormat(code: string): NumberFormat {
  if (/\[(?:h+|m+|s+)\]/i.test(code)) return number;
  const bare = code
    .replace(/\\.|_.|\*./g, '')
    .replace(/"[^"]*"/g, '')
    .replace(/\[[^[\]]*\]/g, '')
    .split(';', 1)
    .join('')
    .toLowerCase();
  if (/^0{2,}$/.test(bare)) {
    const [prefix = ''] = /^(?:"[^"]*"|\\.)*/.exec(code) ?? [];
    return { kind: 'zeros', prefix: prefix.replaceAll(/["\\]/g, ''), digits: Math.min(bare.length, 100) };
  }
  if (/^0\.0{1,30}$/.test(bare)) return { kind: 'places', digits: bare.length - 2 };
  if (/^[#0.]+%$/.test(bare)) return { kind: 'percent' };
  if (/^general/.test(bare)) return number;
  if (/[yd]/.test(bare)) return { kind: 'date' };
  if (/[hs]/.test(bare)) return { kind: 'time' };
  return /m/.test(bare) ? { kind: 'date' } : number;
}
