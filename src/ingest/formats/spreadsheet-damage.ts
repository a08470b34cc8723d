import { getOrMake } from '../../common/once';
import { isErrorValue } from '../source/fit-row';
import { displayName } from '../values/display-names';
import { SourceLocation } from '../values/import-error';
import { toReference } from './linked-rows';
import type { Problems } from './problems';
import type { CatalogRecord } from './record';

/** The length at which Excel cuts off a cell. */
const longestCell = 32_767;

/** The number of digits that spreadsheets and floats keep; the rest become zeros. */
const exactDigits = 15;

const damages = {
  zeros: 'its leading zeros seem to be missing',
  cut: `the text is cut off at ${longestCell} characters, the limit of a spreadsheet cell`,
  repaired: 'was read without the zeros that a spreadsheet or script added',
  fraction: 'ends with .0, as spreadsheets and scripts write integers',
  precision: `a spreadsheet may have replaced all digits after the first ${exactDigits} with zeros`,
  date: 'looks like a date that a spreadsheet made from another value, such as 1-2',
  encoding: 'is UTF-8 that a program read in another encoding and saved again',
  order: 'is earlier than created_at (new products and variants without one get the import time)',
} as const;

type Damage = keyof typeof damages;

interface Finding {
  readonly damage: Damage;
  readonly field: string;
  readonly line: number;
  readonly example: string | undefined;
  count: number;
}

/** Counts numbers with more digits than a spreadsheet keeps, and those that end in zeros. */
interface LongNumbers {
  count: number;
  rounded: number;
  zeros: number;
  readonly at: SourceLocation;
  readonly example: string;
}

/** Columns that become an identity or a code. */
const codes: ReadonlySet<string> = new Set(['external_id', 'order_number', 'handle', 'sku', 'barcode', 'product_external_id', 'variant_external_id', 'collection_external_id']); // prettier-ignore

type Values = Readonly<Record<string, string | null | undefined>>;

/**
 * Examines the records of every format for damage from being opened and saved by a spreadsheet or as a data frame.
 * Identities and codes are repaired if that is certain, and otherwise refused; the report warns of other values.
 */
export class SpreadsheetDamage {
  readonly #findings = new Map<string, Finding>();
  readonly #long = new Map<string, LongNumbers>();
  /** Barcodes that lack leading zeros, and how many of them would be valid with zeros. */
  readonly #short = { count: 0, right: 0 };
  readonly #orders = { count: 0, dated: 0 };

  /**
   * @param isOwn whether this service wrote the file, in which any text may be an id
   * @param now the time of the import
   */
  constructor(
    private readonly file: string,
    private readonly problems: Problems,
    private readonly isOwn: boolean,
    private readonly now: string,
  ) {}

  examine(record: CatalogRecord): CatalogRecord {
    const { line } = record;
    switch (record.kind) {
      case 'product': {
        const values = this.#examined(record.values, line, '', this.now);
        const [before, after] = [record.values.external_id, values.external_id];
        const variants = record.variants.map((variant, index) => {
          const examined = this.#examined(variant, line, `variants[${index}].`, this.now);
          // Generated ids of variants begin with that of the product.
          return before === after || !examined.external_id.startsWith(before)
            ? examined
            : { ...examined, external_id: after + examined.external_id.slice(before.length) };
        });
        return { ...record, values, variants };
      }
      case 'order':
        if (record.absent?.has('created_at') !== true) this.#orders.count += 1;
        if (record.values.created_at != null) this.#orders.dated += 1;
        return { ...record, values: this.#examined(record.values, line) };
      case 'collection':
        return { ...record, values: this.#examined(record.values, line) };
      case 'variant':
        return { ...record, variant: this.#examined(record.variant, line) };
      default:
        return record;
    }
  }

  /** @returns the warnings, once all is read */
  finish(): string[] {
    for (const [field, { count, rounded, zeros, at, example }] of this.#long) {
      if (rounded < count) continue;
      // One number in ten ends in a zero by chance.
      if (zeros < 3) this.#note('precision', field, at.line, example);
      else
        this.problems.addFatal(
          at.refuse(example, `all digits (a spreadsheet replaced those after the first ${exactDigits} with zeros; ${remedy})`), // prettier-ignore
        );
    }
    const { count, dated } = this.#orders;
    // Random numbers have a valid check digit one time in ten.
    const areZerosGone = this.#short.right * 2 > this.#short.count;
    return [
      ...[...this.#findings.values()].filter(({ damage }) => damage !== 'zeros' || areZerosGone).map((one) => this.#describe(one)), // prettier-ignore
      ...(count > 0 && dated === 0
        ? [`${this.file}: no order has a created_at, so date filters and totals exclude them`] // prettier-ignore
        : []),
    ];
  }

  /** @param start created_at of a new object without one */
  #examined<Object extends object>(values: Object, line: number, path = '', start?: string): Object {
    let examined = values;
    for (const name in values) {
      const value = this.#value(values[name], name, path + name, line);
      if (value !== values[name]) examined = { ...examined, [name]: value };
    }
    const { created_at: created, updated_at: updated } = values as Values;
    const since = created ?? start;
    if (updated && since && updated < since) this.#note('order', `${path}updated_at`, line, updated);
    return examined;
  }

  #code(given: string, field: string, line: number): string {
    const isBarcode = field.endsWith('barcode');
    const trimmed = this.isOwn || !/(?:barcode|sku)$/.test(field) ? given : given.trim();
    // A leading apostrophe keeps spreadsheets from turning the digits into a number.
    const code = isBarcode && !this.isOwn ? trimmed.replace(/^'/, '') : trimmed;
    // Most do not match; `sku:`, `handle:` and the like precede identities in a file without ids.
    const [, kind = '', number] = /^(\w+:)?'?(\d.*)$/.exec(code) ?? [];
    const at = new SourceLocation(this.file, line, field);
    const bare = code.replace(/^\w+:/, '');
    if ((isErrorValue(bare) || bare === 'None') && !this.isOwn)
      this.problems.add(at.refuse(code, `a code (a spreadsheet or script replaced it with an error; ${remedy})`));
    else this.#checkText(code, field, line);
    if (number === undefined) return code;
    if (/^(?:\d(?:[.,]\d+E\+?|E\+)\d{1,3}|\d{1,3}(?:(?:,\d{3}){2,}(?:\.0+)?|(?:\.\d{3}){2,},0+))$/i.test(number)) {
      this.problems.add(at.refuse(code, `all digits (a spreadsheet or script changed them; ${remedy})`));
    } else if (/^\d+[.,]00?$/.test(number)) {
      this.#note(this.isOwn ? 'fraction' : 'repaired', field, line, code);
      return this.isOwn ? code : kind + toReference(number);
    } else if (/^\d{16,}$/.test(number)) this.#noteLong(number, at);
    else if (isBarcode && /^(?:\d{7}|\d{9,11})$/.test(number)) {
      this.#short.count += 1;
      if (hasCheckDigit(number)) {
        this.#short.right += 1;
        this.#note('zeros', field, line, code);
      }
    }
    return code;
  }

  #noteLong(number: string, at: SourceLocation): void {
    const long = getOrMake(this.#long, withoutIndex(at.field ?? ''), () => ({
      count: 0,
      rounded: 0,
      zeros: 0,
      at,
      example: number,
    }));
    // Many products may be in one collection.
    if (long.count > 0 && number === long.example) return;
    long.count += 1;
    if (!/^0+$/.test(number.slice(exactDigits))) return;
    long.rounded += 1;
    long.zeros += number.length - exactDigits;
  }

  /** Examines a text, or the texts of a list or an object. */
  #value(value: unknown, name: string, field: string, line: number): unknown {
    if (Array.isArray(value)) {
      const examined = value.map((one, at) => this.#value(one, name, `${field}[${at}]`, line));
      return examined.every((one, at) => one === value[at]) ? value : examined;
    }
    if (typeof value === 'object' && value !== null) return this.#examined(value, line, `${field}.`);
    if (typeof value !== 'string') return value;
    if (codes.has(name)) return this.#code(value, field, line);
    this.#checkText(value, field, line);
    return value;
  }

  #checkText(text: string, field: string, line: number): void {
    if (text.length === longestCell) this.#note('cut', field, line);
    else if (isDate.test(text)) this.#note('date', field, line, text);
    else if (field.endsWith('].value') && /^\d+\.0$/.test(text)) this.#note('fraction', field, line, text);
    else if (isMisread.test(text)) this.#note('encoding', field, line, displayName(text, 60));
  }

  #note(damage: Damage, field: string, line: number, example?: string): void {
    const key = `${damage} ${withoutIndex(field)}`;
    getOrMake(this.#findings, key, () => ({ damage, field, line, example, count: 0 })).count += 1;
  }

  #describe({ damage, field, line, count, example }: Finding): string {
    const others = count > 1 ? ` (${count - 1} more like this)` : '';
    const value = example === undefined ? '' : `${JSON.stringify(example)}: `;
    return `${this.file}, line ${line}, ${field}: ${value}${damages[damage]}${others}`;
  }
}

/** A month with a day or a year, as spreadsheets write it in English, German, French, Italian, Spanish and Dutch. */
const isDate =
  /^(?=.*\d)(?:\d\d?(?:[-/]|\. ?))?(?:jan|janv|ene|gen|feb|févr?|mar|mars|märz|mrz|mrt|apr|abr|avr|may|mai|mei|mag|jun|juin|giu|jul|juil|lug|aug|août|ago|sept?|set(?! )|o[ck]t|ott|nov|de[cz]|déc|dic)\.?(?:[- ]\d\d)?$/i;
/** How Windows-1252 and Latin-1 misread the first two UTF-8 bytes of a letter (Latin, Cyrillic, Kana, emoji). */
const isMisread = /[ÂÃÐÑ][\u0080-¿Œœ]|â[\u0080\u0082€‚]|ã[\u0082\u0083‚ƒ]|ð[\u009fŸ]/;

const remedy = 'export the file again and import it without saving it in another program first';

const withoutIndex = (field: string): string => field.replaceAll(/\[\d+\]/g, '');

/** Whether the last digit of a GTIN (EAN, UPC) is the check digit of the others. Leading zeros change nothing. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let at = digits.length - 1, weight = 1; at >= 0; at -= 1, weight = 4 - weight) {
    sum += Number(digits.charAt(at)) * weight;
  }
  return sum > 0 && sum % 10 === 0;
}
