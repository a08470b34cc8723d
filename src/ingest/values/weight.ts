import type { SourceLocation } from './import-error';

/** Grams per unit, as fractions of whole numbers, so that no float is involved (D21). */
const grams: Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>> = {
  kg: [1000n, 1n],
  lb: [45_359_237n, 100_000n],
  oz: [45_359_237n, 1_600_000n],
};

const maxDecimals = 4;

/**
 * Shopify writes every weight in grams and, beside it, the unit that the merchant sees. Kilograms are exact. Pounds and
 * ounces were rounded to grams by the export: the shortest decimal that rounds to the same grams is what was typed (454
 * g is 1 lb).
 */
export function fromGrams(
  weightInGrams: string,
  unit: string | null,
  location: SourceLocation,
): { weight: string; unit: string } {
  const name = (unit ?? 'g').toLowerCase();
  if (name === 'g') return { weight: weightInGrams, unit: name };
  const ratio = grams[name];
  if (ratio === undefined) throw location.refuse(unit, 'g, kg, oz or lb');
  const [whole = '0', fraction = ''] = weightInGrams.split('.');
  const value = BigInt(whole + fraction);
  const scale = 10n ** BigInt(fraction.length);
  if (name === 'kg') return { weight: toDecimal(value, fraction.length + 3), unit: name };
  return { weight: shortest(value, scale, ratio), unit: name };
}

function shortest(value: bigint, scale: bigint, [numerator, denominator]: readonly [bigint, bigint]): string {
  for (let decimals = 0; ; decimals += 1) {
    const power = 10n ** BigInt(decimals);
    const candidate = divideRounded(value * denominator * power, numerator * scale);
    const isExact = divideRounded(candidate * numerator * scale, denominator * power) === value;
    if (isExact || decimals === maxDecimals) return toDecimal(candidate, decimals);
  }
}

function divideRounded(value: bigint, by: bigint): bigint {
  const half = by / 2n;
  return value < 0n ? (value - half) / by : (value + half) / by;
}

function toDecimal(value: bigint, decimals: number): string {
  const sign = value < 0n ? '-' : '';
  const digits = String(value < 0n ? -value : value).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/(?<!0)0+$/, '');
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
