import { toExact, toText, type Exact } from '../../common/exact-decimals';
import { divideRounded } from './numbers';
import type { SourceLocation } from './import-error';

/** Grams per unit, as fractions of whole numbers, so that no float is involved (D21). */
const grams: Readonly<Record<string, readonly [numerator: bigint, denominator: bigint]>> = {
  kg: [1000n, 1n],
  lb: [45_359_237n, 100_000n],
  oz: [45_359_237n, 1_600_000n],
};

/** More of them than the grams have. */
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
  return toText(shortest(toExact(weightInGrams), ratio));
}

function shortest(given: Exact, [numerator, denominator]: readonly [bigint, bigint]): Exact {
  const scale = 10n ** BigInt(given.decimals);
  for (let decimals = 0; ; decimals += 1) {
    const power = 10n ** BigInt(decimals);
    const value = divideRounded(given.value * denominator * power, numerator * scale);
    const isExact = divideRounded(value * numerator * scale, denominator * power) === given.value;
    if (isExact || decimals === given.decimals + maxDecimals) return { value, decimals };
  }
}
