import type { Format, ReadContext } from './format';
import { optionNumbers, type StockRecord } from './record';
import { isTotal } from '../source/fit-row';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { safeBounds } from '../values/numbers';
import { CsvColumns, absentColumns, readRows, type CsvCells } from './csv-columns';
import type { ColumnNames } from './rules';
import { optionColumns, optionsIn, toVariantId } from './shopify-product';

type InventoryColumn = keyof typeof columnNames | `location ${number}`;

const variantColumns = { handle: ['Handle'], ...optionColumns } as const;

const columnNames = {
  ...variantColumns,
  location: ['Location'],
  available: ['Available', 'Available (not editable)'],
} as const;

const carried: Readonly<Record<string, string>> = {
  handle: 'identifies the product of the row',
  location: 'identifies the location of the row',
  available: 'variants.inventory_quantity: the sum of all locations',
  nothing: 'nothing',
};

const meaningOf = (column: string): string =>
  carried[column] ??
  (column.startsWith('location ')
    ? meaningOf('available')
    : column.endsWith('Name')
      ? 'nothing'
      : 'identifies the variant of the row');

/** Shopify's inventory CSV: one row for each variant and location. Only the available quantity counts as stock. */
export const shopifyInventory: Format<'shopify-inventory'> = {
  name: 'shopify-inventory',
  kinds: [],
  explains: {
    column: meaningOf,
    names: { ...columnNames, nothing: ['Title', 'SKU', 'HS Code', 'COO', 'Incoming', 'Unavailable', 'Committed', 'On hand'] }, // prettier-ignore
  },
  absentFrom: (sample) =>
    absentColumns(
      [
        columnNames.handle,
        columnNames.option1Value,
        ...(locationsIn([...sample.header]).length > 0 ? [] : [columnNames.location, columnNames.available]),
      ],
      sample,
    ),
  read,
};

/** A column that only files with a row for each location have, and not those with a column for each. */
const rowColumn = /^(?:location|incoming|unavailable|committed|available|on hand)(?: \(.*\))?$/;

/** The names of locations, which are the columns after COO, except for a sum that somebody added. */
const locationsIn = (header: readonly string[]): readonly string[] => {
  const names = header.map((name) => name.trim().toLowerCase());
  const isOther = !names.includes('coo') || names.some((name) => rowColumn.test(name));
  return isOther
    ? []
    : header.slice(names.indexOf('coo') + 1).filter((name) => name.trim() !== '' && !isTotal.test(name));
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<StockRecord, void, void> {
  let locations: readonly InventoryColumn[] = [];
  const rows = readRows<InventoryColumn>(source, (header) => {
    const found = locationsIn(header.cells).map((name, index) => [`location ${index}`, [name.trim()]] as const);
    locations = found.map(([column]) => column as InventoryColumn);
    const names = found.length > 0 ? { ...variantColumns, ...Object.fromEntries(found) } : columnNames;
    return new CsvColumns(source.name, header, names as ColumnNames<InventoryColumn>, context);
  });
  for await (const cells of rows) {
    const record = toRecord(cells);
    if (record === undefined) continue;
    if (locations.length === 0) yield { ...record, location: cells.trimmed('location') ?? '', available: toAvailable(cells, 'available') }; // prettier-ignore
    for (const column of locations)
      yield { ...record, location: cells.nameOf(column), available: toAvailable(cells, column) };
  }
}

function toRecord(cells: CsvCells<InventoryColumn>): Omit<StockRecord, 'location' | 'available'> | undefined {
  const handle = cells.identity('handle', "the product's handle on every row");
  if (handle === null) return undefined;
  const options = optionsIn(
    cells,
    optionNumbers.map((number) => cells.trimmed(`option${number}Name`)),
  );
  const variantId = cells.check(() => checkIndexedText(toVariantId(handle, options), cells.at('option1Value')));
  return { kind: 'stock', line: cells.row.line, handle, variantId: variantId ?? '', options };
}

const toAvailable = (cells: CsvCells<InventoryColumn>, column: InventoryColumn): string | null =>
  cells.trimmed(column)?.toLowerCase() === 'not stocked' ? null : cells.wholeNumber(column, safeBounds);
