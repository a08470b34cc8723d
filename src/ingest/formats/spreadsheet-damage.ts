import { hasCheckDigit } from '../values/check-digit';

/** The length at which Excel cuts off a cell. */
const longestCell = 32_767;

const damages = {
  exponent: 'a spreadsheet has cut off its digits',
  zeros: 'its leading zeros seem to be gone',
  error: 'a spreadsheet wrote an error instead of the value',
  cut: `a text ends at the ${longestCell} characters that a spreadsheet's cell can hold`,
} as const;

type Damage = keyof typeof damages;

interface Finding {
  count: number;
  readonly line: number;
  /** Undefined for a text, which may contain anything. */
  readonly example: string | undefined;
}

/**
 * Detects what spreadsheets do to a file that is opened and saved: values that are valid, but wrong. They are imported
 * unchanged, and the report warns of them.
 */
export class SpreadsheetDamage {
  readonly #findings = new Map<string, Finding & { readonly column: string; readonly damage: Damage }>();
  /** Barcodes that are too short by a zero or more, and how many of them would be valid with it. */
  readonly #short = { count: 0, right: 0 };

  constructor(private readonly file: string) {}

  /** An identifier made of digits: a barcode or a SKU. */
  checkCode(code: string | null, column: string, line: number): void {
    if (code === null) return;
    if (/^\d(?:[.,]\d+)?E\+\d{1,3}$/i.test(code)) this.#note('exponent', column, line, code);
  }

  checkBarcode(barcode: string | null, column: string, line: number): void {
    this.checkCode(barcode, column, line);
    if (barcode === null || !/^(?:\d{7}|\d{9,11})$/.test(barcode)) return;
    this.#short.count += 1;
    if (!hasCheckDigit(barcode)) return;
    this.#short.right += 1;
    this.#note('zeros', column, line, barcode);
  }

  checkText(text: string | null, column: string, line: number): void {
    if (text === null) return;
    if (text.length === longestCell) this.#note('cut', column, line, undefined);
    else if (text.charCodeAt(0) === 0x23 && /^#(?:N\/A|NAME\?|REF!|VALUE!|DIV\/0!|NUM!|NULL!|#+)$/.test(text)) {
      this.#note('error', column, line, text);
    }
  }

  get warnings(): string[] {
    // Random numbers have a valid check digit one time in ten.
    const areZerosGone = this.#short.right * 2 > this.#short.count;
    return [...this.#findings.values()]
      .filter(({ damage }) => damage !== 'zeros' || areZerosGone)
      .map(({ damage, column, line, count, example }) => {
        const others = count > 1 ? `, and ${count - 1} more` : '';
        const value = example === undefined ? '' : `${JSON.stringify(example)}: `;
        return `${this.file}, line ${line}, column ${JSON.stringify(column)}: ${value}${damages[damage]}${others}`;
      });
  }

  #note(damage: Damage, column: string, line: number, example: string | undefined): void {
    const key = `${damage} ${column}`;
    const found = this.#findings.get(key);
    if (found) found.count += 1;
    else this.#findings.set(key, { damage, column, line, example, count: 1 });
  }
}
