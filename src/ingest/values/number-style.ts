import type { SourceLocation } from './import-error';

export type DecimalSign = 'point' | 'comma';

const characters = { point: '.', comma: ',' } as const;

/** Thousands separators besides the point and the comma: spaces and apostrophes. */
const spacing = /(?<=\d)[ '’\u00a0\u2009\u202f](?=\d{3}(?!\d))/g;

const shape = /^([+-]?)(\d*(?:[.,]\d*)*)([eE][+-]?\d+)?$/;

/**
 * How one file writes numbers. Where it is not known in advance, the first unambiguous number determines it; an
 * ambiguous number before that is rejected, never guessed.
 */
export class NumberStyle {
  #sign: DecimalSign | undefined;
  #learnedIn: number | undefined;
  /** Whether a number has shown that the file separates thousands with the other sign. */
  #hasReadThousands = false;

  /**
   * @param isOpen whether styles other than plain decimals are accepted
   * @param thousands the signs that may separate thousands; with another one, `1,250` has decimals
   */
  constructor(
    sign: DecimalSign | undefined,
    private readonly isOpen: boolean,
    private readonly thousands: '.,' | ',' | '' = '.,',
  ) {
    this.#sign = sign;
  }

  /** The number with a decimal point and without thousands separators; texts that are not numbers are unchanged. */
  toPlain(text: string, location: SourceLocation): string {
    if (/^[+-]?\d*(?:[eE][+-]?\d+)?$/.test(text)) return text;
    if (!this.isOpen) {
      if (/^[+-]?\d[\d.,]*,\d[\d.]*$/.test(text))
        throw location.refuse(
          text,
          'a number such as 19.90 (in a CSV file or workbook, set --decimal comma if the comma is the decimal separator, or --decimal point if it separates thousands)',
        );
      return text;
    }
    const [, sign = '', digits, exponent = ''] = shape.exec(text.replace(spacing, '')) ?? [];
    if (digits === undefined) return text;
    const decimal =
      this.#sign !== undefined && this.#learnedIn === undefined ? this.#sign : this.#learn(digits, text, location);
    const [whole = '', fraction, ...more] = digits.split(characters[decimal]);
    const plain = withoutThousands(whole, decimal);
    if (plain === undefined || more.length > 0 || /[.,]/.test(fraction ?? '')) {
      throw location.refuse(text, `a number with a decimal ${decimal}`);
    }
    this.#hasReadThousands ||= plain !== whole;
    return `${sign}${plain}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
  }

  /** The decimal sign of a file that does not declare one: this number must agree with the earlier ones. */
  #learn(digits: string, text: string, location: SourceLocation): DecimalSign {
    const sign = decimalSignOf(digits, this.thousands);
    if (sign === undefined) {
      // A single sign before three digits is clear only once the file has shown how it uses that sign.
      if (this.#sign !== undefined && (this.#hasReadThousands || digits.includes(characters[this.#sign])))
        return this.#sign;
      const [low, high] = [text.replace(/[.,]/, '.'), text.replace(/[.,]/, '')];
      throw location.refuse(text, `an unambiguous number (this is ${low} or ${high}: ${advice})`);
    }
    if (this.#sign !== undefined && this.#sign !== sign) {
      throw location.refuse(text, `a number with a decimal ${this.#sign}, as on line ${this.#learnedIn} (${advice})`);
    }
    this.#sign = sign;
    this.#learnedIn ??= location.line;
    return sign;
  }
}

const advice = 'choose with --decimal comma or --decimal point';

/** The sign that must be the decimal one; undefined when both could be. */
function decimalSignOf(digits: string, thousands: string): DecimalSign | undefined {
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const sign = digits.charAt(last) === '.' ? 'point' : 'comma';
  const other = sign === 'point' ? 'comma' : 'point';
  const signs = digits.replace(/\d/g, '');
  // 1.234.567: a sign that occurs more than once separates thousands.
  if (signs.length > 1 && !signs.includes(characters[other])) return other;
  if (signs.length > 1) return sign;
  return thousands.includes(characters[sign]) && /^[1-9]\d{0,2}[.,]\d{3}$/.test(digits) ? undefined : sign;
}

function withoutThousands(whole: string, decimal: DecimalSign): string | undefined {
  const mark = decimal === 'point' ? ',' : '.';
  if (!whole.includes(mark)) return whole;
  const [first = '', ...groups] = whole.split(mark);
  const isGrouped = /^[1-9]\d{0,2}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group));
  return isGrouped ? first + groups.join('') : undefined;
}
