import { nearest } from '../../common/nearest';
import { CsvColumns, readRows } from '../formats/csv-columns';
import type { ReadContext } from '../formats/format';
import { Sales } from '../formats/sales';
import type { SourceFile } from '../source/source-file';
import type { CsvRow } from '../source/table-row';
import { listFirst, quotedName } from '../values/display-names';
import { SourceLocation } from '../values/import-error';
import { namesOf, type Column, type NamedColumn } from './map-node';
import { numbered } from './map-node';
import { MappedRow } from './mapped-row';
import type { ImportMap } from './read-map';

const isNumbered = ({ column, path }: NamedColumn): boolean => /options\.(?:names|values)$|^product\.image/.test(path) && column.includes('{n}'); // prettier-ignore

const memberOf = (path: string): string => path.split('.').slice(0, 2).join('.');

/** The columns that a map reads from the main file, or from its variants_file. */
export const columnsOf = ({ columns }: ImportMap, ofVariants: boolean): readonly NamedColumn[] =>
  columns.filter(({ path }) => path.startsWith('variants_file') === ofVariants);

/** Whether a column is the named one, or one of its numbered columns. */
export const isNamed = (column: Column, named: NamedColumn): boolean =>
  column === named.column || (isNumbered(named) && numbered(named.column).includes(column));

/** The display name of a column. */
export const firstName = (named: NamedColumn): string =>
  namesOf((isNumbered(named) ? numbered(named.column)[0] : named.column) ?? '')[0] ?? '';

/** Names a missing column, and suggests the most similar column of the file. */
export function missingColumn(names: readonly string[], header: readonly string[]): string {
  const cells = header.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const meant = names.map((name) => nearest(name, cells, ({ length }) => Math.ceil(length / 3))).find((one) => one);
  return names.map(quotedName).join(' or ') + (meant === undefined ? '' : ` (did you mean ${quotedName(meant)}?)`);
}

/** The table that a map describes, once its header is read. */
export class MappedTable {
  /** Location of the header. */
  readonly location: SourceLocation;
  readonly #columns: CsvColumns<Column>;
  readonly #named: readonly NamedColumn[];

  private constructor(
    source: SourceFile,
    private readonly map: ImportMap,
    readonly context: ReadContext,
    header: CsvRow,
    ofVariants: boolean,
  ) {
    const cells = new Set(header.cells.map((cell) => cell.trim().toLowerCase()));
    const has = (column: Column): boolean => namesOf(column).some((name) => cells.has(name.toLowerCase()));
    const columns = columnsOf(map, ofVariants);
    const patterns = columns.filter(isNumbered);
    /** Whether the header has a column of this number of the same member. */
    const hasNumber = (path: string, index: number): boolean =>
      patterns.some((one) => memberOf(one.path) === memberOf(path) && has(numbered(one.column)[index] ?? ''));
    this.#named = columns.flatMap((named) =>
      !isNumbered(named)
        ? [named]
        : numbered(named.column)
            .map((column) => ({ ...named, column }))
            // Of numbered columns, keep the first and those in the header.
            .filter((_, index) => index === 0 || hasNumber(named.path, index)),
    );
    const names = Object.fromEntries(this.#named.map(({ column }) => [column, namesOf(column)]));
    this.#columns = new CsvColumns(source.name, header, names, context);
    this.location = new SourceLocation(source.name, header.line);
    this.#requireColumns(Object.keys(names), header.cells);
  }

  /**
   * Yields the rows that are neither blank nor skipped.
   * @param open called with the table once its header is read
   */
  static async *rows(
    source: SourceFile,
    map: ImportMap,
    given: ReadContext,
    open: (table: MappedTable) => void,
    ofVariants = false,
  ): AsyncGenerator<MappedRow, void, void> {
    const context = { ...given, dateFormat: given.dateFormat ?? map.date_format };
    const sales = new Sales(context);
    const { skip_when: conditions = [] } = (!ofVariants && map.rows) || {};
    let columns: CsvColumns<Column> | undefined;
    let skipped = 0;
    const unpaired = { rows: 0, lastLine: 0 };
    const rows = readRows(
      source,
      (header) => {
        const table = new MappedTable(source, map, context, header, ofVariants);
        open(table);
        return (columns = table.#columns);
      },
      source.numbersOf(map.decimal),
    );
    for await (const cells of rows) {
      const row = new MappedRow(cells, sales, context.domain, unpaired);
      if (conditions.some((condition) => row.holds(condition))) skipped += 1;
      else yield row;
    }
    sales.warn();
    if (unpaired.rows > 0)
      context.warn(`rows with ignored alt texts (their number differs from the number of images): ${unpaired.rows}`);
    for (const warning of columns?.dates.warnings ?? []) context.warn(warning);
    if (skipped > 0) {
      const names = conditions.map(({ column }) => JSON.stringify(namesOf(column)[0]));
      context.warn(`rows skipped by skip_when (${names.join(', ')}) of the mapping file ${map.source}: ${skipped}`);
    }
  }

  /** Whether the file has a column. */
  get provides(): (column: Column) => boolean {
    return this.#columns.provides;
  }

  /** The columns that the map reads for paths with this prefix. */
  named(prefix: string): readonly Column[] {
    return this.#named.filter(({ path }) => path.startsWith(prefix)).map(({ column }) => column);
  }

  /** Whether the file has any of these columns. */
  has(prefix: string): boolean {
    return this.named(prefix).some(this.provides);
  }

  /**
   * A misspelled column would silently leave its field unchanged. Warns when a column was found by another of its
   * names.
   */
  #requireColumns(named: readonly Column[], header: readonly string[]): void {
    const { optional = new Set<string>(), source } = this.map;
    const missing = named.filter(
      (column) =>
        optional !== 'all' &&
        !this.provides(column) &&
        !namesOf(column).every((name) => optional.has(name.toLowerCase())),
    );
    if (missing.length > 0) {
      throw this.location.fault(
        `expected all columns of the mapping file ${source}, missing ${listFirst(missing, 8, (column) => missingColumn(namesOf(column), header))}; correct the mapping file, or list optional columns in its "optional"`,
      );
    }
    const others = named.flatMap((column) => {
      const [first = ''] = namesOf(column);
      const name = this.#columns.nameOf(column);
      return !this.provides(column) || name.toLowerCase() === first.toLowerCase() ? [] : [[name, first] as const];
    });
    if (others.length === 0 || optional === 'all') return;
    const list = listFirst(others, 8, ([name, first]) => `${quotedName(name)} for ${quotedName(first)}`);
    this.context.warn(`substitutes used for missing columns: ${list}`);
  }
}
