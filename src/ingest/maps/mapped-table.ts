import { nearest } from '../../common/nearest';
import { explainTable } from '../formats/cell-rules';
import { CsvColumns, lackedColumns, readRows } from '../formats/csv-columns';
import type { FileSample, ReadContext, TableExplained } from '../formats/format';
import { listFirst, quotedName } from '../values/display-names';
import { Sales } from '../formats/sales';
import { SourceLocation } from '../values/import-error';
import type { SourceFile } from '../source/source-file';
import type { ColumnReference, OptionRule, TableMap } from './import-map';
import { isOptionColumn } from './map-options';
import { keyOf, MappedRow, type MapColumns } from './mapped-row';

/** What the formats of maps have in common: the file is known by the columns that the map names. */
export abstract class FormatOfMap<Name extends string, Map extends TableMap> {
  constructor(
    readonly name: Name,
    readonly description: string,
    private readonly open: () => Map,
  ) {}

  get map(): Map {
    return this.open();
  }

  get delimiter(): string | undefined {
    return this.map.delimiter;
  }

  lacks(sample: FileSample): readonly string[] {
    return lackedColumns(this.map.recognisedBy, sample);
  }
}

const namesOf = (columns: readonly ColumnReference[]) =>
  Object.fromEntries(columns.map((column) => [keyOf(column), column]));

/** A column that a file lacks, with the column that the map probably means. */
export function missingColumn(names: ColumnReference, header: readonly string[]): string {
  const cells = header.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const meant = names.map((name) => nearest(name, cells, ({ length }) => Math.ceil(length / 3))).find((one) => one);
  return names.map(quotedName).join(' or ') + (meant === undefined ? '' : ` (did you mean ${quotedName(meant)}?)`);
}

/** The table of a file that a map describes. */
export class MappedTable {
  readonly context: ReadContext;
  readonly #sales: Sales;
  #columns: MapColumns | undefined;
  #read = 0;
  #skipped = 0;

  constructor(
    private readonly source: SourceFile,
    private readonly map: TableMap,
    given: ReadContext,
  ) {
    this.context = { ...given, dateFormat: given.dateFormat ?? map.dateFormat };
    this.#sales = new Sales(this.context);
  }

  /** Undefined until the header is read. */
  get columns(): MapColumns | undefined {
    return this.#columns;
  }

  /**
   * Its rows that are neither blank nor skipped.
   * @param columnsFor those that the map reads of a file with this header, in lower case
   * @param open is given what the file has
   */
  async *rows(
    columnsFor: (header: ReadonlySet<string>) => readonly ColumnReference[],
    open: (columns: MapColumns, header: ReadonlySet<string>, location: SourceLocation) => void = () => undefined,
  ): AsyncGenerator<MappedRow, void, void> {
    const { source, map, context } = this;
    const skipped = map.skipWhen.map(({ column }) => column);
    const rows = readRows(
      source,
      (row) => {
        const header = new Set(row.cells.map((cell) => cell.trim().toLowerCase()));
        const names = namesOf([...skipped, ...columnsFor(header)]);
        this.#columns = new CsvColumns(source.name, row, names, context);
        const location = new SourceLocation(source.name, row.line);
        this.#requireColumns(this.#columns, Object.values(names), row.cells, location);
        this.#warnOfOthers(this.#columns, Object.entries(names));
        open(this.#columns, header, location);
        return this.#columns;
      },
      source.numbersWith(map.decimal),
    );
    for await (const cells of rows) {
      const row = new MappedRow(cells, context, this.#sales);
      if (map.skipWhen.some((condition) => row.holds(condition))) this.#skipped += 1;
      else {
        this.#read += 1;
        yield row;
      }
    }
  }

  /** A misspelt name would leave its member as it is stored, without a word. */
  #requireColumns(
    columns: MapColumns,
    named: readonly ColumnReference[],
    header: readonly string[],
    location: SourceLocation,
  ): void {
    const { optional, source } = this.map;
    if (optional === 'all') return;
    const isOptional = (column: ColumnReference): boolean => column.every((name) => optional.has(name.toLowerCase()));
    const missing = named.filter((column) => !columns.has(keyOf(column)) && !isOptional(column));
    if (missing.length === 0) return;
    throw location.fault(
      `expected all columns that the map ${source} names, got no ${listFirst(missing, 8, (column) => missingColumn(column, header))}; correct the map, or list what a file may lack in its "optional"`,
    );
  }

  /** Of several names, the first may be the one that was meant. */
  #warnOfOthers(columns: MapColumns, named: readonly (readonly [string, ColumnReference])[]): void {
    const others = named.filter(
      ([key, [first = '']]) => columns.has(key) && columns.nameOf(key).toLowerCase() !== first.toLowerCase(),
    );
    if (others.length === 0) return;
    this.context.warn(
      `read in place of columns that are not there: ${listFirst(others, 8, ([key, [first = '']]) => `${quotedName(columns.nameOf(key))} for ${quotedName(first)}`)}`,
    );
  }

  /** What the dates of the file leave unclear, once all are read. */
  warn(): void {
    this.#sales.warn();
    for (const warning of this.#columns?.dates.warnings ?? []) this.context.warn(warning);
    if (this.#read === 0 && this.#skipped > 0) {
      const columns = this.map.skipWhen.map(({ column }) => JSON.stringify(column[0]));
      this.context.warn(
        `skip_when (${columns.join(', ')}) of the map ${this.map.source} leaves out ${this.#skipped} rows`,
      );
    }
  }
}

/**
 * What becomes of the columns of a map, for people.
 * @param grouping the columns that say which rows belong together
 * @param meaning what those are, for people
 * @param options whose columns may be more than `columns`, by their numbers
 */
export function explainMap(
  rules: Parameters<typeof explainTable>[0],
  columns: readonly ColumnReference[],
  grouping: readonly ColumnReference[],
  options?: OptionRule,
  meaning = 'which rows belong together',
): TableExplained {
  const names = namesOf([...columns, ...grouping]);
  const explained = explainTable(rules, names);
  const areGrouping = new Set(grouping.map(keyOf));
  const column = (key: string): string => {
    const found = [explained.column(key), areGrouping.has(key) ? meaning : ''];
    const text = found.filter((one) => one !== '').join(', ');
    if (text !== '') return text;
    return options && isOptionColumn(options, key) ? 'variants.options' : 'which rows are read';
  };
  return {
    column,
    columns: () => Object.entries(names).map(([key, [shown]]) => [shown ?? key, column(key)]),
    spellings: explained.spellings,
  };
}
