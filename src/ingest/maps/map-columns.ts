import { hasColumn } from '../formats/csv-columns';
import type { ReadContext } from '../format';
import type { ColumnReference, TableMap, ValueRule } from './import-map';
import { keyOf, type MapColumns } from './mapped-row';

export const lacking = (columns: readonly ColumnReference[], header: ReadonlySet<string>): readonly string[] => [
  ...new Set(columns.filter((column) => !hasColumn(header, column)).map((column) => column.join(' or '))),
];

export const withDates = (context: ReadContext, { dateFormat }: TableMap): ReadContext => ({
  ...context,
  dateFormat: context.dateFormat ?? dateFormat,
});

export const columnsOfRule = ({ column, when, sale, saleWhen, add }: ValueRule): readonly ColumnReference[] =>
  [column, when?.column, sale, saleWhen?.column, add].filter((one) => one !== undefined);

export const hasRule = (rule: ValueRule | undefined, columns: MapColumns): boolean =>
  rule !== undefined && (rule.column === undefined || columns.has(keyOf(rule.column)));
