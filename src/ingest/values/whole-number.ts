import type { SourceLocation } from './import-error';

const shape = /^([+-]?\d+)(?:\.0*)?$/;

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
  const value = text.length <= 40 ? Number(shape.exec(text)?.[1] ?? NaN) : NaN;
  if (!(value >= min && value <= max)) throw location.refuse(text, `a whole number from ${min} to ${max}`);
  return String(value === 0 ? 0 : value);
}
