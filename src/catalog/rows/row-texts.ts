import { columnSeparator, isShortened, rowSeparator, type RowsAsText } from '../operation-reads';
import type { Sql } from '../../database/sql';
import { rawSql } from '../../database/sql';
import type { KeysetSection } from '../../relay/connection';
import { redactRow, type Redaction } from './projection';
import type { OutputRow } from './row-turns';
import { shopTables, type ShopTable, type ShopTableName } from './shop-tables';

/** The columns of every row, in any table. */
export interface ShopRow {
  readonly id: string;
  readonly [member: string]: unknown;
}

/** @param outputs JSON texts, never null */
export function toRowsAsText(outputs: readonly string[], toStatement: (outputs: Sql) => Sql): RowsAsText {
  const columns = outputs.map((_, index) => `output_${index}`);
  const named = rawSql(outputs.map((output, index) => `${output} AS ${columns[index]}`).join(', '));
  return { rows: toStatement(named), columns };
}

const splitRows = (texts: readonly string[]): readonly string[] =>
  texts.length === 1 ? (texts[0] as string).split(rowSeparator) : texts;

const splitColumns = ({ columns }: RowsAsText, rows: readonly string[]): readonly OutputRow[] =>
  columns.length === 1 ? rows.map((output) => [output]) : rows.map((each) => each.split(columnSeparator));

export const toOutputRows = (of: RowsAsText, texts: readonly string[]): readonly OutputRow[] =>
  splitColumns(of, splitRows(texts));

/** The rows of a page, which an empty one may end. */
export function toSection(of: RowsAsText, texts: readonly string[]): KeysetSection<OutputRow> {
  const rows = splitRows(texts);
  const isCut = isShortened(rows);
  return { items: splitColumns(of, isCut ? rows.slice(0, -1) : rows), isShortened: isCut };
}

/** All rows in one text: that is parsed faster than each separately. */
export const joinRows = (rows: readonly OutputRow[]): string => `[${rows.map(([json]) => json).join(',')}]`;

export function toObjects<Row extends ShopRow>(
  redaction: Redaction | undefined,
  columns: Readonly<Record<string, string>>,
  rows: readonly OutputRow[],
): readonly Row[] {
  const members = Object.keys(columns);
  const text = joinRows(rows);
  const objects = (JSON.parse(text) as unknown[][]).map((values) => toRow<Row>(members, values));
  return redaction?.isNeeded(text) ? objects.map((row) => redactRow(redaction, row)) : objects;
}

export const redactionOf = (table: ShopTableName): Redaction | undefined => (shopTables[table] as ShopTable).redaction;

function toRow<Row>(members: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < members.length; index += 1) row[members[index] as string] = values[index];
  return row as Row;
}
