import type { Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { AbsentFromProducts, CatalogRecord } from './record';
import type { SourceFile } from '../source/source-file';
import type { CsvRow } from '../source/table-row';
import { CsvColumns, readRows } from './csv-columns';
import { hasPrices, WooProducts } from './woocommerce-assembly';
import { unescapeCell } from './woocommerce-values';
import { attributeNumbers, findColumns, absentFromExport, toColumnNames, type WooColumn } from './woocommerce-columns';
import { csvRules, explainedWoo, toItem, type WooShape } from './woocommerce-row';

/** WooCommerce's product CSV, in any language, with any of its columns. Variations reference their product. */
export const woocommerceProducts: Format<'woocommerce-products'> = {
  name: 'woocommerce-products',
  kinds: ['product', 'collection'],
  explains: {
    column: (column) => explainedWoo.column(column) || 'variants.options',
    columns: () => [...explainedWoo.columns(), ['Attribute N name, value(s)', 'variants.options']],
    spellings: explainedWoo.spellings,
  },
  absentFrom: ({ rows }) => absentFromExport(rows),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const products = new WooProducts(source.name, context, csvRules);
  let shape: WooShape | undefined;
  let absent: AbsentFromProducts | undefined;
  const open = (header: CsvRow): CsvColumns<WooColumn> => {
    const { columns, attributes } = openColumns(source.name, header, context);
    shape = { attributes, weightUnit: weightUnitOf(columns, header, source.name) };
    const provides = (name: string): boolean =>
      name === 'attributes' ? attributes.length > 0 : columns.provides(name);
    absent = csvRules.absentFrom({ provides });
    if (!hasPrices(columns) && (columns.provides('regular_price') || columns.provides('sale_price'))) {
      context.warn('without both columns Regular price and Sale price, stored variant prices were kept');
    }
    return columns;
  };
  try {
    for await (const cells of readRows(source, open, source.numbersOf(undefined, false), unescapeCell))
      if (shape) await products.add(toItem(cells, shape, products.sales));
    if (absent) yield* products.records(absent);
  } finally {
    await products.close();
  }
}

function openColumns(file: string, header: CsvRow, context: ReadContext) {
  const found = findColumns(header.cells);
  const columns = new CsvColumns(file, header, toColumnNames(header.cells, found), context);
  return { columns, attributes: attributeNumbers(found) };
}

const units: Readonly<Record<string, string>> = { kg: 'kg', g: 'g', lbs: 'lb', lb: 'lb', oz: 'oz', кг: 'kg', г: 'g' };

function weightUnitOf(columns: CsvColumns<WooColumn>, header: CsvRow, file: string): string | null {
  if (!columns.provides('weight')) return null;
  const name = columns.nameOf('weight');
  const unit = units[/\(([^()]*)\)\s*$/.exec(name)?.[1]?.trim().toLowerCase() ?? ''];
  if (unit !== undefined) return unit;
  const location = new SourceLocation(file, header.line, `column ${JSON.stringify(name)}`);
  throw location.fault('expected kg, g, lbs or oz in the column name');
}
