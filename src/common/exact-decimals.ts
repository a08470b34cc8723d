/** A decimal in plain notation, as an integer of its smallest unit (D21: never through a float). */
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

/** The exact sum, with as many decimal places as the longer of the two. */
export function addExactly(a: string, b: string): string {
  const { decimals } = toExact(a, toExact(b).decimals);
  return toText({ value: toExact(a, decimals).value + toExact(b, decimals).value, decimals });
}
