import { divideRounded, toExact, toText, type Exact } from './numbers';
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
export function fromGrams(weightInGrams: string, unit: string | null, location: SourceLocation): string {
  const name = (unit ?? 'g').toLowerCase();
  if (name === 'g') return weightInGrams;
  const ratio = grams[name];
  if (ratio === undefined) throw location.refuse(unit, 'g, kg, oz or lb');
  const { value, decimals } = toExact(weightInGrams);
  return toText(
    withoutZeros(name === 'kg' ? { value, decimals: decimals + 3 } : shortest(value, 10n ** BigInt(decimals), ratio)),
  );
}

function withoutZeros({ value, decimals }: Exact): Exact {
  return decimals > 0 && value % 10n === 0n
    ? withoutZeros({ value: value / 10n, decimals: decimals - 1 })
    : { value, decimals };
}

function shortest(value: bigint, scale: bigint, [numerator, denominator]: readonly [bigint, bigint]): Exact {
  for (let decimals = 0; ; decimals += 1) {
    const power = 10n ** BigInt(decimals);
    const candidate = divideRounded(value * denominator * power, numerator * scale);
    const isExact = divideRounded(candidate * numerator * scale, denominator * power) === value;
    if (isExact || decimals === maxDecimals) return { value: candidate, decimals };
  }
}
