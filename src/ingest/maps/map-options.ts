import type { VariantOption } from '../../catalog/model';
import type { CsvCells } from '../formats/csv-columns';
import type { ColumnReference, OptionRule } from './import-map';
import { before, keyOf, split, type MappedRow } from './mapped-row';

/** Names may be on the first row of a product only. */
export function toOptions(row: MappedRow, rule: OptionRule | undefined, first: MappedRow): readonly VariantOption[] {
  switch (rule?.form) {
    case undefined:
      return [];
    case 'fixed':
      return rule.options.flatMap(({ name, column }) => toOption(name, row.word(column)));
    case 'numbered':
      return optionNumbersOf(row.cells, rule).flatMap((number) => {
        const names = rule.names && numbered(rule.names, number);
        const name = names && (row.word(names) ?? first.word(names));
        return toOption(name ?? `Option${number}`, row.word(numbered(rule.values, number)), rule.until);
      });
    case 'lists': {
      const names = listOf(row.word(rule.names), rule.separator, rule.until);
      const values = listOf(row.word(rule.values), rule.separator, rule.until);
      if (names.length === values.length) return names.flatMap((name, at) => toOption(name, values[at] ?? null));
      const location = row.at(rule.values);
      row.cells.report(
        location.fault(`expected as many values as the ${names.length} names of the options, got ${values.length}`),
      );
      return [];
    }
    case 'pairs':
      return (row.word(rule.column) ?? '').split(rule.separator).flatMap((pair) => {
        const at = pair.indexOf(rule.between);
        if (at === -1) return [];
        // [S]Size=Small: the kind of the option is in brackets.
        const name = pair
          .slice(0, at)
          .trim()
          .replace(/^\[\w*\]/, '');
        return toOption(name, pair.slice(at + rule.between.length), rule.until);
      });
    case 'marked':
      return (row.word(rule.column) ?? '')
        .split(rule.start)
        .slice(1)
        .flatMap((part) => {
          const parts = part.split(rule.separator).map((one) => one.trim());
          const behind = (mark: string): string | null =>
            parts.find((one) => one.startsWith(mark))?.slice(mark.length) ?? null;
          return toOption(behind(rule.name) ?? 'Option', behind(rule.value), rule.until);
        });
  }
}

function toOption(name: string, value: string | null, until?: string): readonly VariantOption[] {
  const shown = value === null ? '' : (until === undefined ? value : before(value, until)).trim();
  return shown === '' ? [] : [{ name: name.trim(), value: shown }];
}

const listOf = (list: string | null, separator: string, until: string | undefined): string[] =>
  list === null ? [] : split(list, separator).map((part) => (until === undefined ? part : before(part, until).trim()));

/** A variant with more options than this is invalid. */
const maxOptions = 20;

const numbered = (column: ColumnReference, number: number): ColumnReference =>
  column.map((name) => name.replaceAll('{n}', String(number)));

const optionNumbersOf = (cells: CsvCells<string>, rule: { readonly values: ColumnReference }): readonly number[] =>
  Array.from({ length: maxOptions }, (_, index) => index + 1).filter((number) =>
    cells.has(keyOf(numbered(rule.values, number))),
  );

/** The columns of options: of numbered ones, the first and those that the header contains. */
export function optionColumns(rule: OptionRule, header: ReadonlySet<string>): readonly ColumnReference[] {
  switch (rule.form) {
    case 'fixed':
      return rule.options.map(({ column }) => column);
    case 'lists':
      return [rule.names, rule.values];
    case 'pairs':
    case 'marked':
      return [rule.column];
    case 'numbered':
      return Array.from({ length: maxOptions }, (_, index) => index + 1).flatMap((number) => {
        const columns = [...(rule.names ? [numbered(rule.names, number)] : []), numbered(rule.values, number)];
        return number === 1 || columns.some((column) => column.some((name) => header.has(name.toLowerCase())))
          ? columns
          : [];
      });
  }
}

/** Whether the column, by its key, is one of the options. */
export const isOptionColumn = (options: OptionRule, key: string): boolean =>
  optionColumns(options, new Set(key.split('\u0000').map((name) => name.toLowerCase()))).some(
    (one) => keyOf(one) === key,
  );
