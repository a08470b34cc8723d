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

function shiftPoint(whole: string, fraction: string, shift: number): string {
  const point = whole.length + shift;
  const digits = whole + fraction;
  if (point <= 0) return join('0', '0'.repeat(-point) + digits);
  const padded = digits.padEnd(point, '0');
  return join(padded.slice(0, point).replace(/^0+(?=\d)/, ''), padded.slice(point));
}
