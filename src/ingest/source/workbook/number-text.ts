import { shiftPoint } from '../../values/numbers';
import type { NumberFormat } from './number-formats';

/**
 * The digits that spreadsheets compute with and show. Further digits are binary rounding: 19.989999999999998 is 19.99.
 */
const maxDigits = 15;

const literal = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A number as a person sees it in the sheet, but with all its digits; undefined for anything that is not a number. */
export function numberText(stored: string, format: NumberFormat, isFrom1904: boolean): string | undefined {
  if (stored.length > 400 || !literal.test(stored)) return undefined;
  if (format.kind === 'date' || format.kind === 'time')
    return dateText(Number(stored), format.kind, isFrom1904) ?? plainText(stored);
  if (format.kind === 'percent') return `${Number((Number(stored) * 100).toPrecision(maxDigits))}%`;
  const plain = plainText(stored);
  if (format.kind === 'places') {
    const [whole = '', places] = plain.split('.');
    // Ids and amounts are often formatted with one or two decimals, too.
    if (places === undefined && format.digits < 3) return plain;
    return `${whole}.${(places ?? '').padEnd(format.digits, '0')}`;
  }
  if (format.kind !== 'zeros' || !/^\d+$/.test(plain)) return plain;
  return format.prefix + plain.padStart(format.digits, '0');
}

/** The number without an exponent, in the digits that spreadsheets show. Integers keep all digits. */
function plainText(stored: string): string {
  if (/^-?\d+$/.test(stored)) return stored;
  const digits = stored
    .replace(/[eE][+-]?\d+$/, '')
    .replace(/\D/g, '')
    .replace(/^0+/, '');
  if (digits.length <= maxDigits && !/[eE]/.test(stored)) return stored;
  const shortest = /^(-?)(\d)(?:\.(\d{0,20}?)0{0,20})?e(.*)$/.exec(Number(stored).toExponential(maxDigits - 1));
  const [, sign = '', whole = '', fraction = '', exponent] = shortest ?? [];
  return shortest ? sign + shiftPoint(whole, fraction, Number(exponent)) : stored;
}

const dayMilliseconds = 86_400_000;

/**
 * Days since the last day of 1899, in a calendar where the year 1900 has a 29th of February that never existed.
 * Undefined beyond the year 9999.
 */
function dateText(serial: number, kind: 'date' | 'time', isFrom1904: boolean): string | undefined {
  if (!(serial >= 0 && serial < 2_958_466)) return undefined;
  const days = isFrom1904 ? serial + 1462 : serial;
  const milliseconds = Math.round((days < 60 ? days + 1 : days) * dayMilliseconds);
  const moment = new Date(Date.UTC(1899, 11, 30) + milliseconds).toISOString();
  const time = moment.slice(11, moment.endsWith('.000Z') ? 19 : 23);
  if (kind === 'time' && serial < 1) return time;
  const date = moment.slice(0, 10);
  return milliseconds % dayMilliseconds === 0 ? date : `${date} ${time}`;
}
