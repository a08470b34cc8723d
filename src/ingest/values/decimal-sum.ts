/** A decimal in plain notation, as a whole number of its smallest unit (D21: never through a float). */
export interface Exact {
  readonly value: bigint;
  readonly decimals: number;
}

export function toExact(text: string, decimals = 0): Exact {
  const [whole = '0', fraction = ''] = text.split('.');
  const scale = Math.max(fraction.length, decimals);
  return { value: BigInt(whole + fraction.padEnd(scale, '0')), decimals: scale };
}

export function toText({ value, decimals }: Exact): string {
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return `${value < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`;
}

export const isZero = (text: string): boolean => toExact(text).value === 0n;

/** The sum, with the larger number of decimals of the two; adding nothing changes no digit. */
export function addDecimals(a: string, b: string): string {
  if (isZero(b)) return a;
  const { decimals } = toExact(a, toExact(b).decimals);
  return toText({ value: toExact(a, decimals).value + toExact(b, decimals).value, decimals });
}

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

/** Rounded half up, away from zero. */
export function divideRounded(value: bigint, by: bigint): bigint {
  const half = by / 2n;
  return value < 0n ? (value - half) / by : (value + half) / by;
}

/** The exact sum, with the digits of its decimals; 0 for an empty list. */
export const sumDecimals = ([first = '0', ...others]: readonly string[]): string =>
  others.reduce((sum, decimal) => addDecimals(sum, decimal), first);
