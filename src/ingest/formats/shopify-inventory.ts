import type { FileSample, Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import { optionNumbers, type StockRecord } from './record';
import type { SourceFile } from '../source/source-file';
import { checkIndexedText } from '../values/text';
import { safeBounds } from '../values/whole-number';
import { type ColumnNames, CsvColumns, hasColumn, readRows, type CsvCells } from './csv-columns';
import { optionColumns, optionsIn, toVariantId } from './shopify-product';

type InventoryColumn = keyof typeof inventoryColumns;

const inventoryColumns = {
  handle: ['Handle'],
  ...optionColumns,
  location: ['Location'],
  available: ['Available', 'Available (not editable)'],
} as const;

const columnNames: ColumnNames<InventoryColumn> = inventoryColumns;

const carried: Readonly<Record<string, string>> = {
  handle: 'which product a row is of',
  location: 'which rows are summed',
  available: 'variants.inventory_quantity: the sum of all locations',
};

const meaningOf = (column: string): string => carried[column] ?? 'which variant a row is of';

/** Shopify's inventory CSV: one row for each variant and location. Only the available quantity counts as stock. */
export const shopifyInventory: Format<'shopify-inventory'> = {
  name: 'shopify-inventory',
  description:
    'the CSV of Shopify, Products, Inventory, Export, with the columns Handle, Option1 Value, Location and Available: stock, by location, of products that the shop or another file has',
  kinds: [],
  explains: {
    column: meaningOf,
    columns: () => Object.entries(columnNames).map(([column, [name = column]]) => [name, meaningOf(column)]),
  },
  recognises,
  read,
};

function recognises({ header }: FileSample): boolean {
  const needed: readonly InventoryColumn[] = ['handle', 'option1Value', 'location', 'available'];
  return needed.every((column) => hasColumn(header, columnNames[column]));
}

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<StockRecord, void, void> {
  for await (const cells of readRows(source, (header) => new CsvColumns(source.name, header, columnNames, context))) {
    const record = toRecord(cells, new SourceLocation(source.name, cells.row.line));
    if (record !== undefined) yield record;
  }
}

function toRecord(cells: CsvCells<InventoryColumn>, location: SourceLocation): StockRecord | undefined {
  const handle = cells.indexedText('handle');
  if (handle === null) {
    if (cells.text('handle') === null) cells.report(cells.at('handle').refuse('', "the product's handle on every row"));
    return undefined;
  }
  const options = optionsIn(
    cells,
    optionNumbers.map((number) => cells.word(`option${number}Name`)),
  );
  const variantId = cells.check(() => checkIndexedText(toVariantId(handle, options), cells.at('option1Value')));
  const isStocked = cells.word('available')?.toLowerCase() !== 'not stocked';
  return {
    kind: 'stock',
    line: location.line,
    handle,
    variantId: variantId ?? '',
    options,
    location: cells.word('location') ?? '',
    available: isStocked ? cells.wholeNumber('available', safeBounds) : null,
  };
}
