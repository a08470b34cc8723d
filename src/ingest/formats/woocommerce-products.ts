import { descriptions } from './descriptions';
import type { Format, ReadContext } from './format';
import { SourceLocation } from '../values/import-error';
import type { AbsentFromProducts, CatalogRecord } from './record';
import { readCsvRows } from '../source/csv-rows';
import type { SourceFile } from '../source/source-file';
import type { CsvRow } from '../source/table-row';
import { CsvColumns } from './csv-columns';
import { FirstLines } from './first-lines';
import { Sales } from './sales';
import { WooProducts } from './woocommerce-assembly';
import { unescapeCell } from './woocommerce-cells';
import { attributeNumbers, findColumns, lackedByExport, toColumnNames, type WooColumn } from './woocommerce-columns';
import {
  explainedWoo,
  hasPrices,
  kindOf,
  sharesStock,
  toAbsent,
  toExternalId,
  toProductRow,
  toVariationRow,
  type WooShape,
} from './woocommerce-row';

/** WooCommerce's product CSV, in any language, with any of its columns. Variations reference their product. */
export const woocommerceProducts: Format<'woocommerce-products'> = {
  name: 'woocommerce-products',
  description: descriptions['woocommerce-products'],
  kinds: ['product', 'collection'],
  explains: {
    column: (column) => explainedWoo.column(column) || 'variants.options',
    columns: () => [...explainedWoo.columns(), ['Attribute N name, value(s)', 'variants.options']],
    spellings: explainedWoo.spellings,
  },
  lacks: ({ rows }) => lackedByExport(rows),
  read,
};

async function* read(source: SourceFile, context: ReadContext): AsyncGenerator<CatalogRecord, void, void> {
  const numbers = source.numbersWithoutThousands();
  const products = new WooProducts(source.name, context);
  const firstLines = new FirstLines();
  let sharedStock = 0;
  let table: WooTable | undefined;
  try {
    for await (const row of readCsvRows(source)) {
      if (table === undefined) {
        table = openTable(source.name, row, context);
        continue;
      }
      if (row.cells.every((cell) => cell.trim() === '')) continue;
      const { columns, shape } = table;
      const cells = columns.row({ ...row, numbers, cells: row.cells.map(unescapeCell) });
      const kind = kindOf(cells);
      const externalId = toExternalId(cells, shape, kind === 'variation');
      if (externalId === null) continue;
      const location = new SourceLocation(source.name, row.line);
      const earlier = firstLines.note(externalId, location);
      if (earlier !== undefined) {
        cells.report(location.fault(`product ${JSON.stringify(externalId)} already appears in line ${earlier}`));
        continue;
      }
      if (sharesStock(cells)) sharedStock += 1;
      if (kind === 'variation') {
        const parent = cells.word('parent');
        if (parent === null) cells.report(cells.at('parent').refuse('', 'the SKU or id of the product of a variation'));
        else await products.addVariation(toVariationRow(cells, externalId, shape), parent);
      } else {
        const references = [cells.word('id') === null ? null : `id:${externalId}`, cells.word('sku')];
        await products.addProduct(
          toProductRow(cells, externalId, kind, shape),
          references.filter((reference) => reference !== null),
        );
      }
    }
    if (table === undefined) return;
    if (sharedStock > 0) {
      context.warn(`${sharedStock} variations share the stock of their product, which would count it several times: their stock is null`); // prettier-ignore
    }
    table.shape.sales.warn();
    yield* products.records(table.absent);
  } finally {
    await products.close();
  }
}

interface WooTable {
  readonly columns: CsvColumns<WooColumn>;
  readonly shape: WooShape;
  readonly absent: AbsentFromProducts;
}

function openTable(file: string, header: CsvRow, context: ReadContext): WooTable {
  const found = findColumns(header.cells);
  const location = new SourceLocation(file, header.line);
  const columns = new CsvColumns(file, header, toColumnNames(header.cells, found), context);
  const attributes = attributeNumbers(found);
  const weightUnit = columns.has('weight') ? toWeightUnit(columns.nameOf('weight')) : null;
  if (columns.has('weight') && weightUnit === null) {
    throw location
      .at(`column ${JSON.stringify(columns.nameOf('weight'))}`)
      .fault('expected a unit of kg, g, lbs or oz in the name of the column');
  }
  const shape = {
    attributes,
    hasId: columns.has('id'),
    hasPublished: columns.has('published'),
    hasPosition: columns.has('position'),
    weightUnit,
    sales: new Sales(context),
  };
  const provides = (name: string): boolean => (name === 'attributes' ? attributes.length > 0 : columns.provides(name));
  if (!hasPrices(columns) && (columns.has('regularPrice') || columns.has('salePrice'))) {
    context.warn('without both columns Regular price and Sale price the prices of variants that are stored were kept');
  }
  return { columns, shape, absent: toAbsent({ provides }) };
}

const units: Readonly<Record<string, string>> = { kg: 'kg', g: 'g', lbs: 'lb', lb: 'lb', oz: 'oz', кг: 'kg', г: 'g' };

const toWeightUnit = (name: string): string | null =>
  units[/\(([^()]*)\)\s*$/.exec(name)?.[1]?.trim().toLowerCase() ?? ''] ?? null;
