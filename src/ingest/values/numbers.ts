import { addExactly, toExact, toText } from '../../common/exact-decimals';
import type { SourceLocation } from './import-error';

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Most decimals are in plain notation already. */
const plainShape = /^\d+(?:\.\d+)?$/;

/** More digits than any price has; PostgreSQL's numeric is limited to 131,072. */
const maxDigits = 1000;

/**
 * A decimal of the file in plain notation (D21): digits and trailing zeros are kept, an exponent is expanded, `.5`
 * becomes `0.5`, `5.` becomes `5`. Never through a float.
 */
export function parseDecimal(text: string, location: SourceLocation): string {
  if (text.length <= maxDigits && plainShape.test(text)) return text;
  const found = text.length <= maxDigits ? shape.exec(text) : null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found ?? [];
  if (whole === '' && fraction === '') throw location.refuse(text, 'a decimal number such as 19.90');
  const shift = Number(exponent);
  if (Math.abs(shift) > maxDigits) throw location.refuse(text, `a decimal number of at most ${maxDigits} digits`);
  const plain = shift === 0 ? join(whole, fraction) : shiftPoint(whole, fraction, shift);
  return sign === '-' ? `-${plain}` : plain;
}

const join = (whole: string, fraction: string): string =>
  `${whole === '' ? '0' : whole}${fraction === '' ? '' : `.${fraction}`}`;

/** `1`, `5` and 3 become `1500`, without going through a float. */
export function shiftPoint(whole: string, fraction: string, shift: number): string {
  const point = whole.length + shift;
  const digits = whole + fraction;
  if (point <= 0) return join('0', '0'.repeat(-point) + digits);
  const padded = digits.padEnd(point, '0');
  return join(padded.slice(0, point).replace(/^0+(?=\d)/, ''), padded.slice(point));
}

const wholeShape = /^([+-]?\d+)(?:\.0*)?$/;

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The range that a JSON number represents without loss: counts and stock exceed 32 bits (D22). */
export const safeBounds: Bounds = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
export const countBounds: Bounds = { min: 0, max: Number.MAX_SAFE_INTEGER };
export const positionBounds: Bounds = { min: -2_147_483_648, max: 2_147_483_647 };

/** A whole number as text of digits; `10.0` is one too. */
export function parseWholeNumber(text: string, { min, max }: Bounds, location: SourceLocation): string {
  const value = text.length <= 40 ? Number(wholeShape.exec(text)?.[1] ?? NaN) : NaN;
  if (!(value >= min && value <= max)) throw location.refuse(text, `an integer from ${min} to ${max}`);
  return String(value === 0 ? 0 : value);
}

export const isZero = (text: string): boolean => toExact(text).value === 0n;

/** The sum, with the larger number of decimals of the two; adding nothing changes no digit. */
export const addDecimals = (a: string, b: string): string => (isZero(b) ? a : addExactly(a, b));

export const subtractDecimals = (a: string, b: string): string =>
  addDecimals(a, b.startsWith('-') ? b.slice(1) : `-${b}`);

/** The remainder after a discount in percent, rounded half up to two decimals, or to as many as the value had. */
export function lessPercent(text: string, percent: string): string {
  const amount = toExact(text, 2);
  const part = toExact(subtractDecimals('100', percent));
  const divisor = 100n * 10n ** BigInt(part.decimals);
  const product = amount.value * part.value;
  return toText({ value: divideRounded(product, divisor), decimals: amount.decimals });
}

export function multiplyDecimal(text: string, by: number): string {
  const { value, decimals } = toExact(text);
  return toText({ value: value * BigInt(by), decimals });
}

/** Rounded half up to two decimals, or to as many as the amount has. */
export function divideDecimal(text: string, by: number): string {
  const { value, decimals } = toExact(text, 2);
  return toText({ value: divideRounded(value, BigInt(by)), decimals });
}

/** Rounded half up, away from zero. */
export function divideRounded(value: bigint, by: bigint): bigint {
  const half = by / 2n;
  return value < 0n ? (value - half) / by : (value + half) / by;
}

/** The exact sum, with the digits of its decimals; 0 for an empty list. */
export const sumDecimals = ([first = '0', ...others]: readonly string[]): string => others.reduce(addDecimals, first);
